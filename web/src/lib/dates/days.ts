import { dayOf } from './due';

// Days are written as the API writes them: 2026-12-24. They are counted in UTC, where no day is shorter or longer.

const oneDay = 86_400_000;

/** The days of the week as the API names them, from Monday on. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

const text = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether a text is a day that the calendar has. */
export function isDay(day: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return false;
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && text(ms) === day;
}

export function addDays(day: string, n: number): string {
  return text(Date.parse(day) + n * oneDay);
}

/** Some months later: the same day of the month, or its last one. */
export function addMonths(day: string, n: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + n, 0));
  return text(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(date, last.getUTCDate())));
}

/** How many days a is before b. */
export function daysBetween(a: string, b: string): number {
  return Math.round((Date.parse(b) - Date.parse(a)) / oneDay);
}

/** 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(day).getUTCDay() + 6) % 7;
}

/** The first day of the month. */
export const monthOf = (day: string): string => day.slice(0, 8) + '01';

/** The weeks of a month, from Monday to Sunday, with the days of other months that they begin and end with. */
export function monthGrid(day: string): string[][] {
  const first = monthOf(day);
  const monday = addDays(first, -weekdayOf(first));
  const weeks: string[][] = [];
  for (let at = monday; weeks.length === 0 || monthOf(at) === first; at = addDays(at, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, i) => addDays(at, i)));
  }
  return weeks;
}

/** Days that follow one another, both included. */
export interface Range {
  from: string;
  to: string;
}

/** Puts days in order and those that follow one another together. */
export function ranges(days: readonly string[]): Range[] {
  const out: Range[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = out.at(-1);
    if (last && addDays(last.to, 1) === day) last.to = day;
    else out.push({ from: day, to: day });
  }
  return out;
}

/** Every day of a range. */
export function daysOf({ from, to }: Range): string[] {
  return Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, i) => addDays(from, i));
}

/**
 * The instant at which a day begins in a time zone, as the library counts it. That is not
 * always midnight: where clocks are put forward at midnight, the day begins at one o'clock;
 * where they are put back to the day before, it begins when midnight comes for the second time.
 */
export function beginOf(day: string, zone: string): number {
  const quarter = 900_000;
  let after = Date.parse(day) + 36 * 3_600_000; // nowhere is it earlier than on this day
  while (dayOf(after - quarter, zone) >= day) after -= quarter;
  let before = after - quarter; // the day begins after this, and not after the other
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (dayOf(middle, zone) >= day) after = middle;
    else before = middle;
  }
  return after;
}

/** The last second of a day in a time zone. */
export const endOf = (day: string, zone: string): number => beginOf(addDays(day, 1), zone) - 1000;
