import { catalogue } from './catalogue.svelte';
import { changeOf, EventStream, type StreamEvent } from './events';
import { Problem } from './problem';
import { session } from './session.svelte';
import { shelf } from './shelf.svelte';

const patience = 60_000; // how long a hidden tab goes on listening

/** Follows what others do in the library. */
class Live {
  /** The server was there and is not any more. */
  lost = $state(false);
  /** Changes by others reach us. */
  listening = $state(false);
  /** Grows when everything that is shown should be read again. */
  epoch = $state(0);
  #misses = 0;
  /** The server said nothing, as opposed to no. */
  #silent = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stream = new EventStream(
    (lastEventId, signal) =>
      session.api.raw('/events', {
        headers: { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
        cache: 'no-store',
        signal,
      }),
    {
      event: (event) => this.#event(event),
      connected: (yes) => this.#connected(yes),
      retryAfter: (thrown) => this.#worthIt(thrown),
    },
  );

  /** Listens until the returned function is called. */
  start(): () => void {
    this.#stream.start();
    const seen = (): void => this.#seen();
    const back = (): void => this.#stream.restart();
    document.addEventListener('visibilitychange', seen);
    addEventListener('online', back);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      removeEventListener('online', back);
      clearTimeout(this.#timer);
      this.#pause();
    };
  }

  #seen(): void {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#pause(), patience);
    else if (!session.ended) this.#stream.start();
  }

  #pause(): void {
    this.#stream.stop();
    this.listening = false;
  }

  #connected(yes: boolean): void {
    this.listening = yes;
    if (yes) this.#misses = 0;
    else if (this.#silent) this.#misses++;
    this.#silent = true;
    if (yes && this.lost) this.epoch++;
    // A stream ends now and then, so that the token can be looked at again.
    this.lost = this.#misses > 1;
  }

  #worthIt(thrown: unknown): boolean {
    if (!(thrown instanceof Problem)) return true;
    this.#silent = thrown.kind === 'unreachable' || thrown.kind === 'offline';
    return !['ended', 'stranger', 'forbidden', 'missing', 'invalid'].includes(thrown.kind);
  }

  #event(event: StreamEvent): void {
    if (event.type === 'reset') {
      this.epoch++;
      return;
    }
    const change = changeOf(event);
    if (!change) return;
    const { type, identifier: id, borrowed } = change;
    if (type === 'added') {
      if (!shelf.books.has(id)) catalogue.newcomers++;
      return;
    }
    const book = shelf.books.get(id);
    if (!book || shelf.busy.has(id)) return;
    if (type === 'deleted') return shelf.remove(id);
    // The event says the state, but not whose it is: show the one, ask for the other.
    if (book.borrowed !== borrowed) shelf.put({ ...book, borrowed, borrowedBy: undefined });
    else if (type !== 'edited') return; // our own doing, come back to us
    shelf.stale.add(id);
  }
}

export const live = new Live();
