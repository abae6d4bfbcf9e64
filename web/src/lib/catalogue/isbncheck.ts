import { compactIsbn } from './isbn';

/** What an ISBN looks like to us. The library takes any text; we only say so. */
export type IsbnCheck = 'empty' | 'good' | 'length' | 'digit';

export function checkIsbn(text: string): IsbnCheck {
  const s = compactIsbn(text);
  if (s === '') return 'empty';
  if (/^\d{9}[\dX]$/.test(s)) return s[9] === digit10(s) ? 'good' : 'digit';
  if (/^\d{13}$/.test(s)) return s[12] === digit13(s) ? 'good' : 'digit';
  return 'length';
}

function digit10(s: string): string {
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += (10 - i) * Number(s[i]);
  const d = (11 - (sum % 11)) % 11;
  return d < 10 ? String(d) : 'X';
}

function digit13(s: string): string {
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += Number(s[i]) * (i % 2 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
}
