import type { StaffMessages } from '../messages/en.staff';
import type { Detail } from './problem';

/**
 * What is wrong with a field, in the reader's language. The library says it in
 * English; what we do not know stays as it is.
 */
export function detailWords({ field, message }: Detail, t: StaffMessages, number: (n: number) => string): string {
  const [, name = field, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(field) ?? [];
  const labels: Record<string, unknown> = { ...t.form, ...t.details };
  const label = typeof labels[name] === 'string' ? labels[name] : name;
  const place = index === undefined ? label : `${label} (${number(Number(index) + 1)})`;
  return `${place} ${said(message, t, number)}`;
}

function said(message: string, { details }: StaffMessages, number: (n: number) => string): string {
  const fixed: Record<string, string> = {
    'is required': details.required,
    'is not an e-mail address': details.email,
    'is not a UUID of 36 characters': details.uuid,
    'is different in the library': details.different,
    'is different there': details.contrary,
  };
  const [, kind, most] = /^(is longer|has more) than (\d+) (?:characters|entries)$/.exec(message) ?? [];
  if (kind && most) return (kind === 'is longer' ? details.long : details.many)(number(Number(most)));
  return fixed[message] ?? message;
}
