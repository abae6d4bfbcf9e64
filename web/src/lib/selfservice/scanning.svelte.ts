import type { Book, Loan } from '../api/api';
import { bookStore } from '../catalogue/bookstore.svelte';
import { Queue } from '../desk/queue.svelte';
import { Problem, problemFrom } from '../api/problem';
import { session } from '../session/session.svelte';
import { scanKey, tabStorage } from '../shell/storage';
import { lookUp, type Found } from './label';

export type Wish = 'borrow' | 'return';

/** What was scanned, and what has come of it. */
export interface Scan {
  id: number;
  code: string;
  /** What the code stands for, once the library has answered; null if nothing. */
  found?: Found | null;
  /** Why the last press was refused. */
  problem?: Problem;
  /** What was done last. */
  done?: Wish;
}

/** Something to be done, in order. It is kept across a reload. */
interface Item {
  id: number;
  code: string;
  wish?: Wish;
  /** It was sent before, so it may be done although no answer came. */
  sent?: true;
}

const most = 20; // scans that are shown

/** What a reader scans with a phone. Without a connection everything waits, in order, as at the desk. */
export class Scanning {
  scans = $state.raw<Scan[]>([]);
  readonly queue = new Queue<Item>(
    (item) => this.#work(item),
    (item, problem) => () => this.#change(item.id, { problem }),
    () => this.#save(),
  );
  #next = 1;

  /** Goes on where this person was interrupted, until the returned function is called. */
  start(): () => void {
    const items = this.#restore();
    this.scans = [...items].reverse().map(({ id, code }) => ({ id, code }));
    this.#next = 1 + Math.max(0, ...items.map((item) => item.id));
    return this.queue.start(items);
  }

  scan(text: string): void {
    const code = text.trim().slice(0, 200);
    if (code === '') return;
    // The same label again is the same card: it comes to the top and is looked at afresh.
    const again = this.scans.find((scan) => scan.code === code);
    const scan: Scan = { id: again?.id ?? this.#next++, code, found: again?.found };
    this.scans = [scan, ...this.scans.filter((other) => other !== again)].slice(0, most);
    if (!this.waiting(scan)) this.queue.add({ id: scan.id, code });
  }

  /** Borrows or gives back, as soon as the library answers. */
  press({ id, code }: Scan, wish: Wish): void {
    this.#change(id, { problem: undefined });
    if (this.queue.items.some((item) => item.id === id)) this.queue.replace((item) => (item.id === id ? { ...item, wish } : item));
    else this.queue.add({ id, code, wish });
  }

  /** What waits for the library; nothing if the scan is dealt with. */
  waiting({ id }: Scan): Item | undefined {
    return this.queue.items.find((item) => item.id === id);
  }

  async #work(item: Item): Promise<() => void> {
    const found = (await lookUp(item.code)) ?? null;
    for (const book of booksOf(found)) bookStore.put(book);
    const { wish, sent } = item;
    const [book] = booksOf(found);
    if (!wish || !book || booksOf(found).length > 1) return () => this.#change(item.id, { found, problem: undefined });
    this.#change(item.id, { found });
    item.sent = true;
    this.#save();
    try {
      bookStore.show(await send(wish, book, found && 'barcode' in found ? found.barcode : undefined));
    } catch (thrown) {
      const problem = problemFrom(thrown);
      const now = problem.kind === 'conflict' ? await bookStore.read(book.identifier) : undefined;
      if (!sent || !now || !now.loan === (wish === 'borrow')) throw problem;
    }
    return () => this.#change(item.id, { found, problem: undefined, done: wish });
  }

  #change(id: number, change: Partial<Scan>): void {
    this.scans = this.scans.map((scan) => (scan.id === id ? { ...scan, ...change } : scan));
  }

  #save(): void {
    tabStorage.setItem(scanKey, JSON.stringify({ owner: session.me?.identifier, items: this.queue.items }));
  }

  #restore(): Item[] {
    try {
      const saved = JSON.parse(tabStorage.getItem(scanKey) ?? '{}') as { owner?: string; items?: Item[] };
      if (saved.owner === session.me?.identifier) return saved.items ?? [];
    } catch {
      // nothing of ours
    }
    tabStorage.removeItem(scanKey);
    return [];
  }
}

export const booksOf = (found: Found | null | undefined): Book[] => (!found ? [] : 'isbn' in found ? found.isbn : [found.book]);

/** Borrows or gives back the copy with a barcode; without one, the only copy that it can be. Returns the book as it is then. */
async function send(wish: Wish, book: Book, barcode: string | undefined): Promise<Book> {
  const { identifier: id } = book;
  if (!barcode) return wish === 'borrow' ? session.api.borrow(id) : session.api.giveBack(id);
  const signal = AbortSignal.timeout(15_000);
  let loan: Loan | undefined;
  if (wish === 'borrow') loan = (await session.api.ask('post', '/loans', { body: { barcode }, signal })).data;
  else await session.api.ask('post', '/returns', { body: { barcode }, signal });
  bookStore.markStale(id);
  return (await bookStore.read(id)) ?? { ...book, loan, hold: undefined };
}
