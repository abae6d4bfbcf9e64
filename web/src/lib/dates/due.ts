import type { Language } from '../text/language';

/** What it takes to say a day: where the library is, when now is, and for whom. */
export interface Where {
  /** An IANA name. */
  zone: string;
  now: number;
  language: Language;
}

/** The words that `Intl` does not have. */
export interface DueWords {
  /** Before “today” and “tomorrow”. */
  due: (day: string) => string;
  /** Before the name of a day. */
  dueOn: (day: string) => string;
  overdue: { one: string; other: string };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format, made once: a list has many dates. A zone that the browser does not know is taken for UTC. */
function format(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = tag + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    try {
      made = new Intl.DateTimeFormat(tag, options);
    } catch {
      made = new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
    }
    formats.set(key, made);
  }
  return made;
}

const tags = { en: 'en-GB', de: 'de' };

/** The day of an instant in a zone, as `2026-12-12`. */
export function dayOf(instant: string | number, zone: string): string {
  return format('sv', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(instant));
}

/** How many days of the zone there are from now to the day of an instant; 0 is today, -1 was yesterday. */
export function daysUntil(instant: string | number, { zone, now }: Where): number {
  const start = (at: string | number): number => Date.parse(dayOf(at, zone)); // as if in UTC, where no day is shorter or longer
  return Math.round((start(instant) - start(now)) / 86_400_000);
}

/** A day in full: “Friday, 12 December”, with the year if it is another one. */
export function sayDate(instant: string | number, { zone, now, language }: Where): string {
  const tag = tags[language];
  const year = dayOf(instant, zone).slice(0, 4) === dayOf(now, zone).slice(0, 4) ? undefined : 'numeric';
  const weekday = format(tag, { timeZone: zone, weekday: 'long' }).format(new Date(instant));
  // Put together by hand: browsers do not agree on the comma.
  return `${weekday}, ${format(tag, { timeZone: zone, day: 'numeric', month: 'long', year }).format(new Date(instant))}`;
}

/** A day as a person says it: “tomorrow”, “Friday”, “Friday, 12 December”. */
export function sayDay(instant: string | number, where: Where): string {
  const days = daysUntil(instant, where);
  if (Math.abs(days) < 2) return new Intl.RelativeTimeFormat(where.language, { numeric: 'auto' }).format(days, 'day');
  if (days < 0 || days > 6) return sayDate(instant, where);
  return format(tags[where.language], { timeZone: where.zone, weekday: 'long' }).format(new Date(instant));
}

/** By how many days something is overdue; 0 if it is not. */
export function daysOverdue(dueAt: string, where: Where): number {
  return Date.parse(dueAt) < where.now ? Math.max(1, -daysUntil(dueAt, where)) : 0;
}

/** When something is due: “Due tomorrow”, “Due Friday, 12 December”, “3 days overdue”. */
export function sayDue(dueAt: string, where: Where, words: DueWords): string {
  const late = daysOverdue(dueAt, where);
  if (late > 0) {
    const { overdue } = words;
    return (late === 1 ? overdue.one : overdue.other).replace('#', late.toLocaleString(where.language));
  }
  return (daysUntil(dueAt, where) < 2 ? words.due : words.dueOn)(sayDay(dueAt, where));
}
