import { describe, expect, test } from 'vitest';
import contract from '../../../../api/openapi.yaml?raw';
import de from '../../messages/de.rules';
import en from '../../messages/en.rules';
import type { Policy } from '../api/api';
import { addDays, daysOf } from '../dates/days';
import { dueOf, heldUntil, sayRules, upcoming } from './rules';
import { policyLimits } from './limits';

const usual: Policy = {
  loanDays: 28, renewals: 2, maxLoans: 0, maxHolds: 0, blockOverdue: false, holdDays: 7, historyDays: 365,
  timeZone: 'UTC', closedWeekdays: [], closedDates: [], dueSoonDays: 3, overdueDays: [1, 7, 21],
  selfBorrow: true, selfReturn: true, noticeWanted: false, rules: [],
};
const weekend = ['saturday', 'sunday'] as const;
const from = (day: string, n: number): string[] => daysOf({ from: day, to: addDays(day, n - 1) });

/** The same cases as in the tests of the library itself. */
describe('the end of a loan or a hold, as the library counts it', () => {
  test.each<[string, string, string, number, readonly Policy['closedWeekdays'][number][], string[], string]>([
    ['it is the end of a day', 'UTC', '2026-11-15T12:34:56Z', 28, [], [], '2026-12-13T23:59:59Z'],
    ['the first second of a day belongs to it', 'UTC', '2026-11-15T00:00:00Z', 1, [], [], '2026-11-16T23:59:59Z'],
    ['so does the last', 'UTC', '2026-11-15T23:59:59Z', 1, [], [], '2026-11-16T23:59:59Z'],
    ['the day is that of the library', 'Europe/Berlin', '2026-11-15T22:59:59Z', 1, [], [], '2026-11-16T22:59:59Z'],
    ['where it is tomorrow already', 'Europe/Berlin', '2026-11-15T23:00:00Z', 1, [], [], '2026-11-17T22:59:59Z'],
    ['or still yesterday', 'America/Los_Angeles', '2026-11-15T07:59:59Z', 1, [], [], '2026-11-16T07:59:59Z'],
    ['on one side of the date line', 'Pacific/Kiritimati', '2026-11-15T12:00:00Z', 1, [], [], '2026-11-17T09:59:59Z'],
    ['and on the other', 'Pacific/Pago_Pago', '2026-11-15T12:00:00Z', 1, [], [], '2026-11-17T10:59:59Z'],
    ['half an hour', 'Asia/Kolkata', '2026-11-15T12:00:00Z', 7, [], [], '2026-11-22T18:29:59Z'],
    ['three quarters of an hour', 'Asia/Kathmandu', '2026-11-15T12:00:00Z', 7, [], [], '2026-11-22T18:14:59Z'],
    ['summer time begins in between', 'Europe/Berlin', '2026-03-20T12:00:00Z', 14, [], [], '2026-04-03T21:59:59Z'],
    ['summer time begins on that day', 'Europe/Berlin', '2026-03-22T12:00:00Z', 7, [], [], '2026-03-29T21:59:59Z'],
    ['summer time ends in between', 'Europe/Berlin', '2026-10-20T12:00:00Z', 14, [], [], '2026-11-03T22:59:59Z'],
    ['summer time ends on that day', 'Europe/Berlin', '2026-10-18T12:00:00Z', 7, [], [], '2026-10-25T22:59:59Z'],
    ['half an hour of summer time', 'Australia/Lord_Howe', '2026-09-28T12:00:00Z', 6, [], [], '2026-10-04T12:59:59Z'],
    ['the night after has no midnight', 'America/Sao_Paulo', '2018-10-27T12:00:00Z', 7, [], [], '2018-11-04T02:59:59Z'],
    ['the same in Cairo', 'Africa/Cairo', '2026-04-16T12:00:00Z', 7, [], [], '2026-04-23T21:59:59Z'],
    ['its last hour comes twice', 'America/Sao_Paulo', '2018-02-10T12:00:00Z', 7, [], [], '2018-02-18T02:59:59Z'],
    ['borrowed in the hour that comes twice, first', 'America/Sao_Paulo', '2018-02-18T01:30:00Z', 1, [], [], '2018-02-19T02:59:59Z'],
    ['and second', 'America/Sao_Paulo', '2018-02-18T02:30:00Z', 1, [], [], '2018-02-19T02:59:59Z'],
    ['the year ends', 'Europe/Berlin', '2026-12-20T12:00:00Z', 28, [], [], '2027-01-17T22:59:59Z'],
    ['a year with a leap day', 'UTC', '2027-12-31T12:00:00Z', 365, [], [], '2028-12-30T23:59:59Z'],
    ['on a leap day', 'UTC', '2028-02-01T12:00:00Z', 28, [], [], '2028-02-29T23:59:59Z'],
    ['the longest loan', 'UTC', '2026-11-15T12:00:00Z', 3650, [], [], '2036-11-12T23:59:59Z'],
    ['an open day stays', 'UTC', '2026-11-13T12:00:00Z', 7, weekend, [], '2026-11-20T23:59:59Z'],
    ['a closed weekday', 'UTC', '2026-11-15T12:00:00Z', 7, ['sunday'], [], '2026-11-23T23:59:59Z'],
    ['several in a row', 'UTC', '2026-11-14T12:00:00Z', 7, [...weekend, 'monday'], [], '2026-11-24T23:59:59Z'],
    ['all but one', 'UTC', '2026-11-15T12:00:00Z', 1, ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'], [], '2026-11-22T23:59:59Z'],
    ['a closed date', 'UTC', '2026-12-17T12:00:00Z', 7, [], ['2026-12-24'], '2026-12-25T23:59:59Z'],
    ['a date of another year is another one', 'UTC', '2026-12-17T12:00:00Z', 7, [], ['2025-12-24'], '2026-12-24T23:59:59Z'],
    ['dates and weekdays in turn', 'UTC', '2026-12-17T12:00:00Z', 7, weekend, from('2026-12-24', 2), '2026-12-28T23:59:59Z'],
    ['holidays of two weeks, and a weekend', 'Europe/Berlin', '2026-11-26T12:00:00Z', 28, weekend, from('2026-12-21', 14), '2027-01-04T22:59:59Z'],
    ['closed until summer time has begun', 'Europe/Berlin', '2026-03-21T12:00:00Z', 7, ['sunday'], ['2026-03-28'], '2026-03-30T21:59:59Z'],
    ['the closed day is that of the library', 'Pacific/Kiritimati', '2026-11-13T12:00:00Z', 7, ['sunday'], [], '2026-11-21T09:59:59Z'],
  ])('%s', (_, timeZone, now, days, closedWeekdays, closedDates, want) => {
    const rules = { ...usual, timeZone, loanDays: days, holdDays: days, closedWeekdays: [...closedWeekdays], closedDates };
    expect(dueOf(rules, Date.parse(now))?.instant).toBe(want);
    expect(heldUntil(rules, Date.parse(now)).instant).toBe(want);
  });

  test('a loan may have none', () => expect(dueOf({ ...usual, loanDays: 0 }, Date.now())).toBeUndefined());

  test('is never further than the closed days reach, and rules that close everything close nothing', () => {
    const closedWeekdays: Policy['closedWeekdays'] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    const closedDates = Array.from({ length: 400 }, (_, i) => addDays('2026-11-15', 7 * (i + 1)));
    const rules = { ...usual, loanDays: 1, closedWeekdays, closedDates };
    const now = Date.parse('2026-11-15T12:00:00Z');
    expect(dueOf(rules, now)?.day).toBe(addDays('2026-11-15', 7 * 401));
    closedWeekdays.push('sunday');
    expect(dueOf(rules, now)?.day).toBe('2026-11-16');
  });
});

describe('the rules in words', () => {
  const now = Date.parse('2026-11-14T12:00:00Z');
  const lead = (change: Partial<Policy>): string[] => [sayRules({ ...usual, ...change }, now, 'en', en.words).lead, sayRules({ ...usual, ...change }, now, 'de', de.words).lead];
  const more = (change: Partial<Policy>): string => sayRules({ ...usual, ...change }, now, 'en', en.words).more.join(' ');

  test.each<[Partial<Policy>, string, string]>([
    [{}, 'A book lent today is due on Saturday, 12 December, and can be renewed twice. A copy set aside today is kept until Saturday, 21 November.',
      'Ein heute ausgeliehenes Buch ist am Samstag, 12. Dezember, fällig und zweimal verlängerbar. Ein heute bereitgelegtes Exemplar kann bis Samstag, 21. November, abgeholt werden.'],
    [{ renewals: 0, loanDays: 60 }, 'A book lent today is due on Wednesday, 13 January 2027, and cannot be renewed. A copy set aside today is kept until Saturday, 21 November.',
      'Ein heute ausgeliehenes Buch ist am Mittwoch, 13. Januar 2027, fällig und nicht verlängerbar. Ein heute bereitgelegtes Exemplar kann bis Samstag, 21. November, abgeholt werden.'],
    [{ renewals: 1, closedWeekdays: [...weekend] }, 'A book lent today is due on Monday, 14 December, and can be renewed once. A copy set aside today is kept until Monday, 23 November.',
      'Ein heute ausgeliehenes Buch ist am Montag, 14. Dezember, fällig und einmal verlängerbar. Ein heute bereitgelegtes Exemplar kann bis Montag, 23. November, abgeholt werden.'],
    [{ loanDays: 0, renewals: 5 }, 'Books are lent without a due date. A copy set aside today is kept until Saturday, 21 November.',
      'Bücher werden ohne Rückgabetermin verliehen. Ein heute bereitgelegtes Exemplar kann bis Samstag, 21. November, abgeholt werden.'],
    [{ renewals: 12 }, 'A book lent today is due on Saturday, 12 December, and can be renewed 12 times. A copy set aside today is kept until Saturday, 21 November.',
      'Ein heute ausgeliehenes Buch ist am Samstag, 12. Dezember, fällig und 12-mal verlängerbar. Ein heute bereitgelegtes Exemplar kann bis Samstag, 21. November, abgeholt werden.'],
  ])('%j', (change, english, german) => expect(lead(change)).toEqual([english, german]));

  test.each<[Partial<Policy>, string]>([
    [{}, 'There is no limit on loans and reservations.'],
    [{ maxLoans: 5 }, 'Each reader can have up to 5 loans. There is no limit on reservations.'],
    [{ maxHolds: 1 }, 'Each reader can have up to 1 reservation. There is no limit on loans.'],
    [{ maxLoans: 1, maxHolds: 3 }, 'Each reader can have up to 1 loan and 3 reservations.'],
    [{ selfBorrow: false }, 'Books are borrowed at the desk.'],
    [{ selfReturn: false }, 'Books are returned at the desk.'],
    [{ selfBorrow: false, selfReturn: false }, 'Books are borrowed and returned at the desk.'],
    [{ blockOverdue: true }, 'Readers with overdue books cannot borrow or renew.'],
    [{}, 'Readers with overdue books can still borrow and renew.'],
    [{ historyDays: undefined }, 'Past loans are kept with the reader’s name.'],
    [{ historyDays: 0 }, 'The reader’s name is deleted from a loan as soon as the book is returned.'],
    [{ historyDays: 1 }, 'The reader’s name is deleted from a loan 1 day after the return.'],
    [{ closedWeekdays: ['sunday', 'monday'] }, 'Closed every Monday and Sunday.'],
    [{ closedWeekdays: ['saturday'] }, 'The library is closed on Saturday, 21 November and Saturday, 12 December, so the next open day counts.'],
    [{ timeZone: 'Europe/Berlin' }, 'All dates are in the time zone Europe/Berlin.'],
  ])('%j: %s', (change, want) => expect(more(change)).toContain(want));

  test('what makes no sense without a due date is not said', () => {
    expect(more({ loanDays: 0 })).not.toMatch(/overdue/);
  });

  test('one closed day is named once', () => {
    expect(more({ closedDates: ['2026-12-12', '2026-11-21'] })).toContain('The library is closed on Saturday, 21 November and Saturday, 12 December, so the next open day counts.');
    expect(more({ loanDays: 7, closedDates: ['2026-11-21'] }).match(/closed on/g)).toHaveLength(1);
  });
});

test('past closed days are counted, and today is not past', () => {
  expect(upcoming(['2026-12-24', '2026-11-13', '2026-11-14', '2026-12-25'], '2026-11-14')).toEqual({
    later: [{ from: '2026-11-14', to: '2026-11-14' }, { from: '2026-12-24', to: '2026-12-25' }],
    past: 1,
  });
});

test('the limits of the form are those of the contract file', () => {
  const schema = contract.slice(contract.indexOf('\n    Policy:\n      description'), contract.indexOf('\n    PolicyInput:') + 6);
  const number = (property: string, keyword: string): number => {
    const fields = schema.slice(schema.indexOf(`\n        ${property}:`) + 1);
    const one = fields.slice(0, 1 + fields.slice(1).search(/\n {0,8}\w/));
    return Number(new RegExp(`\\b${keyword}: (\\d+)`).exec(one)?.[1]);
  };
  for (const [property, [least, most]] of Object.entries(policyLimits.numbers)) {
    expect([number(property, 'minimum'), number(property, 'maximum')], property).toEqual([least, most]);
  }
  expect(policyLimits.closedDates).toBe(number('closedDates', 'maxItems'));
});
