import type { Book } from '../api/api';

const alike = new Intl.Collator('en', { sensitivity: 'base' });
const inOrder = new Intl.Collator('en', { numeric: true });

/** Whether two names are the same to the library, for which case and accents do not matter. */
export const isSame = (one: string, other: string): boolean => alike.compare(one, other) === 0;

/** Books of that author: the library looks for words, which others have in their names, too. */
export function byAuthor(books: readonly Book[], name: string, except: string): Book[] {
  return books.filter((book) => book.identifier !== except && book.authors?.some((author) => isSame(author, name)));
}

/** The other volumes of a series in their order, those around the one that is looked at; books without a number come last. */
export function aroundVolume(books: readonly Book[], here: string, most: number): Book[] {
  const sorted = [...books].sort((a, b) => Number(!a.volume) - Number(!b.volume) || inOrder.compare(a.volume ?? '', b.volume ?? '') || inOrder.compare(a.title, b.title));
  const at = sorted.findIndex((book) => book.identifier === here);
  const others = sorted.filter((book) => book.identifier !== here);
  const before = Math.floor(most / 4); // who reads a volume looks for the next one
  const from = Math.max(0, Math.min(at - before, others.length - most));
  return others.slice(from, from + most);
}
