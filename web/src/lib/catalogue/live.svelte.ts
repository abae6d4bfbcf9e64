import { catalogue } from './catalogue.svelte';
import type * as Events from '../api/events';
import type { Book } from '../api/api';
import { load } from '../shell/load';
import { Problem } from '../api/problem';
import { session } from '../session/session.svelte';
import { bookStore } from './bookstore.svelte';

// How long a hidden tab goes on listening. Without HTTP/2 a browser has six
// connections to a server for all its tabs, so a hidden tab keeps none.
const hiddenTimeout = 5_000;
const bulk = 10; // more changed books than this are read with one request

type Timer = ReturnType<typeof setTimeout> | undefined;

/** Follows what others do in the library. */
export class Live {
  /** The server was there and is not any more. */
  lost = $state(false);
  /** Changes by others reach us. */
  listening = $state(false);
  /** Grows when everything that is shown should be read again. */
  epoch = $state(0);
  #listeners = new Set<(book?: string) => void>();
  #misses = 0;
  /** The last failure was silence, not a refusal. */
  #silent = true;
  #timer: Timer;
  #reading: Timer;
  #wanted = new Set<string>();
  #bulk = false;
  #stream: Events.EventStream | undefined;

  /** Listens until the returned function is called. */
  start(): () => void {
    let over = false;
    load(() => import('../api/events')).then(
      (events) => over || this.#follow(events),
      () => (this.lost = true),
    );
    const seen = (): void => this.#seen();
    const back = (): void => this.#stream?.restart(); // what was missed is read then
    document.addEventListener('visibilitychange', seen);
    addEventListener('online', back);
    return () => {
      over = true;
      document.removeEventListener('visibilitychange', seen);
      removeEventListener('online', back);
      for (const timer of [this.#timer, this.#reading]) clearTimeout(timer);
      this.#reading = undefined;
      this.#pause();
    };
  }

  /** Calls the listener for every book that somebody has changed, and without a book after a lost connection, until the returned function is called. */
  listen(listener: (book?: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #publish(book?: string): void {
    for (const listener of this.#listeners) listener(book);
  }

  #follow(events: typeof Events): void {
    this.#stream ??= new events.EventStream(
      (lastEventId, signal) =>
        session.api.raw('/events', {
          headers: { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
          cache: 'no-store',
          signal,
        }),
      {
        event: (event) => this.#event(event, events),
        connected: (yes) => this.#connected(yes),
        retryAfter: (thrown) => this.#shouldRetry(thrown),
      },
    );
    this.#stream.start();
  }

  #seen(): void {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#pause(), hiddenTimeout);
    else if (!session.ended) this.#stream?.start();
  }

  #pause(): void {
    this.#stream?.stop();
    this.listening = false;
  }

  #connected(yes: boolean): void {
    this.listening = yes;
    if (yes) this.#misses = 0;
    else if (this.#silent) this.#misses++;
    this.#silent = true;
    if (yes && (this.lost || bookStore.missed)) {
      bookStore.missed = false;
      this.epoch++;
    }
    // A stream ends now and then, so that the token can be looked at again.
    this.lost = this.#misses > 1;
  }

  #shouldRetry(thrown: unknown): boolean {
    if (!(thrown instanceof Problem)) return true;
    this.#silent = thrown.kind === 'unreachable' || thrown.kind === 'offline';
    return !['ended', 'unregistered', 'forbidden', 'missing', 'invalid'].includes(thrown.kind);
  }

  #event(event: Events.StreamEvent, { changeOf, ownBookOf }: typeof Events): void {
    if (session.ended) return this.#pause();
    // What was asked for before the stream began may be older than it.
    if (event.type === 'ready' || event.type === 'reset') {
      this.epoch++;
      this.#publish();
      return;
    }
    const own = ownBookOf(event);
    if (own !== undefined) {
      if (bookStore.busy.has(own)) return; // our own doing, come back to us
      bookStore.markStale(own);
      this.refresh(own); // even if it is not shown: the menu counts it
      return;
    }
    const change = changeOf(event);
    if (!change) return;
    const { type, identifier: id, borrowed, available } = change;
    this.#publish(id);
    const book = bookStore.books.get(id);
    if (type === 'added') {
      if (!book) catalogue.newBooks++;
      return;
    }
    const busy = bookStore.busy.has(id);
    if (!book && !catalogue.busy) return;
    if (type === 'deleted' && !busy) return bookStore.remove(id);
    const same = book?.borrowed === borrowed && book.available === available;
    // Our own doing, come back to us.
    if ((type === 'borrowed' || type === 'returned') && same) return;
    // The event says the state, but not whose it is: show the one, ask for the other.
    if (book && !busy && !same) bookStore.show({ ...book, borrowed, available, borrowedBy: undefined });
    bookStore.markStale(id);
  }

  /** Reads a book whenever somebody has changed it, and returns how to get it. It belongs to the component that calls this. */
  follow(id: () => string): () => Book | undefined {
    $effect(() => {
      if (bookStore.stale.get(id()) && !bookStore.busy.has(id())) this.refresh(id());
    });
    return () => bookStore.books.get(id());
  }

  /** Reads a book that has changed; if many have, everything that is shown, with one request. */
  refresh(id: string): void {
    this.#wanted.add(id);
    this.#reading ??= setTimeout(() => this.#flush(), (this.#bulk ? 2000 : 0) + Math.random() * 400);
  }

  #flush(): void {
    this.#reading = undefined;
    const ids = [...this.#wanted].filter((id) => bookStore.stale.has(id));
    this.#wanted.clear();
    this.#bulk = ids.length > bulk;
    if (this.#bulk) this.epoch++;
    else for (const id of ids) void bookStore.read(id);
  }
}

export const live = new Live();
