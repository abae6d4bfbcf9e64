import type { Loan } from '../api/api';

/** How many loans are searched at most: those that are due first. */
export const searchedLoans = 5000;

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
const wordsOf = (text: string): string[] => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** The loans of which every word begins a word of the reader, the title or the authors, or whose barcode begins with the question. */
export function matching(loans: readonly Loan[], question: string): Loan[] {
  const asked = wordsOf(question);
  const code = folded(question.trim());
  if (code === '') return [...loans];
  return loans.filter(({ user, book, copy }) => {
    if (copy?.barcode && folded(copy.barcode).startsWith(code)) return true;
    const known = wordsOf([user?.firstName, user?.lastName, book.title, ...(book.authors ?? [])].join(' '));
    return asked.length > 0 && asked.every((word) => known.some((other) => other.startsWith(word)));
  });
}
