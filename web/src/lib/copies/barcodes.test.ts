import { expect, test } from 'vitest';
import { after, firstBarcode, highest, nextFree, numbered } from './barcodes';

test.each([
  ['LIB-0042', { prefix: 'LIB-', number: 42, width: 4 }],
  ['00042', { prefix: '', number: 42, width: 5 }],
  ['2026-7', { prefix: '2026-', number: 7, width: 1 }],
  ['A', undefined],
])('%s is taken apart', (code, want) => expect(numbered(code)).toEqual(want));

test('the series that is used most goes on', () => {
  expect(highest(['X1', 'LIB-0007', 'LIB-0040', 'odd', 'X900', 'LIB-0003'])).toMatchObject({ prefix: 'LIB-', number: 40 });
  expect(highest(['odd'])).toBeUndefined();
  expect(after('LIB-0099', 2)).toBe('LIB-0101');
  expect(after('none', 1)).toBeUndefined();
});

/** A library with the numbers up to one, of which this page knows a few; counts the questions. */
async function ask(known: string[], last: number, prefix = 'B'): Promise<[string, number]> {
  let questions = 0;
  const next = await nextFree(known, (code) => {
    questions++;
    return Promise.resolve(Number(code.slice(prefix.length)) <= last);
  });
  return [next, questions];
}

test('the library is asked whether a number is free', async () => {
  expect(await ask(['B0022'], 22)).toEqual(['B0023', 1]);
  expect(await ask(['B0001'], 9)).toEqual(['B0010', expect.any(Number)]);
  expect(await ask([], 0, 'LIB-')).toEqual([firstBarcode, 1]);
  const [next, questions] = await ask(['B0001'], 123_456);
  expect(next).toBe('B123457');
  expect(questions).toBeLessThan(40);
});
