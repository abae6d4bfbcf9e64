import type { Hold } from '../api/api';
import type { components } from '../api/schema';
import { addDays, addMonths, isDay, monthOf } from '../dates/days';
import type { Language } from '../text/language';
import { sayFull, sayMonth, sayShort } from '../rules/rules';

export type Statistics = components['schemas']['Statistics'];
export type Period = components['schemas']['Period'];
export type By = 'day' | 'week' | 'month';
export const intervals: readonly By[] = ['day', 'week', 'month'];

/** How many periods the library counts at once. */
export const mostPeriods = 400;

/** The time that statistics are about, as it is in the address. What is left out is the library's to choose. */
export interface Time {
  by: By;
  from?: string;
  to?: string;
}

export function parseTime(search: string): Time {
  const given = new URLSearchParams(search);
  const day = (name: string): string | undefined => {
    const text = given.get(name) ?? '';
    return isDay(text) ? text : undefined;
  };
  return { by: intervals.find((one) => one === given.get('by')) ?? 'month', from: day('from'), to: day('to') };
}

export function timeQuery({ by, from, to }: Time): string {
  const out = new URLSearchParams();
  if (by !== 'month') out.set('by', by);
  if (from) out.set('from', from);
  if (to) out.set('to', to);
  const text = out.toString();
  return text === '' ? '' : '?' + text;
}

/** Both days of a time, with what the library takes for those that are left out. */
export function wholeTime({ by, from, to = '' }: Time, today: string): Required<Time> {
  const last = to || today;
  return { by, from: from ?? monthOf(addMonths(last, -11)), to: last };
}

export type Preset = 'months' | 'weeks' | 'monthDays';
export const presets: readonly Preset[] = ['months', 'weeks', 'monthDays'];

/** Times that are often asked for; all of them end today. */
export function presetTime(preset: Preset, today: string): Time {
  if (preset === 'months') return { by: 'month' };
  if (preset === 'monthDays') return { by: 'day', from: addDays(today, -29) };
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  return { by: 'week', from: addDays(monday, -77) };
}

/** The numbers at an axis that begins at 0: whole ones, round ones, and not many. */
export function ticks(largest: number, most = 5): number[] {
  const about = Math.max(1, largest) / most;
  const power = 10 ** Math.floor(Math.log10(about));
  const step = Math.max(1, ([1, 2, 5, 10].find((n) => n * power >= about) ?? 10) * power);
  const out = [0];
  while ((out.at(-1) ?? 0) < largest) out.push((out.at(-1) ?? 0) + step);
  return out.length > 1 ? out : [0, 1];
}

/** A period as it is said: “November 2026”, “16 November 2026”. */
export const sayPeriod = (from: string, by: By, language: Language): string => (by === 'month' ? sayMonth(from, language) : sayFull(from, language));

/** A period as it is written at an axis: “Nov”, “16 Nov”. */
export const shortPeriod = (from: string, by: By, language: Language): string =>
  by === 'month' ? sayMonth(from, language, 'short').replace(/\s*\d{4}$/, '') : sayShort(from, language);

export interface Label {
  index: number;
  text: string;
  /** Where the year is another one than that of the label before. */
  year?: string;
}

/** Which periods are named at the axis: as many as there is room for. */
export function labels(periods: readonly Period[], by: By, band: number, room: number, language: Language): Label[] {
  const every = Math.max(1, Math.ceil(room / band));
  let year = '';
  return periods.flatMap(({ from }, index) => {
    if (index % every !== 0 || (index > 0 && (periods.length - index) * band < room / 2)) return [];
    const now = from.slice(0, 4);
    const label = { index, text: shortPeriod(from, by, language), ...(now === year ? {} : { year: now }) };
    year = now;
    return [label];
  });
}

/** The sums, and the period with the most loans. */
export function totals(periods: readonly Period[]): { loans: number; returns: number; best?: Period } {
  let best: Period | undefined;
  let [loans, returns] = [0, 0];
  for (const period of periods) {
    loans += period.loans;
    returns += period.returns;
    if (period.loans > (best?.loans ?? 0)) best = period;
  }
  return { loans, returns, best };
}

/** The line along the tops of the periods. */
export function steps(values: readonly number[], x: (index: number) => number, y: (value: number) => number): string {
  return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${round(x(i))} ${round(y(value))}H${round(x(i + 1))}`).join('');
}

const round = (n: number): number => Math.round(n * 10) / 10;

export interface Queue {
  book: Hold['book'];
  waiting: number;
  ready: number;
}

/** The queues of books, the longest first. */
export function queuesOf(holds: readonly Hold[]): Queue[] {
  const all = new Map<string, Queue>();
  for (const { book, state } of holds) {
    const key = book.identifier ?? book.title;
    const queue = all.get(key) ?? { book, waiting: 0, ready: 0 };
    all.set(key, queue);
    if (state === 'waiting') queue.waiting++;
    else if (state === 'ready') queue.ready++;
  }
  return [...all.values()].sort((a, b) => b.waiting - a.waiting || b.ready - a.ready || a.book.title.localeCompare(b.book.title));
}
