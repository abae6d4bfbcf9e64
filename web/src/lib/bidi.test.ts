import { expect, test } from 'vitest';
import { isolate } from './bidi';

test.each([
  ['“Momo” is yours for now.', '“Momo” is yours for now.'],
  ['“אלף 1!” is yours for now.', '“\u2068אלף 1!\u2069” is yours for now.'],
  ['„كتاب (2)“ löschen?', '„\u2068كتاب (2)\u2069“ löschen?'],
  ['אלף', 'אלף'],
])('%s', (sentence, want) => expect(isolate(sentence)).toBe(want));
