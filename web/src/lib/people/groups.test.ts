import { expect, test } from 'vitest';
import { groupOrder, groupsOf, inGroups } from './groups';

test('class 9 comes before class 10, and no group at the end', () => {
  expect(['10a', '', 'Änderungsschneider', '9b', 'Staff', '9A'].sort(groupOrder('de'))).toEqual(['9A', '9b', '10a', 'Änderungsschneider', 'Staff', '']);
});

test('groups that a language writes alike are still in one order, each in one piece', () => {
  expect(['7a', '07a', '7A', '07a'].sort(groupOrder('de'))).toEqual(['07a', '07a', '7a', '7A']);
});

test('groups are the same without regard to case, and people without one have none', () => {
  expect(groupsOf([{ group: '8b' }, {}, { group: '8B' }, { group: '' }, { group: '8a' }], 'en')).toEqual(['8a', '8b']);
});

test('records in the order of their groups are parted, those without a group in a part of their own', () => {
  const records = [{ group: '8a', n: 1 }, { group: '8b', n: 2 }, { group: '8B', n: 3 }, { n: 4 }];
  expect(inGroups(records, ({ group }) => group).map(({ group, records }) => [group, ...records.map(({ n }) => n)])).toEqual([['8a', 1], ['8b', 2, 3], ['', 4]]);
  expect(inGroups([], () => '')).toEqual([]);
});
