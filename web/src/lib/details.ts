import type { StaffMessages } from '../messages/en.staff';
import type { ImportResult } from './api';
import type { Detail } from './problem';

/** What is wrong with a field, in the reader's language. For a code that we do not know, the server's words are shown. */
export function detailText({ field, code, limit, least = 1, message }: Detail, t: StaffMessages, number: (n: number) => string): string {
  const [, name = field, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(field) ?? [];
  const labels: Record<string, unknown> = t.form;
  const label = typeof labels[name] === 'string' ? labels[name] : name;
  const place = index === undefined ? label : `${label} (${number(Number(index) + 1)})`;
  const known: string | undefined = t.details[code];
  return `${place} ${known?.replace('*', number(least)).replace('#', limit === undefined ? '' : number(limit)) ?? message}`;
}

/** Why a row of a file was not imported, or differs; '' if neither. */
export function rowText({ outcome, code, message, details = [] }: ImportResult, t: StaffMessages, number: (n: number) => string): string {
  if (outcome !== 'invalid' && outcome !== 'differs') return '';
  const known = t.import.unreadable[code as keyof StaffMessages['import']['unreadable']];
  if (known) return known;
  if (code === 'ambiguous_book' && details.length === 0) return t.import.crowded;
  if (code === 'ambiguous_book' && details.some((d) => d.code === 'candidate')) return t.import.ambiguous;
  if (details.length > 0) return details.map((d) => detailText(d, t, number)).join('; ');
  return outcome === 'differs' ? t.import.differs : (message ?? '');
}
