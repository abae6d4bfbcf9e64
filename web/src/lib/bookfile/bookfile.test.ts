import { expect, test } from 'vitest';
import type { Book } from '../api/api';
import { fileBook, fileStart, fileText } from './bookfile';
import type { Copy } from '../lending/lending';

const book = (more: Partial<Book> = {}): Book => ({ identifier: 'b1', title: 'Emma', copies: 2, available: 2, ...more }) as Book;
const copy = (more: Partial<Copy>): Copy => ({ identifier: 'c', state: 'lendable', ...more });

test('a file begins with the headings that an import knows', () => {
  expect(fileStart('csv', ';')).toBe('identifier,isbn,title,authors,description,subtitle,publisher,published,series,volume,language,subjects,copies,barcode,shelf\n');
  expect(fileStart('spreadsheet', ';')).toBe('\ufeffidentifier;isbn;title;authors;description;subtitle;publisher;published;series;volume;language;subjects;copies;barcode;shelf\r\n');
  expect(fileStart('jsonl', ',')).toBe('');
});

test('a book has the copies that can be lent, and their shelf if all stand on one', () => {
  const copies = [copy({ barcode: 'E-1', shelf: 'A 1' }), copy({ shelf: 'A 1' }), copy({ barcode: 'E-9', shelf: 'B', state: 'lost' })];
  expect(fileBook(book(), copies)).toMatchObject({ copies: 2, barcode: ['E-1'], shelf: 'A 1' });
  const two = fileBook(book(), [copy({ shelf: 'A 1' }), copy({})]);
  expect([two.shelf, two.barcode]).toEqual([undefined, undefined]);
});

test.each<[string, Partial<Book>, string]>([
  ['plain', { isbn: '1', authors: ['Jane Austen'], description: 'x' }, 'b1,1,Emma,Jane Austen,x,,,,,,,,2,E-1; E-2,A 1\n'],
  ['quoted', { title: 'Say "no", twice', description: 'two\nlines' }, 'b1,,"Say ""no"", twice",,"two\nlines",,,,,,,,2,E-1; E-2,A 1\n'],
  ['semicolons in names', { authors: ['a;b', 'c\\d'] }, 'b1,,Emma,a\\;b; c\\\\d,,,,,,,,,2,E-1; E-2,A 1\n'],
  ['as it is, so that it can be imported again', { title: '=1+1' }, 'b1,,=1+1,,,,,,,,,,2,E-1; E-2,A 1\n'],
])('CSV is %s', (_, more, want) => {
  const copies = [copy({ barcode: 'E-1', shelf: 'A 1' }), copy({ barcode: 'E-2', shelf: 'A 1' })];
  expect(fileText([fileBook(book(more), copies)], 'csv', ';')).toBe(want);
});

test('a spreadsheet runs no formula', () => {
  expect(fileText([fileBook(book({ title: '=1+1' }), [])], 'spreadsheet', ';')).toBe("b1;;'=1+1;;;;;;;;;;2;;\r\n");
});

test('JSON has a book per line, without what is empty', () => {
  const books = [fileBook(book({ isbn: '', authors: [] }), []), fileBook(book({ title: 'Two\nlines' }), [copy({ barcode: 'E-1' })])];
  expect(fileText(books, 'jsonl', ',')).toBe('{"identifier":"b1","title":"Emma","copies":2}\n{"identifier":"b1","title":"Two\\nlines","copies":2,"barcode":["E-1"]}\n');
});
