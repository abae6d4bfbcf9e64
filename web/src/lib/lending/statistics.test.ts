import { expect, test } from 'vitest';
import type { Hold } from '../api/api';
import { labels, parseTime, presetTime, queuesOf, shortPeriod, steps, ticks, timeQuery, totals, wholeTime, type Period } from './statistics';

const periods = (...months: string[]): Period[] => months.map((from, i) => ({ from, loans: i, returns: 2 * i }));

test.each([
  ['', { by: 'month', from: undefined, to: undefined }, ''],
  ['?by=week&from=2026-01-01&to=2026-06-30', { by: 'week', from: '2026-01-01', to: '2026-06-30' }, '?by=week&from=2026-01-01&to=2026-06-30'],
  ['?by=year&from=yesterday&to=2026-02-30', { by: 'month', from: undefined, to: undefined }, ''],
  ['?by=month&to=2025-12-31', { by: 'month', from: undefined, to: '2025-12-31' }, '?to=2025-12-31'],
] as const)('the address %j is read and written', (search, time, written) => {
  expect(parseTime(search)).toEqual(time);
  expect(timeQuery(parseTime(search))).toBe(written);
});

test('without days it is the last twelve months, this one included', () => {
  expect(wholeTime({ by: 'week' }, '2026-11-15')).toEqual({ by: 'week', from: '2025-12-01', to: '2026-11-15' });
  expect(wholeTime({ by: 'month', to: '2025-01-31' }, '2026-11-15')).toEqual({ by: 'month', from: '2024-02-01', to: '2025-01-31' });
});

test('the times that are often asked for', () => {
  expect(presetTime('months', '2026-11-15')).toEqual({ by: 'month' });
  expect(presetTime('weeks', '2026-11-15')).toEqual({ by: 'week', from: '2026-08-24' }); // Mondays, twelve with this week
  expect(presetTime('monthDays', '2026-11-15')).toEqual({ by: 'day', from: '2026-10-17' });
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [7, [0, 2, 4, 6, 8]],
  [23, [0, 5, 10, 15, 20, 25]],
  [100, [0, 20, 40, 60, 80, 100]],
  [1234, [0, 500, 1000, 1500]],
])('an axis up to %d has %j', (largest, want) => expect(ticks(largest)).toEqual(want));

test('periods are named as far as there is room, and years where they change', () => {
  const twelve = periods('2025-11-01', '2025-12-01', '2026-01-01', '2026-02-01');
  expect(labels(twelve, 'month', 60, 40, 'en').map((l) => [l.text, l.year])).toEqual([['Nov', '2025'], ['Dec', undefined], ['Jan', '2026'], ['Feb', undefined]]);
  expect(labels(twelve, 'month', 20, 40, 'en').map((l) => [l.index, l.text, l.year])).toEqual([[0, 'Nov', '2025'], [2, 'Jan', '2026']]);
  expect(shortPeriod('2026-11-16', 'week', 'en')).toBe('16 Nov');
  expect(shortPeriod('2026-03-01', 'month', 'de')).toBe('März');
});

test('sums, and the best of them', () => {
  expect(totals(periods('2026-01-01', '2026-02-01', '2026-03-01'))).toEqual({ loans: 3, returns: 6, best: { from: '2026-03-01', loans: 2, returns: 4 } });
  expect(totals([{ from: '2026-01-01', loans: 0, returns: 0 }])).toEqual({ loans: 0, returns: 0, best: undefined });
});

test('a line goes along the tops', () => expect(steps([1, 0], (i) => i * 10, (v) => 100 - v)).toBe('M0 99H10L10 100H20'));

test('queues are those of books, the longest first', () => {
  const hold = (title: string, state: Hold['state']): Hold => ({ identifier: '', book: { identifier: title, title }, state, createdAt: '' });
  const found = queuesOf([hold('A', 'ready'), hold('B', 'waiting'), hold('B', 'waiting'), hold('C', 'waiting'), hold('B', 'ready')]);
  expect(found.map((q) => [q.book.title, q.waiting, q.ready])).toEqual([['B', 2, 1], ['C', 1, 0], ['A', 0, 1]]);
});
