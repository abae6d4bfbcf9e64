import { expect, test } from 'vitest';
import codes from '../../../../internal/language/codes.txt?raw';
import type { Book } from '../api/api';
import { marcText } from './marc';
import { bibliographic } from './marccodes';

test('codes of languages are those of the library', () => {
  const lines = codes.split('\n').map((line) => line.split(' ')).filter(([first]) => first?.length === 2);
  expect(bibliographic.split(' ')).toEqual(lines.map((words) => (words[0] ?? '') + words.at(-1)));
});

const book = { identifier: 'id', title: 'Die Wände', authors: ['Ä', 'B'], language: 'de', published: 77, copies: 1 } as Book;

test('lengths in a record count bytes, and the article of a title is counted', () => {
  const bytes = new TextEncoder().encode(marcText([{ book, copies: [] }], 'marc'));
  const text = new TextDecoder().decode(bytes);
  expect(Number(text.slice(0, 5))).toBe(bytes.length);
  expect(text).toContain('14\x1faDie Wände\x1e');
  expect(text).toContain('s0077    xx |||||||||||||||||ger||');
});

test('what has a meaning in XML is escaped', () => {
  const text = marcText([{ book: { ...book, title: '<&"\u0001' }, copies: [] }], 'marcxml');
  expect(text).toContain('<subfield code="a">&lt;&amp;&#34;</subfield>');
});
