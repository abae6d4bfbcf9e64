import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Book, Me } from './api';
import { i18n } from './i18n.svelte';
import { Problem, problemFrom } from './problem';
import { session } from './session.svelte';
import { toasts } from './toasts.svelte';
import { explain } from './words';

export type Standing = 'available' | 'yours' | 'lent';

/** Whether a book can be had, as this reader sees it. */
export function standing(book: Book, me: Me | undefined): Standing {
  if (!book.borrowed) return 'available';
  return book.borrowedBy !== undefined && book.borrowedBy.identifier === me?.identifier ? 'yours' : 'lent';
}

/**
 * Every book that the client has seen, each once: a card, the page of the book
 * and the reader's loans show the same one, so they cannot disagree.
 */
class Shelf {
  books = new SvelteMap<string, Book>();
  /** The books that the reader has. */
  mine = new SvelteSet<string>();
  /** Books that were deleted while they were shown. */
  gone = new SvelteSet<string>();
  /** Books of which the server has news. */
  stale = new SvelteSet<string>();
  /** Books with a request under way. */
  busy = new SvelteSet<string>();

  put(book: Book): void {
    this.books.set(book.identifier, book);
    this.stale.delete(book.identifier);
    if (standing(book, session.me) === 'yours') this.mine.add(book.identifier);
    else this.mine.delete(book.identifier);
  }

  async readMine(): Promise<string[]> {
    const books = await session.api.myBooks();
    const ids = books.map((b) => b.identifier);
    for (const id of this.mine) if (!ids.includes(id)) this.mine.delete(id);
    for (const book of books) this.put(book);
    return ids;
  }

  async read(id: string): Promise<void> {
    try {
      this.put((await session.api.book(id)).value);
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'missing') this.remove(id);
      this.stale.delete(id);
    }
  }

  remove(id: string): void {
    this.gone.add(id);
    this.mine.delete(id);
    this.stale.delete(id);
  }

  borrow(id: string): Promise<void> {
    return this.#lend(id, true, true);
  }

  giveBack(id: string): Promise<void> {
    return this.#lend(id, false, true);
  }

  /** Shows the change at once, and takes it back if the server says no. */
  async #lend(id: string, borrow: boolean, undo: boolean): Promise<void> {
    const before = this.books.get(id);
    const me = session.me;
    if (!before || !me || this.busy.has(id)) return;
    const { identifier, firstName, lastName } = me;
    this.busy.add(id);
    this.put({ ...before, borrowed: borrow, borrowedBy: borrow ? { identifier, firstName, lastName } : undefined });
    try {
      this.put(await (borrow ? session.api.borrow(id) : session.api.giveBack(id)));
      const t = i18n.t;
      const text = borrow ? t.lending.borrowed(before.title) : t.lending.returned(before.title);
      toasts.say(text, undo ? { label: t.lending.undo, run: () => void this.#lend(id, !borrow, false) } : undefined, id);
    } catch (thrown) {
      this.put(before);
      const problem = problemFrom(thrown);
      if (['conflict', 'missing', 'forbidden'].includes(problem.kind)) await this.read(id);
      if (problem.kind !== 'ended') toasts.complain(this.#why(problem, before.title), id);
    } finally {
      this.busy.delete(id);
    }
  }

  #why(problem: Problem, title: string): string {
    const t = i18n.t.lending;
    if (problem.code === 'already_borrowed') return t.taken(title);
    if (problem.code === 'not_borrowed' || problem.code === 'not_your_loan') return t.notYours(title);
    if (problem.code === 'book_not_found') return t.vanished(title);
    return explain(problem);
  }

  /** Forgets everything: another reader, or nobody. */
  clear(): void {
    for (const all of [this.books, this.mine, this.gone, this.stale, this.busy]) all.clear();
  }
}

export const shelf = new Shelf();
