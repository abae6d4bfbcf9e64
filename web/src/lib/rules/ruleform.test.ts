import { expect, test } from 'vitest';
import type { Policy } from '../api/api';
import { checkRules, policyOf, remindsAtOnce, setRange, valuesOf, type RuleValues } from './ruleform';

const usual: Policy = {
  loanDays: 28, renewals: 2, maxLoans: 0, maxHolds: 0, blockOverdue: false, holdDays: 7, historyDays: 365,
  timeZone: 'UTC', closedWeekdays: [], closedDates: [], dueSoonDays: 3, overdueDays: [1, 7, 21],
  selfBorrow: true, selfReturn: true, noticeWanted: false, locale: 'en', rules: [],
};
const kept: Policy = { ...usual, closedWeekdays: ['sunday'], closedDates: ['2026-12-24'] };
delete kept.historyDays;
const say = {
  range: (least: number, most: number) => `${least}–${most}`,
  zone: 'zone', week: 'week', overdue: () => 'overdue', tooMany: (most: number) => `at most ${most}`,
};

test.each([usual, kept])('what is read is what is sent, if nobody types', (policy) => {
  const values = valuesOf(policy, '"1"');
  expect(policyOf(values, usual)).toEqual(policy);
  expect(checkRules(values, say)).toEqual({});
});

test.each<[Partial<RuleValues>, object]>([
  [{ loanDays: '3651' }, { loanDays: '0–3650' }],
  [{ loanDays: '' }, { loanDays: '0–3650' }],
  [{ loanDays: '-1' }, { loanDays: '0–3650' }],
  [{ loanDays: '2.5', holdDays: '0' }, { loanDays: '0–3650', holdDays: '1–60' }],
  [{ loanDays: '1e3' }, { loanDays: '0–3650' }],
  [{ loanDays: ' 14 ' }, {}],
  [{ historyDays: 'x' }, { historyDays: '0–3650' }],
  [{ historyDays: 'x', kept: true }, {}],
  [{ timeZone: 'Gotham' }, { timeZone: 'zone' }],
  [{ timeZone: ' Asia/Kolkata ' }, {}],
  [{ closedWeekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] }, { closedWeekdays: 'week' }],
  [{ dueSoonDays: '31' }, { dueSoonDays: '0–30' }],
  [{ overdueDays: '0' }, { overdueDays: 'overdue' }],
  [{ overdueDays: '1, 2, 3, 4, 5, 6' }, { overdueDays: 'overdue' }],
  [{ overdueDays: ' 21 7,7;1 ' }, {}],
  [{ closedDates: Array.from({ length: 401 }, () => '2026-12-24') }, { closedDates: 'at most 400' }],
])('%j is wrong in %j', (change, wrong) => expect(checkRules({ ...valuesOf(usual, ''), ...change }, say)).toEqual(wrong));

test('while somebody types, what cannot be read is as it was', () => {
  const typing = { ...valuesOf(usual, ''), loanDays: '', holdDays: '99', timeZone: 'Europe/Ber' };
  expect(policyOf(typing, usual)).toEqual(usual);
});

test('what the form does not show stays as it was read', () => {
  const read: Policy = { ...usual, dueSoonDays: 9, overdueDays: [2, 14] };
  expect(policyOf({ ...valuesOf(read, ''), loanDays: '14' }, read)).toEqual({ ...read, loanDays: 14 });
});

test('days of reminders are read in order, each once, and none is none', () => {
  expect(policyOf({ ...valuesOf(usual, ''), dueSoonDays: '5', overdueDays: ' 21 7,7;1 ', locale: 'de' }, usual)).toEqual({ ...usual, dueSoonDays: 5, overdueDays: [1, 7, 21], locale: 'de' });
  expect(policyOf({ ...valuesOf(usual, ''), overdueDays: '' }, usual).overdueDays).toEqual([]);
});

test.each([['3', '3', true], ['2', '3', true], ['4', '3', false], ['0', '3', false], ['28', '0', false]])('%s days of a loan and a reminder %s before: at once %s', (loanDays, dueSoonDays, at) =>
  expect(remindsAtOnce({ loanDays, dueSoonDays })).toBe(at));

test('ranges close and open in one go, and no day is there twice', () => {
  const closed = setRange(['2026-12-25', '2026-11-01'], { from: '2026-12-24', to: '2026-12-26' }, true);
  expect(closed).toEqual(['2026-11-01', '2026-12-24', '2026-12-25', '2026-12-26']);
  expect(setRange(closed, { from: '2026-12-25', to: '2027-12-31' }, false)).toEqual(['2026-11-01', '2026-12-24']);
});

test('the time of reminders and the own words are kept, and sent only if there are any', () => {
  const read: Policy = { ...usual, noticeTime: '07:30', mailNote: { de: 'Mo–Fr 10–18 Uhr' } };
  expect(policyOf(valuesOf(read, ''), read)).toEqual(read);
  expect(policyOf({ ...valuesOf(read, ''), noteDe: ' ', noticeTime: '09:00' }, read)).toEqual({ ...usual, noticeTime: '09:00' });
  expect(checkRules({ ...valuesOf(read, ''), noticeTime: '', noteEn: 'x'.repeat(1001) }, { ...say, time: 'a time', note: (most) => `at most ${most}` })).toEqual({ noticeTime: 'a time', noteEn: 'at most 1000' });
});
