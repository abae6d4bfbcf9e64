import type { Policy } from '../api/api';
import { ranges, weekdays, daysOf, type Range } from '../dates/days';
import { isZone } from '../dates/zones';
import { policyLimits, whole, type NumberField } from './limits';
import { ruleOf, typedRule, type TypedRule } from './typedrule';

const numberFields = Object.keys(policyLimits.numbers) as NumberField[];

/** The rules as they are typed. Fields have the names that the library gives them in its answers. */
export type RuleValues = Record<NumberField, string> & {
  etag: string;
  blockOverdue: boolean;
  selfBorrow: boolean;
  selfReturn: boolean;
  noticeWanted: boolean;
  /** Past loans keep the person; then `historyDays` does not count. */
  kept: boolean;
  timeZone: string;
  /** As `08:00`. */
  noticeTime: string;
  /** As `1, 7, 21`. */
  overdueDays: string;
  locale: Policy['locale'];
  noteEn: string;
  noteDe: string;
  closedWeekdays: Policy['closedWeekdays'];
  closedDates: string[];
  rules: TypedRule[];
};

export function valuesOf(policy: Policy, etag: string): RuleValues {
  const { loanDays, renewals, maxLoans, maxHolds, holdDays, historyDays, dueSoonDays } = policy;
  return {
    etag,
    loanDays: String(loanDays),
    renewals: String(renewals),
    maxLoans: String(maxLoans),
    maxHolds: String(maxHolds),
    holdDays: String(holdDays),
    historyDays: String(historyDays ?? 365),
    dueSoonDays: String(dueSoonDays),
    overdueDays: policy.overdueDays.join(', '),
    locale: policy.locale,
    blockOverdue: policy.blockOverdue,
    selfBorrow: policy.selfBorrow,
    selfReturn: policy.selfReturn,
    noticeWanted: policy.noticeWanted,
    kept: historyDays === undefined,
    timeZone: policy.timeZone,
    noticeTime: policy.noticeTime ?? usualTime,
    noteEn: policy.mailNote?.en ?? '',
    noteDe: policy.mailNote?.de ?? '',
    closedWeekdays: weekdays.filter((day) => policy.closedWeekdays.includes(day)),
    closedDates: [...policy.closedDates].sort(),
    rules: policy.rules.map(typedRule),
  };
}

const usualTime = '08:00';
const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
const length = (text: string): number => [...text].length;

const within = (n: number, [least, most]: readonly [number, number]): boolean => n >= least && n <= most;

/** The days after the due date that were typed, in order and each once; nothing if one cannot be read. */
function overdueDaysOf(text: string): number[] | undefined {
  const days = [...new Set(text.split(/[\s,;]+/).filter(Boolean).map(whole))].sort((a, b) => a - b);
  const { each, most } = policyLimits.overdueDays;
  return days.length <= most && days.every((day) => within(day, each)) ? days : undefined;
}

/** Whether a loan is due soon from its first day on, so that every loan brings a reminder at once. */
export const remindsAtOnce = ({ loanDays, dueSoonDays }: Pick<RuleValues, 'loanDays' | 'dueSoonDays'>): boolean => whole(loanDays) > 0 && whole(dueSoonDays) >= whole(loanDays);

/** The words for what is wrong. */
export interface RuleErrors {
  range: (least: number, most: number) => string;
  zone: string;
  time?: string;
  overdue?: (most: number, least: number, last: number) => string;
  note?: (most: number) => string;
  week: string;
  tooMany: (most: number) => string;
}

/** What the library would refuse. */
export function checkRules(values: RuleValues, say: RuleErrors): Partial<Record<keyof RuleValues, string>> {
  const errors: Partial<Record<keyof RuleValues, string>> = {};
  for (const name of numberFields) {
    const limit = policyLimits.numbers[name];
    if (name === 'historyDays' && values.kept) continue;
    if (!within(whole(values[name]), limit)) errors[name] = say.range(limit[0], limit[1]);
  }
  if (!isZone(values.timeZone.trim())) errors.timeZone = say.zone;
  const { each, most } = policyLimits.overdueDays;
  if (!overdueDaysOf(values.overdueDays)) errors.overdueDays = say.overdue?.(most, each[0], each[1]) ?? '';
  if (!isTime(values.noticeTime)) errors.noticeTime = say.time ?? '';
  for (const name of ['noteEn', 'noteDe'] as const) {
    if (length(values[name].trim()) > policyLimits.mailNote) errors[name] = say.note?.(policyLimits.mailNote) ?? '';
  }
  if (values.closedWeekdays.length > 6) errors.closedWeekdays = say.week;
  if (values.closedDates.length > policyLimits.closedDates) errors.closedDates = say.tooMany(policyLimits.closedDates);
  return errors;
}

/** The rules that were typed. What cannot be read is taken from `otherwise`, as the sentences go on while somebody types, and so is what the form does not show. */
export function policyOf(values: RuleValues, otherwise: Policy): Policy {
  const number = (name: NumberField): number => {
    const typed = whole(values[name]);
    return within(typed, policyLimits.numbers[name]) ? typed : (otherwise[name] ?? policyLimits.numbers[name][0]);
  };
  const zone = values.timeZone.trim();
  return {
    ...otherwise,
    loanDays: number('loanDays'),
    renewals: number('renewals'),
    maxLoans: number('maxLoans'),
    maxHolds: number('maxHolds'),
    blockOverdue: values.blockOverdue,
    selfBorrow: values.selfBorrow,
    selfReturn: values.selfReturn,
    noticeWanted: values.noticeWanted,
    holdDays: number('holdDays'),
    historyDays: values.kept ? undefined : number('historyDays'),
    timeZone: isZone(zone) ? zone : otherwise.timeZone,
    noticeTime: isTime(values.noticeTime) && values.noticeTime !== (otherwise.noticeTime ?? usualTime) ? values.noticeTime : otherwise.noticeTime,
    dueSoonDays: number('dueSoonDays'),
    overdueDays: overdueDaysOf(values.overdueDays) ?? otherwise.overdueDays,
    locale: values.locale,
    mailNote: noteOf(values),
    closedWeekdays: [...values.closedWeekdays],
    closedDates: [...values.closedDates],
    rules: values.rules.map(ruleOf),
  };
}

/** The library's own words; a language without any is left out. */
function noteOf({ noteEn, noteDe }: RuleValues): Policy['mailNote'] {
  const [en, de] = [noteEn.trim() || undefined, noteDe.trim() || undefined];
  return en || de ? { ...(en && { en }), ...(de && { de }) } : undefined;
}

/** Closes all days of a range, or opens all of them. */
export function setRange(dates: readonly string[], range: Range, closed: boolean): string[] {
  const days = daysOf(range);
  const others = dates.filter((day) => day < range.from || day > range.to);
  return [...others, ...(closed ? days : [])].sort();
}

/** The ranges of days in a text for a comparison, one per line. */
export const rangesIn = (dates: readonly string[], say: (range: Range) => string): string => ranges(dates).map(say).join('\n');
