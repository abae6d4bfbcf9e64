import { SvelteMap } from 'svelte/reactivity';
import type { Book } from '../api/api';
import { dates } from '../dates/dates.svelte';
import { i18n } from '../text/i18n.svelte';
import { Problem, problemFrom } from '../api/problem';
import { load } from '../shell/load';
import { session } from '../session/session.svelte';
import { toasts, type Toast } from '../shell/toasts.svelte';
import { explain } from '../text/explain';

export type BookStatus = 'yours' | 'ready' | 'waiting' | 'available' | 'lent' | 'reserved' | 'none';

/** What a book is for this reader. */
export function statusOf({ loan, hold, available, borrowed, copies }: Book): BookStatus {
  if (loan) return 'yours';
  if (hold) return hold.state;
  if (available > 0) return 'available';
  if (borrowed) return 'lent';
  return copies > 0 ? 'reserved' : 'none';
}

/**
 * Every book that the client has seen, each once: a card, the page of the book
 * and the reader's loans show the same one, so they cannot disagree.
 */
class BookStore {
  books = new SvelteMap<string, Book>();
  /** The books that the reader has. */
  mine = new SvelteMap<string, true>(); // sets are maps here: a page that is loaded first has the code for one of them
  /** The books of which a copy is set aside for the reader: what is to be said of them on every page. */
  ready = new SvelteMap<string, { title: string; until?: string }>();
  /** Books that were deleted while they were shown. */
  gone = new SvelteMap<string, true>();
  /** Books that have changed on the server and are not read yet, with the time of the last change: a page that shows a book is notified of each, also while it is being read. */
  stale = new SvelteMap<string, number>();
  /** Books with a request under way. */
  busy = new SvelteMap<string, true>();

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
    const { identifier: id, title, loan, hold } = book;
    this.books.set(id, book);
    if (loan) this.mine.set(id, true);
    else this.mine.delete(id);
    if (hold?.state === 'ready') this.ready.set(id, { title, until: hold.until });
    else this.ready.delete(id);
  }

  /** The book has changed on the server and has to be read. */
  markStale(id: string): void {
    const now = this.now();
    this.#touched.set(id, now);
    this.stale.set(id, now);
  }

  #since(id: string, asked: number): boolean {
    return (this.#touched.get(id) ?? 0) > asked;
  }

  async readMine(): Promise<string[]> {
    const asked = this.now();
    const books = await session.api.myBooks();
    const ids = books.map((b) => b.identifier);
    for (const id of [...this.mine.keys()]) {
      if (ids.includes(id) || this.busy.has(id) || this.#since(id, asked)) continue;
      this.mine.delete(id);
      this.stale.set(id, asked);
    }
    for (const book of books) this.put(book, asked);
    return ids.filter((id) => this.mine.has(id));
  }

  /** Reads what is set aside for the reader. */
  async readReady(): Promise<void> {
    const asked = this.now();
    const { data } = await session.api.ask('get', '/holds', { query: { state: 'ready', user: session.me?.identifier } });
    for (const id of [...this.ready.keys()]) {
      if (!this.#since(id, asked) && data.every((hold) => hold.book.identifier !== id)) this.ready.delete(id);
    }
    for (const { book: { identifier: id, title }, until } of data) {
      if (id && !this.#since(id, asked)) this.ready.set(id, { title, until });
    }
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
    this.gone.set(id, true);
    this.books.delete(id);
    this.mine.delete(id);
    this.ready.delete(id);
    this.stale.delete(id);
  }

  /** Borrows a book; with a barcode, the copy in the hand. */
  borrow(id: string, barcode?: string): Promise<void> {
    return this.#lend(id, true, true, barcode);
  }

  giveBack(id: string): Promise<void> {
    return this.#lend(id, false, true);
  }

  /** Shows the change at once, and takes it back if the server says no. */
  async #lend(id: string, borrow: boolean, undo: boolean, barcode?: string): Promise<void> {
    const before = this.books.get(id);
    const me = session.me;
    if (!before || !me || this.busy.has(id)) return;
    const { title, waiting = 0, hold } = before;
    // A copy that is set aside, or will be, is none of those that everybody can have.
    const available = Math.max(0, before.available + (borrow ? (hold ? 0 : -1) : waiting ? 0 : 1));
    const loan = borrow ? { identifier: '', renewals: 0, overdue: false } : undefined;
    const changed = { ...before, available, borrowed: borrow && available === 0, borrowedBy: undefined, loan, hold: undefined };
    const send = async (): Promise<Book> => {
      if (!barcode) return borrow ? session.api.borrow(id) : session.api.giveBack(id);
      await session.api.ask('post', '/loans', { body: { barcode } });
      return (await session.api.book(id)).value;
    };
    const { problem, now } = await this.change(id, changed, send);
    // Perhaps only the answer was lost: what the book is like now decides.
    if (problem && (!now || !now.loan === borrow)) return this.explain(problem, before);
    const t = i18n.t.lending;
    const due = now?.loan?.dueAt;
    const text = borrow ? t.borrowed(title) + (due ? ` ${dates.due(due)}.` : '') : t.returned(title) + (waiting ? t.awaited : '');
    toasts.show(text, undo && !hold ? this.#back(before, borrow) : undefined, id);
  }

  /** How a reader gets back to the book as it was before. A place in a queue that is given up cannot be had again. */
  #back(before: Book, borrow: boolean): Toast['action'] {
    const { identifier: id, loan, waiting } = before;
    const t = i18n.t.lending;
    if (loan && session.may('LIBRARY_CURATOR')) return { label: t.undo, run: () => void load(() => import('./holds')).then((m) => m.undoReturn(before, loan.identifier)) };
    // A new loan has another due date, so it is not called undoing.
    if (borrow || !waiting) return { label: borrow ? t.undo : t.borrow, run: () => void this.#lend(id, !borrow, false) };
    return undefined;
  }

  /** Shows a change at once, and takes it back if the server says no. Says what the book is like after all. */
  async change(id: string, changed: Book, send: () => Promise<Book>): Promise<{ problem?: Problem; now?: Book }> {
    const before = this.books.get(id);
    this.busy.set(id, true);
    this.show(changed);
    let problem: Problem | undefined;
    try {
      this.show(await send());
    } catch (thrown) {
      if (before) this.show(before);
      problem = problemFrom(thrown);
    }
    this.busy.delete(id);
    const now = problem && problem.kind !== 'ended' ? await this.read(id) : this.books.get(id);
    return { problem, now };
  }

  /** Says why something was refused, and what can be done instead. */
  async explain(problem: Problem, { identifier: id, title }: Book): Promise<void> {
    if (problem.kind === 'ended') return;
    // The reasons, and what to do about them, are not in the first load.
    const known = problem.code ? await load(() => import('./holds')).then((m) => m.refusal(problem, id, title)).catch(() => undefined) : undefined;
    toasts.error(known?.text ?? explain(problem), id, known?.action);
  }

  /** Forgets everything: another reader, or nobody. */
  clear(): void {
    for (const all of [this.books, this.mine, this.ready, this.gone, this.stale, this.busy, this.#touched]) all.clear();
    this.missed = false;
  }
}

export const bookStore = new BookStore();
