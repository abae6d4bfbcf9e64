import { expect, test } from 'vitest';
import { parsePeople, peopleQuery } from './filter';

test.each([
  ['', { q: '', group: '', category: '', off: false }],
  ['?q=bann', { q: 'bann', group: '', category: '', off: false }],
  ['?category=upper+school', { q: '', group: '', category: 'upper school', off: false }],
  ['?q=a+b&group=8+b%26c&category=pupil&show=off', { q: 'a b', group: '8 b&c', category: 'pupil', off: true }],
])('the address %j is what a list of people shows, and back', (search, filter) => {
  expect(parsePeople(search)).toEqual(filter);
  expect(peopleQuery(filter)).toBe(search);
});

test('what an address says beside that is left out', () => {
  expect(parsePeople('?show=all&sort=x')).toEqual({ q: '', group: '', category: '', off: false });
  expect(peopleQuery({ q: '  ', group: '', category: '', off: false })).toBe('');
});
