import { expect, test } from 'vitest';
import { cityOf, findZone, isZone, zones } from './zones';

const all = zones();

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [' europe/berlin ', 'Europe/Berlin'],
  ['berlin', 'Europe/Berlin'],
  ['new york', 'America/New_York'],
  ['utc', 'UTC'],
  ['Europe/Vien', 'Europe/Vienna'],
  ['america', 'america'], // many
  ['Gotham', 'Gotham'],
  ['', ''],
])('%j means %j', (typed, want) => expect(findZone(typed, all)).toBe(want));

test('names that a list does not have are names all the same', () => {
  expect([isZone('Asia/Kolkata'), isZone('Asia/Calcutta'), isZone('UTC')]).toEqual([true, true, true]);
  expect([isZone('Gotham'), isZone('+01:00'), isZone(''), isZone('europe/berlin')]).toEqual([false, false, false, false]);
  expect(all).toContain('UTC');
});

test('a city is said as people write it', () => expect(cityOf('America/Argentina/Buenos_Aires')).toBe('Buenos Aires'));
