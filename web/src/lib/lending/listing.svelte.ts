import { untrack } from 'svelte';
import type { Page } from '../api/api';
import { complain } from '../text/complain';
import { live } from '../catalogue/live.svelte';
import { problemFrom, wasAborted, type Problem } from '../api/problem';

const most = 1000; // that the server gives at once
const restless = 2000; // lists are read again no more often than this, in milliseconds

/** A page of a list: at most `limit` records, after a cursor. */
export type Ask<T> = (limit: number, cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;

interface Record {
  identifier: string;
}

/** A list that the server gives in pages. What is shown follows the changes by others. */
export class Listing<T extends Record> {
  items = $state.raw<T[] | undefined>();
  total = $state(0);
  problem = $state.raw<Problem | undefined>();
  busy = $state(false);
  #next = $state.raw<string | undefined>();
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many are read at least. */
  #least: number;
  readonly #ask: Ask<T>;
  readonly #size: number;

  constructor(ask: Ask<T>, size = 50) {
    this.#ask = ask;
    this.#size = this.#least = size;
  }

  /** Reads now, after every change of a book, and whenever something may have been missed. It belongs to the component that calls this. */
  follow(): void {
    $effect(() => {
      void live.epoch;
      untrack(() => void this.read());
    });
    $effect(() => {
      const stop = live.listen((book) => book && this.#soon());
      return () => {
        stop();
        clearTimeout(this.#timer);
        this.#abort?.abort();
      };
    });
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  #soon(): void {
    const wait = Math.random() * 400 + ((this.items?.length ?? 0) > 200 ? restless : 0);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.busy) this.#soon();
      else void this.read();
    }, wait);
  }

  /** Another question: what is shown does not answer it. */
  async ask(): Promise<void> {
    this.#abort?.abort();
    this.items = undefined;
    this.#next = undefined;
    this.#least = this.#size;
    await this.read();
  }

  /** Reads as many as are shown, a page at least. */
  read(): Promise<void> {
    return this.#load([], undefined, Math.max(this.#least, this.items?.length ?? 0));
  }

  more(): Promise<void> {
    return this.#load(this.items ?? [], this.#next, (this.items?.length ?? 0) + this.#size);
  }

  /** Reads all up to a limit, now and from now on. Says whether that succeeded. */
  async all(limit: number, progress?: (done: number) => void): Promise<boolean> {
    this.#least = limit;
    await this.#load([], undefined, limit, progress);
    return this.problem === undefined && (this.#next === undefined || (this.items?.length ?? 0) >= limit);
  }

  async #load(known: T[], cursor: string | undefined, wanted: number, progress?: (done: number) => void): Promise<void> {
    this.#abort?.abort(); // the older question does not matter any more
    const mine = (this.#abort = new AbortController());
    this.busy = true;
    try {
      let items = known;
      let next = cursor;
      let total = 0;
      do {
        const page = await this.#ask(Math.min(Math.max(wanted - items.length, 1), most), next, mine.signal);
        if (mine.signal.aborted) return;
        const seen = new Set(items.map((item) => item.identifier));
        // What was added meanwhile pushes others to the next page.
        items = [...items, ...page.items.filter((item) => !seen.has(item.identifier))];
        ({ next, total } = page);
        progress?.(items.length);
      } while (next !== undefined && items.length < wanted);
      this.items = items;
      this.total = total;
      this.#next = next;
      this.problem = undefined;
    } catch (thrown) {
      if (mine.signal.aborted || wasAborted(thrown)) return;
      const problem = problemFrom(thrown);
      if (!this.items) this.problem = problem;
      else complain(problem, 'list'); // what is shown is still good
    } finally {
      if (this.#abort === mine) this.busy = false;
    }
  }

  /** Shows a record as it is now. */
  put(item: T): void {
    this.items = this.items?.map((old) => (old.identifier === item.identifier ? item : old));
  }

  /** Takes a record away that is not part of the list any more. */
  drop(identifier: string): void {
    const before = this.items?.length ?? 0;
    this.items = this.items?.filter((item) => item.identifier !== identifier);
    this.total -= before - (this.items?.length ?? 0);
  }
}
