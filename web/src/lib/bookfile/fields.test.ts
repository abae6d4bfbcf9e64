import { expect, test } from 'vitest';
import formats from '../../../../docs/formats.md?raw';
import rosters from '../../../../docs/rosters.md?raw';
import { bookFields, choose, personFields, renamed } from './fields';

test.each([
  ['books', bookFields, formats, /^\| (\w+) \| (`.*`)/gm],
  ['people', personFields, rosters, /^\| (\w+) \| (`.*)\|$/gm],
] as const)('the headings of %s are those that the library reads', (_, fields, page, line) => {
  const rows = [...page.matchAll(line)].filter(([, field = '']) => field in fields.known);
  expect(new Set(rows.map(([, field]) => field))).toEqual(new Set(Object.keys(fields.known)));
  for (const [, field, headings = ''] of rows) {
    for (const [, heading = ''] of headings.matchAll(/`([^`]+)`/g)) expect(fields.guess([heading]), heading).toEqual([field]);
  }
});

test('a meaning is given to one column, authors to several', () => {
  expect(choose(bookFields, ['title', undefined], 1, 'title')).toEqual([undefined, 'title']);
  expect(choose(bookFields, ['authors', undefined], 1, 'authors')).toEqual(['authors', 'authors']);
  expect(choose(personFields, ['active', undefined], 1, 'active')).toEqual(['active', 'active']);
});

test('columns of books get the names of what is chosen', () => {
  expect(bookFields.name(['title', 'authors', undefined, 'authors'], [])).toEqual(['title', 'author1', 'unused 3', 'author2']);
});

test.each([
  [['Name', 'Vorname', 'E-Mail', 'mail'], ['lastName', 'firstName', 'email', undefined]],
  [['Name', 'Nachname', 'Kürzel'], [undefined, 'lastName', undefined]],
  [['sourcedId', 'enabledUser', 'status', 'name', 'identifier', 'grades', 'role'], [undefined, 'active', 'active', undefined, 'card', 'group', undefined]],
])('columns of people called %j are taken for %j, as the library takes them', (headings, fields) => {
  expect(personFields.guess(headings)).toEqual(fields);
});

test('columns of people keep what says that a file is of OneRoster, and one of both names is called so', () => {
  expect(personFields.name([undefined, 'active', 'active', 'card'], ['sourcedId', 'enabledUser', 'status', 'identifier'])).toEqual(['sourcedid', 'enableduser', 'active', 'card']);
  expect(personFields.name(['email', undefined], ['sourcedId', 'enabledUser'])).toEqual(['email', 'unused 2']);
  expect(personFields.name(['lastName', 'email'], ['Schüler', 'Konto'])).toEqual(['name', 'email']);
  expect(personFields.name(['lastName', 'firstName'], ['Name', 'Rufname'])).toEqual(['lastName', 'firstName']);
});

test('a pattern of addresses follows its columns to their new names', () => {
  expect(renamed('{Konto}.{first name}@b.c', ['Vorname', 'KONTO'], ['firstName', 'unused 2'])).toBe('{unused 2}.{first name}@b.c');
});
