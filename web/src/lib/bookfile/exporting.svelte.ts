import type { Book } from '../api/api';
import { tableWriter, type FileWriter, type Format } from './bookfile';
import { copiesOf } from '../copies/copies';
import type { Copy } from '../lending/lending';
import { Problem, problemFrom, wasAborted } from '../api/problem';
import { need } from '../session/reload';
import { session } from '../session/session.svelte';

const pageSize = 200;
/** How many books are asked for their copies at the same time. */
const atOnce = 6;

/** An export on its way: the books of the library, page by page, with their copies. */
export class Exporting {
  done = $state(0);
  total = $state(0);
  busy = $state(false);
  problem = $state.raw<Problem | undefined>();
  /** What is written so far. A browser may keep these on the disk. */
  #parts: Blob[] = [];
  #next: string | undefined;
  #abort: AbortController | undefined;

  /** Begins, or goes on where a problem has stopped it. The whole file, or undefined if it was stopped. */
  async run(format: Format, separator: ',' | ';'): Promise<Blob | undefined> {
    const isMarc = format === 'marc' || format === 'marcxml';
    // Records of catalogues are rare: what writes them comes when it is needed.
    const writer = isMarc ? (await need(() => import('./marc')))?.marcWriter(format) : tableWriter(format, separator);
    if (!writer) return undefined;
    if (!this.problem) this.#begin(writer);
    const { signal } = (this.#abort = new AbortController());
    this.problem = undefined;
    this.busy = true;
    try {
      do {
        // What is added meanwhile comes last, and is not missed.
        const page = await session.api.books({ sort: 'created' }, pageSize, this.#next, signal);
        const copies = await this.#copies(page.items, isMarc, signal);
        this.#parts.push(new Blob([writer.text(page.items.map((book, i) => ({ book, copies: copies[i] ?? [] })))]));
        this.total = page.total;
        this.done += page.items.length;
        this.#next = page.next;
      } while (this.#next !== undefined);
      return new Blob([...this.#parts, writer.end]);
    } catch (thrown) {
      if (!signal.aborted && !wasAborted(thrown)) this.problem = problemFrom(thrown);
      return undefined;
    } finally {
      if (!this.problem) this.#parts = [];
      this.busy = false;
    }
  }

  /** Also forgets what a problem has left. */
  stop(): void {
    this.#abort?.abort();
    this.problem = undefined;
    this.#parts = [];
  }

  #begin(writer: FileWriter): void {
    this.#parts = [new Blob([writer.start])];
    this.#next = undefined;
    this.done = this.total = 0;
  }

  /** The copies of each book of a page, a few books at once; of those without one to lend only if all kinds count. */
  async #copies(books: readonly Book[], all: boolean, signal: AbortSignal): Promise<Copy[][]> {
    const found: Copy[][] = [];
    const waiting = [...books.entries()].filter(([, book]) => all || book.copies > 0);
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) found[next[0]] = await copiesIfThere(next[1].identifier, signal);
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, work));
    } finally {
      waiting.length = 0; // after a problem nothing more is asked
    }
    return found;
  }
}

/** A book may have been deleted meanwhile. */
async function copiesIfThere(book: string, signal: AbortSignal): Promise<Copy[]> {
  try {
    return await copiesOf(book, signal);
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.code === 'book_not_found') return [];
    throw thrown;
  }
}
