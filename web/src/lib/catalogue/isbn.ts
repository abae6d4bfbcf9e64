/** What an ISBN looks like to us. The library takes any text; we only say so. */
export type IsbnCheck = 'empty' | 'good' | 'length' | 'digit';

/** The ISBN without hyphens (of any kind) and spaces. */
export function compactIsbn(text: string): string {
  return text.replace(/[\s\-\u2010-\u2015\u2212]/g, '').toUpperCase();
}

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

/**
 * What to ask the server for. It looks for words, and takes an ISBN as one word:
 * typed with spaces it would be five. So an ISBN goes out in one piece.
 */
export function searchWords(typed: string): string {
  const text = typed.trim().replace(/\s+/g, ' ');
  return /^[\dXx\s\-\u2010-\u2015\u2212]{10,}$/.test(text) ? compactIsbn(text) : text;
}
