import type { Policy } from '../api/api';
import { addDays, endOf, ranges, weekdayOf, weekdays, type Range } from '../dates/days';
import { dayOf, sayDate, type Where } from '../dates/due';
import type { Language } from '../text/language';

/** What the rules say about when something ends. */
export type Times = Pick<Policy, 'loanDays' | 'holdDays' | 'timeZone' | 'closedWeekdays' | 'closedDates'>;

function closed(rules: Times, day: string): boolean {
  return rules.closedDates.includes(day) || rules.closedWeekdays.includes(weekdays[weekdayOf(day)] ?? 'monday');
}

/** The first day from the given one on that is not closed. One day of each week is open, and a closed date closes one of those at most. */
function openDay(rules: Times, day: string): string {
  const furthest = 7 * (rules.closedDates.length + 1);
  for (let i = 0; i < furthest; i++) {
    const later = addDays(day, i);
    if (!closed(rules, later)) return later;
  }
  return day;
}

/** When something ends that begins now, and the closed day on which it would have ended. */
export interface End {
  day: string;
  instant: string;
  closed?: string;
}

/** The end of the day that is some days after today, or of the next one on which the library is open. */
function endAfter(rules: Times, now: number, days: number): End {
  const planned = addDays(dayOf(now, rules.timeZone), days);
  const day = openDay(rules, planned);
  const instant = new Date(endOf(day, rules.timeZone)).toISOString().replace('.000Z', 'Z');
  return day === planned ? { day, instant } : { day, instant, closed: planned };
}

/** When what is lent now is due; nothing if loans have no due date. */
export const dueOf = (rules: Times, now: number): End | undefined => (rules.loanDays === 0 ? undefined : endAfter(rules, now, rules.loanDays));

/** Until when a copy waits that is set aside now. */
export const heldUntil = (rules: Times, now: number): End => endAfter(rules, now, rules.holdDays);

const tags = { en: 'en-GB', de: 'de' };

export interface Forms {
  one: string;
  other: string;
}

/** What `Intl` does not say; `#` stands for a number. */
export interface RuleWords {
  lentUntil: (day: string, renewed: string) => string;
  lent: string;
  renewed: { none: string; once: string; twice: string; times: string };
  setAside: (day: string) => string;
  moved: (day: string) => string;
  limits: {
    none: string;
    loans: Forms;
    holds: Forms;
    both: (loans: string, holds: string) => string;
    onlyLoans: (loans: string) => string;
    onlyHolds: (holds: string) => string;
  };
  blocked: string;
  notBlocked: string;
  forgotten: Forms;
  forgottenAtOnce: string;
  kept: string;
  deskOnly: { both: string; lends: string; takesBack: string };
  closedWeekly: (days: string) => string;
  zone: (name: string) => string;
}

/** The rules in sentences: those that the desk explains, and the rest. */
export interface Said {
  lead: string;
  more: string[];
}

export function sayRules(rules: Policy, now: number, language: Language, words: RuleWords): Said {
  const where: Where = { zone: rules.timeZone, now, language };
  const plurals = new Intl.PluralRules(language);
  const count = (n: number, forms: Forms): string => (plurals.select(n) === 'one' ? forms.one : forms.other).replace('#', n.toLocaleString(language));
  const list = (parts: string[]): string => new Intl.ListFormat(tags[language], { type: 'conjunction' }).format(parts);
  const due = dueOf(rules, now);
  const held = heldUntil(rules, now);
  const lead = [
    due ? words.lentUntil(sayDate(due.instant, where), sayRenewals(rules.renewals, language, words)) : words.lent,
    words.setAside(sayDate(held.instant, where)),
  ];
  const moved = [...new Set([due?.closed, held.closed])].filter((day) => day !== undefined);
  const more = moved.length > 0 ? [words.moved(list(moved.sort().map((day) => sayDay(day, where))))] : [];
  const { limits } = words;
  const loans = rules.maxLoans > 0 && count(rules.maxLoans, limits.loans);
  const holds = rules.maxHolds > 0 && count(rules.maxHolds, limits.holds);
  more.push(loans && holds ? limits.both(loans, holds) : loans ? limits.onlyLoans(loans) : holds ? limits.onlyHolds(holds) : limits.none);
  if (due) more.push(rules.blockOverdue ? words.blocked : words.notBlocked);
  if (!rules.selfBorrow) more.push(rules.selfReturn ? words.deskOnly.lends : words.deskOnly.both);
  else if (!rules.selfReturn) more.push(words.deskOnly.takesBack);
  const { historyDays } = rules;
  more.push(historyDays === undefined ? words.kept : historyDays === 0 ? words.forgottenAtOnce : count(historyDays, words.forgotten));
  const weekly = weekdays.filter((name) => rules.closedWeekdays.includes(name));
  if (weekly.length > 0) more.push(words.closedWeekly(list(weekly.map((name) => weekdayName(name, language)))));
  more.push(words.zone(rules.timeZone));
  return { lead: lead.join(' '), more };
}

function sayRenewals(n: number, language: Language, { renewed }: RuleWords): string {
  if (n < 3) return [renewed.none, renewed.once, renewed.twice][n] ?? renewed.none;
  return renewed.times.replace('#', n.toLocaleString(language));
}

const some = (day: string, language: Language, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(tags[language], { ...options, timeZone: 'UTC' }).format(new Date(day));

/** “Sunday”; the first week of 2024 began on a Monday. */
export function weekdayName(name: (typeof weekdays)[number], language: Language, style: 'long' | 'short' = 'long'): string {
  return some(addDays('2024-01-01', weekdays.indexOf(name)), language, { weekday: style });
}

/** “Thursday, 24 December”, with the year if it is another one. */
export function sayDay(day: string, { zone, now, language }: Where): string {
  return sayDate(day, { zone: 'UTC', now: Date.parse(dayOf(now, zone)), language });
}

/** “December 2026” */
export const sayMonth = (day: string, language: Language, style: 'long' | 'short' = 'long'): string => some(day, language, { month: style, year: 'numeric' });

/** “24 Dec” */
export const sayShort = (day: string, language: Language): string => some(day, language, { day: 'numeric', month: 'short' });

/** “24 December 2026” */
export const sayFull = (day: string, language: Language): string => some(day, language, { day: 'numeric', month: 'long', year: 'numeric' });

/** The closed dates of today and later as ranges, and how many are past. */
export function upcoming(dates: readonly string[], today: string): { later: Range[]; past: number } {
  const later = dates.filter((day) => day >= today);
  return { later: ranges(later), past: dates.length - later.length };
}

/** “Thursday, 24 December to Friday, 1 January 2027” */
export function sayRange({ from, to }: Range, where: Where, words: (from: string, to: string) => string): string {
  return from === to ? sayDay(from, where) : words(sayDay(from, where), sayDay(to, where));
}
