import { expect, test } from 'vitest';
import { codesIn } from './codes';

test.each([
  ['A-1\nA-2\n', ['A-1', 'A-2']],
  ['\ufeffA-1\r\n\r\n  A-2 \rA-3', ['A-1', 'A-2', 'A-3']],
  ['A-1\t2026-11-18 09:14:02\nA-2\tnoon', ['A-1', 'A-2']],
  ['A-1,09:14\nA-2,18/11/2026,9:14 AM\n"A-3","2026-11-18T09:14:02Z"', ['A-1', 'A-2', 'A-3']],
  ['A,1\nB,12', ['A,1', 'B,12']], // a comma within a code
  [`${'x'.repeat(300)}\n`, ['x'.repeat(200)]],
  ['', []],
])('%j', (file, codes) => expect(codesIn(file)).toEqual(codes));
