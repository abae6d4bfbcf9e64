import type { BookQuery } from '../api/api';
import { searchWords } from './isbn';
import { problemFrom, wasAborted, type Problem } from '../api/problem';
import { filterQuery, noFilter, type Filter } from '../shell/router';
import { session } from '../session/session.svelte';
import { bookStore } from './bookstore.svelte';
import { complain } from '../text/complain';

const pageSize = 60; // fills rows of three to six
const lists = 10; // in the cache, for readers who go back
const most = 1000; // that the server gives at once

interface List {
  ids: string[];
  total: number;
  inexact?: boolean;
  next?: string;
  corrected?: string;
}

/** The question for a filter. Misspelt words are corrected, unless somebody wants them as they are. */
export function bookQuery({ q, show, sort, narrow, exact }: Filter): BookQuery {
  const words = searchWords(q);
  return {
    ...Object.fromEntries(narrow),
    subject: narrow.flatMap(([key, value]) => (key === 'subject' ? value : [])),
    q: words || undefined,
    fuzzy: (words && !exact) || undefined,
    available: show === 'available' || undefined,
    borrowed: show === 'lent' || undefined,
    sort: sort || (words ? 'relevance' : undefined),
  };
}

/** The list of books as it is shown; it stays while another page is looked at. */
class Catalogue {
  ids = $state.raw<string[]>([]);
  total = $state(0);
  /** More match than the total says. */
  inexact = $state<boolean | undefined>();
  /** The words that the list is for, if others were misspelt. */
  corrected = $state<string | undefined>();
  /** What the list and its total are the answer to. */
  answered = $state.raw<Filter>(noFilter);
  phase = $state<'loading' | 'ready' | 'failed'>('loading');
  problem = $state.raw<Problem | undefined>();
  /** ConfirmDialog while the older list is still shown. */
  busy = $state(false);
  /** Books that others have added since. */
  newBooks = $state(0);
  #next = $state.raw<string | undefined>();
  #filter: Filter = noFilter;
  #abort: AbortController | undefined;
  #read: string | undefined;
  #changed = false;
  #outdated = false;
  #epoch = 0;
  #last: Promise<void> | undefined;
  /** Lists that were shown before, by their address. */
  #cache = new Map<string, List>();

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** The address of the list, below that of the library. */
  get address(): string {
    return this.#read ?? '';
  }

  /** Shows what the filter asks for; what is there already is only read again if no stream of changes is open. */
  async show(filter: Filter, fresh: boolean): Promise<void> {
    const wanted = filterQuery(filter);
    if (wanted === this.#read && this.phase === 'ready') return fresh && !this.#outdated ? undefined : this.reload();
    if (this.#read !== undefined && this.phase === 'ready' && !this.#changed) this.#keep(this.#read);
    this.#filter = filter;
    this.#read = wanted;
    this.#changed = true;
    const cached = this.#cache.get(wanted);
    if (cached) {
      // As it was left, until it is read again.
      this.#take(cached);
      this.answered = filter;
      this.#changed = false;
      this.phase = 'ready';
    }
    await this.reload();
  }

  /** Reads as many books as are shown, and at inexact one page. */
  async reload(): Promise<void> {
    await this.#ask(async (signal) => {
      const filter = this.#filter;
      const arrived = this.newBooks;
      const wanted = Math.max(pageSize, this.phase === 'ready' && !this.#changed ? this.ids.length : 0);
      let list = await this.#page({ ids: [], total: 0 }, Math.min(wanted, most), signal);
      while (list.next && list.ids.length < wanted) list = await this.#page(list, Math.min(wanted - list.ids.length, most), signal);
      this.#take(list);
      this.answered = filter;
      this.#changed = this.#outdated = false;
      this.newBooks -= arrived; // what came while the list was being read may not be in it
    });
  }

  /** Reads as many books again as are shown: the end of a long list is a few steps away. */
  async more(): Promise<void> {
    await this.#ask(async (signal) => this.#take(await this.#page({ ids: this.ids, total: 0, next: this.#next }, Math.min(Math.max(pageSize, this.ids.length), most), signal)));
  }

  /** Reads the next page of a list. */
  async #page({ ids, next }: List, size: number, signal: AbortSignal): Promise<List> {
    const asked = bookStore.now();
    const { items, ...page } = await session.api.books(bookQuery(this.#filter), size, next, signal);
    signal.throwIfAborted();
    // Words that no book has together are not offered; with filters there may be such books.
    if (page.total === 0 && this.#filter.show === 'all' && this.#filter.narrow.length === 0) page.corrected = undefined;
    for (const book of items) bookStore.put(book, asked);
    return { ...page, ids: [...new Set([...ids, ...items.map((b) => b.identifier)])] };
  }

  /** Caches a list for readers who come back to it. */
  #keep(address: string): void {
    this.#cache.delete(address);
    const { ids, total, inexact, corrected } = this;
    this.#cache.set(address, { ids, total, inexact, corrected, next: this.#next });
    for (const oldest of this.#cache.keys()) if (this.#cache.size > lists) this.#cache.delete(oldest);
  }

  #take({ next, ...shown }: List): void {
    Object.assign(this, { corrected: undefined }, shown);
    this.#next = next;
  }

  #ask(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return (this.#last = this.#asked(read));
  }

  async #asked(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#abort?.abort(); // the older question does not matter any more
    const abort = new AbortController();
    this.#abort = abort;
    this.busy = true;
    try {
      await read(abort.signal);
      if (abort.signal.aborted) return;
      this.phase = 'ready';
      this.problem = undefined;
    } catch (thrown) {
      if (abort.signal.aborted || wasAborted(thrown)) return;
      const problem = problemFrom(thrown);
      bookStore.missed = true;
      if (this.phase === 'ready' && !this.#changed) {
        // What is shown is still good; only the rest is missing.
        complain(problem, 'catalogue');
        return;
      }
      this.problem = problem;
      this.phase = 'failed';
    } finally {
      if (this.#abort === abort) this.busy = false;
    }
  }

  /** Reads again if something may have been missed since the last time. */
  async catchUp(epoch: number): Promise<void> {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    await this.#last; // people wait for the first answer, even if it may be too old
    // A newer answer is on its way already; an unexpected error stays until somebody has seen it.
    if (!this.busy && this.problem?.kind !== 'unexpected') await this.reload();
  }

  /** Another reader, or nobody. */
  clear(): void {
    this.#abort?.abort();
    this.#read = undefined;
    this.#cache.clear();
    this.ids = [];
    this.phase = 'loading';
  }

  /** The next visit reads the list again, as long as it is: something was added or edited. */
  invalidate(): void {
    this.#outdated = true;
  }
}

export const catalogue = new Catalogue();
