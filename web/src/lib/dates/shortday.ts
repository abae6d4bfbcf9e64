import { dates } from './dates.svelte';
import { dayOf } from './due';
import { i18n } from '../text/i18n.svelte';

const formats = new Map<string, Intl.DateTimeFormat>();

/** A day in a column of days: “12 Dec”, with the year if it is another one. */
export function shortDay(instant: string): string {
  const { zone, now } = dates.where;
  const day = dayOf(instant, zone);
  const year = day.slice(0, 4) === dayOf(now, zone).slice(0, 4) ? undefined : 'numeric';
  const tag = i18n.language === 'en' ? 'en-GB' : i18n.language;
  const key = `${tag} ${year}`;
  // Made once: a list has many days, and a format takes its time.
  const format = formats.get(key) ?? new Intl.DateTimeFormat(tag, { timeZone: 'UTC', day: 'numeric', month: 'short', year });
  formats.set(key, format);
  return format.format(new Date(day));
}
