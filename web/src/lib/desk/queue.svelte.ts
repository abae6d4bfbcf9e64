import { backoff } from '../api/events';
import { problemFrom, type Problem } from '../api/problem';
import { session } from '../session/session.svelte';
import { mayRetry } from './retry';

/** What is taken from the queue together with an item, so that a reload finds the one or the other. */
type Take = () => void;

/**
 * Scans, handled one after the other. They arrive faster than answers do. Without an
 * answer the first one waits, with those behind it, and is tried again.
 */
export class Queue<T> {
  items = $state.raw<T[]>([]);
  /** Why the queue stands still. */
  problem = $state.raw<Problem | undefined>();
  #working = false;
  #running = false;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly work: (item: T) => Promise<Take>,
    private readonly refused: (item: T, problem: Problem) => Take,
    private readonly save: () => void,
  ) {}

  /** Works until the returned function is called. */
  start(items: T[]): () => void {
    this.items = items;
    this.#running = true;
    const online = (): void => this.tryAgain();
    addEventListener('online', online);
    void this.#go();
    return () => {
      this.#running = false;
      removeEventListener('online', online);
      clearTimeout(this.#retry);
    };
  }

  get running(): boolean {
    return this.#running;
  }

  add(item: T): void {
    this.items = [...this.items, item];
    this.save();
    void this.#go();
  }

  /** Changes what waits. What is being sent stays as it was. */
  replace(change: (item: T) => T): void {
    this.items = this.items.map(change);
    this.save();
    this.tryAgain();
  }

  tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void this.#go();
  }

  /** Gives up the scan that the library does not answer. */
  drop(): void {
    this.items = this.items.slice(1);
    this.problem = undefined;
    this.#tries = 0;
    this.save();
    this.tryAgain();
  }

  async #go(): Promise<void> {
    if (this.#working || this.#retry || !this.#running) return;
    this.#working = true;
    try {
      for (let item = this.items[0]; item && this.#running && !session.ended; item = this.items[0]) {
        if (!(await this.#handle(item))) break;
      }
    } finally {
      this.#working = false;
    }
  }

  /** Handles one, and reports whether the next may follow. */
  async #handle(item: T): Promise<boolean> {
    let take: Take;
    try {
      take = await this.work(item);
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.kind === 'ended' || !this.#running) return false;
      if (mayRetry(problem)) {
        this.problem = problem;
        this.#retry = setTimeout(() => this.tryAgain(), backoff(this.#tries++, 1000) / 2);
        return false;
      }
      take = this.refused(item, problem);
    }
    this.problem = undefined;
    this.#tries = 0;
    if (this.items[0] === item) {
      this.items = this.items.slice(1);
      take();
    }
    return this.#running;
  }
}
