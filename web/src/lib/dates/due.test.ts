import { describe, expect, test } from 'vitest';
import de from '../../messages/de';
import en from '../../messages/en';
import { dayOf, daysOverdue, daysUntil, sayDate, sayDay, sayDue, type Where } from './due';
import type { Language } from '../text/language';

const words = { en: en.due, de: de.due };
const at = (now: string, zone = 'UTC', language: Language = 'en'): Where => ({ now: Date.parse(now), zone, language });

describe('a due date', () => {
  // 2026-12-04 is a Friday.
  test.each([
    ['2026-12-04T23:59:59Z', 'Due today', 'Fällig heute'],
    ['2026-12-05T23:59:59Z', 'Due tomorrow', 'Fällig morgen'],
    ['2026-12-06T23:59:59Z', 'Due Sunday', 'Fällig am Sonntag'],
    ['2026-12-10T23:59:59Z', 'Due Thursday', 'Fällig am Donnerstag'],
    ['2026-12-11T23:59:59Z', 'Due Friday, 11 December', 'Fällig am Freitag, 11. Dezember'],
    ['2026-12-31T23:59:59Z', 'Due Thursday, 31 December', 'Fällig am Donnerstag, 31. Dezember'],
    ['2027-01-01T23:59:59Z', 'Due Friday, 1 January 2027', 'Fällig am Freitag, 1. Januar 2027'],
    ['2026-12-03T23:59:59Z', '1 day overdue', 'Seit 1 Tag überfällig'],
    ['2026-12-01T23:59:59Z', '3 days overdue', 'Seit 3 Tagen überfällig'],
    ['2025-12-04T23:59:59Z', '365 days overdue', 'Seit 365 Tagen überfällig'],
    ['2023-03-10T23:59:59Z', '1,365 days overdue', 'Seit 1.365 Tagen überfällig'],
  ])('of %s is said on 4 December 2026: %s', (dueAt, english, german) => {
    expect(sayDue(dueAt, at('2026-12-04T12:00:00Z'), words.en)).toBe(english);
    expect(sayDue(dueAt, at('2026-12-04T12:00:00Z', 'UTC', 'de'), words.de)).toBe(german);
  });

  test('within a week needs no year, even across New Year', () => {
    expect(sayDue('2027-01-02T23:59:59Z', at('2026-12-30T12:00:00Z'), words.en)).toBe('Due Saturday');
  });

  test('is today until its last second, and overdue in the next', () => {
    const due = '2026-12-04T22:59:59Z'; // the end of the day in Berlin
    expect(sayDue(due, at('2026-12-04T22:59:59Z', 'Europe/Berlin'), words.en)).toBe('Due today');
    expect(sayDue(due, at('2026-12-04T23:00:00Z', 'Europe/Berlin'), words.en)).toBe('1 day overdue');
    expect(sayDue(due, at('2026-12-05T22:59:59Z', 'Europe/Berlin'), words.en)).toBe('1 day overdue');
    expect(sayDue(due, at('2026-12-05T23:00:00Z', 'Europe/Berlin'), words.en)).toBe('2 days overdue');
  });

  test('of a library that has moved to another zone is overdue by one day at least', () => {
    expect(daysOverdue('2026-12-04T22:59:59Z', at('2026-12-04T23:30:00Z', 'UTC'))).toBe(1);
  });
});

describe('a day is a day of the library', () => {
  test.each([
    ['2026-11-15T22:59:59Z', 'Europe/Berlin', '2026-11-15'],
    ['2026-11-15T23:00:00Z', 'Europe/Berlin', '2026-11-16'],
    ['2026-11-16T04:59:59Z', 'America/New_York', '2026-11-15'],
    ['2026-11-16T05:00:00Z', 'America/New_York', '2026-11-16'],
    ['2026-11-15T10:00:00Z', 'Pacific/Kiritimati', '2026-11-16'],
    ['2026-11-15T10:59:59Z', 'Pacific/Pago_Pago', '2026-11-14'],
    ['2026-11-15T18:14:59Z', 'Asia/Kathmandu', '2026-11-15'],
    ['2026-11-15T18:15:00Z', 'Asia/Kathmandu', '2026-11-16'],
  ])('%s in %s is %s', (instant, zone, day) => expect(dayOf(instant, zone)).toBe(day));

  test.each([
    // Berlin: summer time ends on 25 October 2026, and begins on 28 March 2027.
    ['2026-10-24T21:59:59Z', '2026-10-24T10:00:00Z', 0],
    ['2026-10-25T22:59:59Z', '2026-10-24T10:00:00Z', 1],
    ['2026-10-25T22:59:59Z', '2026-10-24T22:30:00Z', 0],
    ['2026-10-26T22:59:59Z', '2026-10-24T21:59:59Z', 2],
    ['2027-03-28T21:59:59Z', '2027-03-27T22:59:59Z', 1],
    ['2027-03-28T21:59:59Z', '2027-03-27T23:00:00Z', 0],
    ['2027-03-29T21:59:59Z', '2027-03-27T10:00:00Z', 2],
    ['2026-10-20T21:59:59Z', '2026-10-26T12:00:00Z', -6],
  ])('changes of the clock do not count: %s, seen at %s, is in %i days', (instant, now, days) => {
    expect(daysUntil(instant, at(now, 'Europe/Berlin'))).toBe(days);
  });

  test('a zone that the browser does not know is taken for UTC', () => {
    expect(dayOf('2026-11-15T23:30:00Z', 'Mars/Olympus')).toBe('2026-11-15');
    expect(sayDate('2026-11-15T23:30:00Z', at('2026-11-01T00:00:00Z', 'Mars/Olympus'))).toBe('Sunday, 15 November');
  });
});

test.each([
  ['2026-12-03T10:00:00Z', 'yesterday', 'gestern'],
  ['2026-12-04T10:00:00Z', 'today', 'heute'],
  ['2026-12-05T10:00:00Z', 'tomorrow', 'morgen'],
  ['2026-12-02T10:00:00Z', 'Wednesday, 2 December', 'Mittwoch, 2. Dezember'],
  ['2026-12-08T10:00:00Z', 'Tuesday', 'Dienstag'],
  ['2025-12-02T10:00:00Z', 'Tuesday, 2 December 2025', 'Dienstag, 2. Dezember 2025'],
])('the day of %s is said as %s', (instant, english, german) => {
  expect(sayDay(instant, at('2026-12-04T12:00:00Z'))).toBe(english);
  expect(sayDay(instant, at('2026-12-04T12:00:00Z', 'UTC', 'de'))).toBe(german);
});
