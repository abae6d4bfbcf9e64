import { expect, test } from 'vitest';
import { compactIsbn, searchWords } from './isbn';
import { checkIsbn } from './isbncheck';

test.each([
  ['', 'empty'],
  [' - ', 'empty'],
  ['978-0-13-235088-4', 'good'],
  ['9780132350884', 'good'],
  ['0-13-235088-2', 'good'],
  ['0-8044-2957-X', 'good'],
  ['0-8044-2957-x', 'good'],
  ['978‑0–13—235088−4', 'good'],
  ['978-0-13-235088-5', 'digit'],
  ['0-13-235088-3', 'digit'],
  ['978-0-13-235088', 'length'],
  ['X132350882', 'length'],
  ['hello', 'length'],
])('the ISBN %j is %s', (text, want) => expect(checkIsbn(text)).toBe(want));

test('hyphens and spaces do not matter', () => expect(compactIsbn(' 0-8044 2957-x ')).toBe('080442957X'));

test.each([
  ['978 0 13 235088 4', '9780132350884'],
  ['978-0-13-235088-4', '9780132350884'],
  ['0-13-235088-2', '0132350882'],
  ['  clean   code ', 'clean code'],
  ['1984', '1984'],
  ['fahrenheit 451', 'fahrenheit 451'],
])('a search for %j asks for %j', (typed, want) => expect(searchWords(typed)).toBe(want));
