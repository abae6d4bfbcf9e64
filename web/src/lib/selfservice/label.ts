import type { Book } from '../api/api';
import { isCode } from '../api/codes';
import { compactIsbn } from '../catalogue/isbn';
import { deskApi } from '../desk/deskapi';

/** What a reader has scanned: the label of a copy, or the ISBN of a book. */
export type Found = { barcode: string; book: Book } | { isbn: Book[] };

/** Finds what a code stands for; nothing if no book has it. */
export async function lookUp(typed: string): Promise<Found | undefined> {
  const code = isCode(typed) ? typed : compactIsbn(typed);
  const found = isCode(code) ? await deskApi.code(code) : undefined;
  if (found?.copy && found.book) return { barcode: found.copy.barcode ?? code, book: found.book };
  return found?.books?.length ? { isbn: found.books } : undefined;
}
