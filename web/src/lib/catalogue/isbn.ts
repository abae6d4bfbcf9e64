/** The ISBN without hyphens (of any kind) and spaces. */
export function compactIsbn(text: string): string {
  return text.replace(/[\s\-\u2010-\u2015\u2212]/g, '').toUpperCase();
}

/**
 * What to ask the server for. It looks for words, and takes an ISBN as one word:
 * typed with spaces it would be five. So an ISBN goes out in one piece.
 */
export function searchWords(typed: string): string {
  const text = typed.trim().replace(/\s+/g, ' ');
  return /^[\dXx\s\-\u2010-\u2015\u2212]{10,}$/.test(text) ? compactIsbn(text) : text;
}
