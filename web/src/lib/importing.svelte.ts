import { SvelteMap } from 'svelte/reactivity';
import type { BookInput, ImportResult } from './api';
import { batches, readTable, type Row, type Table } from './booktable';
import { problemFrom, wasAborted, type Problem } from './problem';
import { session } from './session.svelte';

export type Outcome = ImportResult['outcome'];

/** An import on its way: a file, what would become of its rows, what became of them. */
export class Importing {
  name = $state('');
  text = '';
  table = $state.raw<Table | undefined>();
  /** By line. */
  results = new SvelteMap<number, ImportResult>();
  phase = $state<'choose' | 'checking' | 'preview' | 'running' | 'done' | 'stopped'>('choose');
  done = $state(0);
  problem = $state.raw<Problem | undefined>();
  update = $state(false);
  #abort: AbortController | undefined;

  get rows(): Row[] {
    return this.table?.rows ?? [];
  }

  /** How many rows had, or would have, each outcome. */
  counts = $derived.by(() => {
    const counts: Record<Outcome, number> = { added: 0, updated: 0, unchanged: 0, differs: 0, invalid: 0 };
    for (const row of this.rows) {
      const outcome = this.outcome(row);
      if (outcome) counts[outcome]++;
    }
    return counts;
  });

  outcome(row: Row): Outcome | undefined {
    return row.fault ? 'invalid' : this.results.get(row.line)?.outcome;
  }

  /** Takes a file and looks at what would happen. Throws if it is no table of books. */
  async open(name: string, text: string): Promise<void> {
    this.stop();
    this.table = undefined;
    this.table = readTable(text);
    this.name = name;
    this.text = text;
    await this.look();
  }

  /** What would happen, without doing it. */
  async look(): Promise<void> {
    this.phase = 'checking';
    if (await this.#send(true)) this.phase = 'preview';
    else if (this.problem) this.phase = 'preview';
  }

  async run(): Promise<void> {
    this.phase = 'running';
    this.phase = (await this.#send(false)) ? 'done' : 'stopped';
  }

  stop(): void {
    this.#abort?.abort();
  }

  reset(): void {
    this.stop();
    this.table = undefined;
    this.results.clear();
    this.problem = undefined;
    this.phase = 'choose';
  }

  /** Sends all rows, portion by portion. Says whether all of them went through. */
  async #send(dryRun: boolean): Promise<boolean> {
    this.stop();
    const abort = (this.#abort = new AbortController());
    this.results.clear();
    this.done = 0;
    this.problem = undefined;
    try {
      for (const batch of batches(this.rows)) {
        const books = batch.map((r) => r.book as BookInput);
        const results = await session.api.importBooks(books, { update: this.update, dryRun }, abort.signal);
        batch.forEach((row, i) => {
          const result = results[i];
          if (result) this.results.set(row.line, result);
        });
        this.done += batch.length;
      }
      return true;
    } catch (thrown) {
      if (!abort.signal.aborted && !wasAborted(thrown)) this.problem = problemFrom(thrown);
      return false;
    }
  }
}
