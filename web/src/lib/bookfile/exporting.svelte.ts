import { Problem, problemFrom, wasAborted } from '../api/problem';
import { session } from '../session/session.svelte';

/** The files that the library makes of its books. */
export type Format = 'csv' | 'spreadsheet' | 'json' | 'marc' | 'marcxml';

/** An export on its way. */
export class Exporting {
  /** How many books the file has. */
  total = $state(0);
  /** How many bytes have come. */
  bytes = $state(0);
  busy = $state(false);
  problem = $state.raw<Problem | undefined>();
  #abort: AbortController | undefined;

  /** The whole file, or undefined if it was stopped or has failed. */
  async run(format: Format, separator: 'comma' | 'semicolon'): Promise<Blob | undefined> {
    const query = format === 'spreadsheet' ? `csv&spreadsheet=true&separator=${separator}` : format;
    const { signal } = (this.#abort = new AbortController());
    this.problem = undefined;
    this.busy = true;
    this.bytes = this.total = 0;
    try {
      const response = await session.api.raw(`/exports/books?format=${query}`, { signal });
      this.total = Number(response.headers.get('X-Total-Count') ?? 0);
      const parts: Blob[] = []; // a browser may keep these on the disk
      for (const reader = response.body!.getReader(); ; ) {
        const { value, done } = await reader.read();
        if (done) return new Blob(parts);
        parts.push(new Blob([value]));
        this.bytes += value.length;
      }
    } catch (thrown) {
      if (!signal.aborted && !wasAborted(thrown)) this.problem = problemFrom(thrown);
      return undefined;
    } finally {
      this.busy = false;
    }
  }

  stop(): void {
    this.#abort?.abort();
    this.problem = undefined;
  }
}
