import { expect, test } from 'vitest';
import { newRequest, type Answer, type Input } from './request';
import type { Book } from './api';

test('what is put into a path cannot leave its place', () => {
  const { url } = newRequest('http://api.test/base', 'get', '/books/{id}', { path: { id: '../users?q=$&' } });
  expect(url).toBe('http://api.test/base/books/..%2Fusers%3Fq%3D%24%26');
});

test('only a body has a type', () => {
  expect(newRequest('http://api.test', 'get', '/me', {}).headers.has('Content-Type')).toBe(false);
  expect(newRequest('http://api.test', 'post', '/books', { body: { title: 'T' } }).headers.get('Content-Type')).toBe('application/json');
});

test('the contract file decides what a request carries and what it answers', () => {
  const books: Answer<'get', '/books'> = [] satisfies Book[];
  const nothing: Answer<'delete', '/books/{id}'> = undefined;
  // @ts-expect-error: a book has a title
  const untitled: Input<'post', '/books'> = { body: {} };
  // @ts-expect-error: one book has an identifier
  const unnamed: Input<'get', '/books/{id}'> = {};
  // @ts-expect-error: there is no such order
  const disorder: Input<'get', '/books'> = { query: { sort: 'colour' } };
  expect([books, nothing, untitled, unnamed, disorder]).toHaveLength(5);
});
