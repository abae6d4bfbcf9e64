import { describe, expect, test } from 'vitest';
import { filterQuery, noFilter, parseFilter, routeOf } from './router';

const id = 'f9bf70d6-e56d-4cab-be6b-294cd05f599f';

describe.each(['/', '/library/'])('under %s', (base) => {
  test.each([
    ['', { name: 'books' }],
    ['books/new', { name: 'addBook' }],
    [`books/${id}`, { name: 'book', id }],
    [`books/${id.toUpperCase()}`, { name: 'book', id }],
    [`books/${id}/`, { name: 'book', id }],
    [`books/${id}/edit`, { name: 'editBook', id }],
    ['loans', { name: 'loans' }],
    ['desk', { name: 'desk' }],
    ['import', { name: 'import' }],
    ['users', { name: 'users' }],
    ['users/new', { name: 'addUser' }],
    ['users/import', { name: 'importUsers' }],
    [`users/${id}`, { name: 'editUser', id }],
    ['books', { name: 'unknown' }],
    ['books/7', { name: 'unknown' }],
    ['nowhere', { name: 'unknown' }],
    ['Loans', { name: 'unknown' }],
  ])('%j', (path, want) => expect(routeOf(base + path, base)).toEqual(want));
});

test('the base path needs no slash at its end, and other paths are not ours', () => {
  expect(routeOf('/library', '/library/')).toEqual({ name: 'books' });
  expect(routeOf('/other/loans', '/library/')).toEqual({ name: 'unknown' });
});

describe('what the catalogue shows is in the address', () => {
  test.each([
    ['', noFilter],
    ['?q=go+web', { ...noFilter, q: 'go web' }],
    ['?show=lent&sort=-created', { ...noFilter, show: 'lent', sort: '-created' }],
    ['?q=clen&exact=true', { ...noFilter, q: 'clen', exact: true }],
    ['?show=nonsense&sort=%00', noFilter],
  ])('%j', (search, want) => expect(parseFilter(search)).toEqual(want));

  test.each(['', '?q=go+%26+co', '?show=available', '?q=a&show=lent&sort=-title', '?q=clen+code&exact=true'])('there and back: %j', (search) =>
    expect(filterQuery(parseFilter(search))).toBe(search),
  );
  test('without words there are none to be left as they are', () => expect(filterQuery(parseFilter('?exact=true'))).toBe(''));
  test('white space around the words does not count', () => expect(filterQuery({ ...noFilter, q: '  ' })).toBe(''));
});
