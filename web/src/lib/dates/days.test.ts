import { describe, expect, test } from 'vitest';
import { addDays, addMonths, beginOf, daysOf, endOf, isDay, monthGrid, ranges, weekdayOf } from './days';

test.each([
  ['2026-12-24', true],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-04-31', false],
  ['2026-13-01', false],
  ['2026-1-02', false],
  ['2026-12-24T00:00:00Z', false],
  ['', false],
])('%j is a day: %s', (day, want) => expect(isDay(day)).toBe(want));

test.each([
  ['2026-12-31', 1, '2027-01-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2026-03-29', 1, '2026-03-30'],
  ['2026-01-01', -1, '2025-12-31'],
  ['2026-11-15', 3650, '2036-11-12'],
])('%s and %d days are %s', (day, n, want) => expect(addDays(day, n)).toBe(want));

test.each([
  ['2026-01-31', 1, '2026-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2026-12-15', 1, '2027-01-15'],
  ['2026-01-15', -1, '2025-12-15'],
  ['2028-02-29', 12, '2029-02-28'],
])('%s and %d months are %s', (day, n, want) => expect(addMonths(day, n)).toBe(want));

test('weeks begin on Monday', () => {
  expect(['2026-11-16', '2026-11-21', '2026-11-22'].map(weekdayOf)).toEqual([0, 5, 6]);
});

describe('a month as a calendar', () => {
  test.each([
    ['2026-11-15', '2026-10-26', '2026-12-06', 6],
    ['2027-02-01', '2027-02-01', '2027-02-28', 4], // fits exactly
    ['2026-12-01', '2026-11-30', '2027-01-03', 5],
  ])('of %s is from %s to %s', (day, first, last, weeks) => {
    const grid = monthGrid(day);
    expect([grid[0]?.[0], grid.at(-1)?.[6], grid.length]).toEqual([first, last, weeks]);
    expect(grid.every((week) => week.length === 7)).toBe(true);
  });
});

test('days that follow one another are a range, in whatever order they come', () => {
  expect(ranges(['2027-01-01', '2026-12-24', '2026-12-31', '2026-12-25', '2026-12-24'])).toEqual([
    { from: '2026-12-24', to: '2026-12-25' },
    { from: '2026-12-31', to: '2027-01-01' },
  ]);
  expect(daysOf({ from: '2026-12-30', to: '2027-01-02' })).toEqual(['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']);
  expect(daysOf({ from: '2026-12-30', to: '2026-12-29' })).toEqual([]);
});

describe('a day begins and ends', () => {
  const iso = (ms: number): string => new Date(ms).toISOString();
  test.each([
    ['2026-11-15', 'UTC', '2026-11-15T00:00:00.000Z', '2026-11-15T23:59:59.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.000Z'], // 23 hours
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.000Z'], // 25 hours
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.000Z'], // begins at one o'clock
    ['2018-02-17', 'America/Sao_Paulo', '2018-02-17T02:00:00.000Z', '2018-02-18T02:59:59.000Z'], // its last hour comes twice
    ['2000-10-29', 'America/St_Johns', '2000-10-29T03:30:00.000Z', '2000-10-30T03:29:59.000Z'], // begins twice: 00:01 becomes 23:01
    ['2026-11-15', 'Asia/Kathmandu', '2026-11-14T18:15:00.000Z', '2026-11-15T18:14:59.000Z'],
    ['2026-11-15', 'Pacific/Kiritimati', '2026-11-14T10:00:00.000Z', '2026-11-15T09:59:59.000Z'],
    ['2026-11-15', 'Pacific/Pago_Pago', '2026-11-15T11:00:00.000Z', '2026-11-16T10:59:59.000Z'],
  ])('%s in %s', (day, zone, begin, end) => {
    expect([iso(beginOf(day, zone)), iso(endOf(day, zone))]).toEqual([begin, end]);
  });
});
