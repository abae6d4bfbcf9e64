import { expect, test } from 'vitest';
import type { Book } from '../api/api';
import { aroundVolume, byAuthor, isSame } from './related';

const book = (identifier: string, more: Partial<Book> = {}): Book => ({ identifier, title: identifier, kind: 'book', copies: 1, available: 1, borrowed: false, ...more });
const ids = (books: Book[]): string[] => books.map((b) => b.identifier);

test.each([
  ['Émile Zola', 'emile zola', true],
  ['Bob', 'Bobby', false],
])('%s and %s are the same: %s', (one, other, want) => expect(isSame(one, other)).toBe(want));

test('more by an author is of that author alone, and not the book itself', () => {
  const books = [book('here', { authors: ['Ada Lee'] }), book('other', { authors: ['Eve', 'ada lee'] }), book('similar', { authors: ['Ada Leenders'] }), book('none')];
  expect(ids(byAuthor(books, 'Ada Lee', 'here'))).toEqual(['other']);
});

test('volumes are in the order of their numbers, those without one last', () => {
  const books = [book('x'), book('ten', { volume: '10' }), book('two', { volume: '2' }), book('one', { volume: '1' })];
  expect(ids(aroundVolume(books, 'one', 12))).toEqual(['two', 'ten', 'x']);
});

test('of a long series those around the volume are shown, and as many at its ends', () => {
  const books = Array.from({ length: 40 }, (_, i) => book(String(i + 1), { volume: String(i + 1) }));
  expect(ids(aroundVolume(books, '20', 4))).toEqual(['19', '21', '22', '23']);
  expect(ids(aroundVolume(books, '1', 4))).toEqual(['2', '3', '4', '5']);
  expect(ids(aroundVolume(books, '40', 4))).toEqual(['36', '37', '38', '39']);
});
