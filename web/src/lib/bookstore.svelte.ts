import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Book, Me } from './api';
import { i18n } from './i18n.svelte';
import { Problem, problemFrom } from './problem';
import { session } from './session.svelte';
import { toasts } from './toasts.svelte';
import { explain } from './explain';

export type BookStatus = 'available' | 'yours' | 'lent';

/** Whether a book is available, as this reader sees it. */
export function statusOf(book: Book, me: Me | undefined): BookStatus {
  if (!book.borrowed) return 'available';
  return book.borrowedBy !== undefined && book.borrowedBy.identifier === me?.identifier ? 'yours' : 'lent';
}

/**
 * Every book that the client has seen, each once: a card, the page of the book
 * and the reader's loans show the same one, so they cannot disagree.
 */
class BookStore {
  books = new SvelteMap<string, Book>();
  /** The books that the reader has. */
  mine = new SvelteSet<string>();
  /** Books that were deleted while they were shown. */
  gone = new SvelteSet<string>();
  /** Books that have changed on the server and are not read yet. */
  stale = new SvelteSet<string>();
  /** Books with a request under way. */
  busy = new SvelteSet<string>();

  /** Some change could not be read. */
  missed = false;
  #clock = 0;
  /** When each book was last changed or read. */
  #touched = new Map<string, number>();

  /** The time of a request: its answer does not know of later changes. */
  now(): number {
    return ++this.#clock;
  }

  /** Takes the answer to a request of that time, unless something newer is known. */
  put(book: Book, asked = this.now()): void {
    const id = book.identifier;
    const old = this.#since(id, asked);
    if (this.busy.has(id) || (old && (this.books.has(id) || this.gone.has(id)))) return;
    if (!old) {
      this.stale.delete(id);
      this.gone.delete(id);
      this.#touched.set(id, asked);
    }
    this.#set(book);
  }

  /** Shows a book as it must be by now, whatever is on its way. */
  show(book: Book): void {
    this.#touched.set(book.identifier, this.now());
    this.#set(book);
  }

  #set(book: Book): void {
    this.books.set(book.identifier, book);
    if (statusOf(book, session.me) === 'yours') this.mine.add(book.identifier);
    else this.mine.delete(book.identifier);
  }

  /** The book has changed on the server and has to be read. */
  markStale(id: string): void {
    this.#touched.set(id, this.now());
    this.stale.add(id);
  }

  #since(id: string, asked: number): boolean {
    return (this.#touched.get(id) ?? 0) > asked;
  }

  async readMine(): Promise<string[]> {
    const asked = this.now();
    const books = await session.api.myBooks();
    const ids = books.map((b) => b.identifier);
    for (const id of [...this.mine]) {
      if (ids.includes(id) || this.busy.has(id) || this.#since(id, asked)) continue;
      this.mine.delete(id);
      this.stale.add(id);
    }
    for (const book of books) this.put(book, asked);
    return ids.filter((id) => this.mine.has(id));
  }

  /** Reads a book again, and says what it is like if it can. */
  async read(id: string): Promise<Book | undefined> {
    const asked = this.now();
    try {
      const { value } = await session.api.book(id, AbortSignal.timeout(10_000));
      this.put(value, asked);
      return value;
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'missing') this.remove(id);
      else this.missed = true; // still stale: the next chance is taken
      return undefined;
    }
  }

  remove(id: string): void {
    this.#touched.set(id, this.now());
    this.gone.add(id);
    this.books.delete(id);
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
    this.show({ ...before, borrowed: borrow, borrowedBy: borrow ? { identifier, firstName, lastName } : undefined });
    let problem: Problem | undefined;
    try {
      this.show(await (borrow ? session.api.borrow(id) : session.api.giveBack(id)));
    } catch (thrown) {
      this.show(before);
      problem = problemFrom(thrown);
    }
    this.busy.delete(id);
    if (problem) {
      if (problem.kind === 'ended') return;
      // Perhaps only the answer was lost: what the book is like now decides.
      const now = await this.read(id);
      if (!now || statusOf(now, me) !== (borrow ? 'yours' : 'available')) return toasts.error(this.#why(problem, before.title), id);
    }
    const t = i18n.t;
    const text = borrow ? t.lending.borrowed(before.title) : t.lending.returned(before.title);
    toasts.show(text, undo ? { label: t.lending.undo, run: () => void this.#lend(id, !borrow, false) } : undefined, id);
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
    for (const all of [this.books, this.mine, this.gone, this.stale, this.busy, this.#touched]) all.clear();
    this.missed = false;
  }
}

export const bookStore = new BookStore();
