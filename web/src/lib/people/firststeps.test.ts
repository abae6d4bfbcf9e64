import { beforeEach, expect, test } from 'vitest';
import { hideFirstSteps, stepsOfNew, type Beginning } from './firststeps';
import { browserStorage } from '../shell/storage';

const beginning: Beginning = { curator: false, timeZone: 'UTC', books: 0, people: 1, mail: false };

beforeEach(() => browserStorage.removeItem('library.first-steps'));

test.each<[rule: string, given: Partial<Beginning>, undone: string[]]>([
  ['a new library has everything before it, and an admin without the role of a librarian that first', {}, ['role', 'rules', 'books', 'people', 'mail']],
  ['what is done is ticked off', { curator: true, people: 2 }, ['rules', 'books', 'mail']],
  ['the steps stay after the first books', { curator: true, books: 19 }, ['rules', 'people', 'mail']],
  ['a library with twenty books is not new', { books: 20 }, []],
  ['a library with books and people is not new', { books: 1, people: 2 }, []],
])('%s', (_rule, given, undone) => {
  expect(stepsOfNew({ ...beginning, ...given }).flatMap(([step, done]) => (done ? [] : [step]))).toEqual(undone);
});

test('the steps of which none is left, and hidden ones, are not shown', () => {
  expect(stepsOfNew({ curator: true, timeZone: 'Europe/Berlin', books: 1, people: 2, mail: true })).toEqual([]);
  hideFirstSteps();
  expect(stepsOfNew(beginning)).toEqual([]);
});
