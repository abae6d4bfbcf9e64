import { SvelteMap } from 'svelte/reactivity';
import type { ImportResult, TableImport } from '../api/api';
import { asciiBytes, columnsOf, withHeadings, type Columns } from './columns';
import { bookFields, personFields, renamed, unusedColumn, type Fields, type Meanings } from './fields';
import { importTable, kindOf, sendParts, SharedCard, type What } from './parts';
import { problemFrom, wasAborted, type Problem } from '../api/problem';
import { session } from '../session/session.svelte';

/** What becomes of a row. People who have left and are not in the library stay out of it. */
export type Outcome = ImportResult['outcome'] | 'leftOut';

export const outcomeOf = ({ outcome, warnings = [] }: ImportResult): Outcome => (warnings.some(({ code }) => code === 'left_out') ? 'leftOut' : outcome);

/** A row of a file, as the library has read it. */
export type Row = ImportResult & { line: number };

/**
 * A card that would find a person, and stands beside several addresses. Of rows in one
 * part the library sees that itself; a long file comes in several.
 */
function sharedCard(rows: readonly Row[]): string | undefined {
  const found = new Map<string, { emails: Set<string>; updated: boolean }>();
  for (const { outcome, user } of rows) {
    if (!user?.card || outcome === 'invalid') continue;
    const of = found.get(user.card) ?? { emails: new Set(), updated: false };
    of.emails.add(user.email?.toLowerCase() ?? '');
    of.updated ||= outcome === 'updated';
    found.set(user.card, of);
  }
  return [...found].find(([, { emails, updated }]) => updated && emails.size > 1)?.[0];
}

/** An import on its way: a file, what would become of its rows, what became of them. */
export class Importing {
  name = $state('');
  file = $state.raw<Uint8Array<ArrayBuffer> | undefined>();
  /** What was read when the file was looked at. */
  rows = $state.raw<Row[]>([]);
  /** Columns that mean nothing to the library. */
  ignored = $state.raw<string[]>([]);
  /** By line. */
  results = new SvelteMap<number, ImportResult>();
  phase = $state<'choose' | 'checking' | 'preview' | 'running' | 'done' | 'stopped'>('choose');
  /** How many bytes of the file are done. */
  done = $state(0);
  problem = $state.raw<Problem | undefined>();
  update = $state(false);
  /** The columns of a table, and what the library takes them for. */
  table = $state.raw<Columns | undefined>();
  guessed = $state.raw<Meanings>([]);
  /** What somebody says that they mean; undefined until then. */
  columns = $state.raw<Meanings | undefined>();
  /** The first line is a record, too. */
  headless = $state(false);
  /** For people whose addresses are not in the file. */
  emailPattern = $state('');
  /** Whether people who are added get the role of a reader, unless the file says otherwise. */
  mayBorrow = $state(false);
  #abort: AbortController | undefined;
  /** By line, what runs of this file have added and updated. When it is sent again, these rows come back as unchanged. */
  #changed = new Map<number, ImportResult>();

  constructor(readonly what: What = 'books') {}

  /** What the columns can be. */
  get fields(): Fields {
    return this.what === 'books' ? bookFields : personFields;
  }

  /** How the file is written. */
  kind = $derived.by(() => (this.what === 'books' && this.file ? kindOf(this.file) : 'text/csv'));

  /** How many rows had, or would have, each outcome. */
  counts = $derived.by(() => {
    const counts: Record<Outcome, number> = { added: 0, updated: 0, unchanged: 0, leftOut: 0, differs: 0, invalid: 0 };
    for (const result of this.results.values()) counts[outcomeOf(result)]++;
    return counts;
  });

  /** Takes a file and looks at what would happen. The pattern of another file does not count for it. */
  async open(name: string, file: Uint8Array<ArrayBuffer>, emailPattern = ''): Promise<void> {
    this.reset();
    this.emailPattern = emailPattern;
    this.name = name;
    this.file = file;
    if (this.kind === 'text/csv') {
      this.table = columnsOf(asciiBytes(file));
      this.guessed = this.fields.guess(this.table?.headings ?? []);
    }
    await this.look();
  }

  /** Says whether the first line is a record, of which nobody knows yet what its columns mean. */
  async setHeadless(headless: boolean): Promise<void> {
    this.headless = headless;
    this.columns = headless ? this.table?.headings.map(() => undefined) : undefined;
    await this.look();
  }

  /** What would happen, without doing it. */
  async look(): Promise<void> {
    this.phase = 'checking';
    this.#changed.clear();
    this.rows = [];
    this.ignored = [];
    const all = await this.#send(true, ({ results, ignored = [] }) => {
      this.rows = this.rows.concat(results as Row[]);
      if (!this.headless) this.ignored = [...new Set(this.ignored.concat(ignored.map((name) => this.#heading(name))))];
    });
    const shared = all ? sharedCard(this.rows) : undefined;
    if (shared !== undefined) this.problem = new SharedCard(shared);
    if (all || this.problem) this.phase = 'preview';
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
    this.file = this.table = this.columns = undefined;
    this.headless = false;
    this.rows = [];
    this.results.clear();
    this.problem = undefined;
    this.phase = 'choose';
  }

  /** Sends the file, part by part. Says whether all of it went through. */
  async #send(dryRun: boolean, learn?: (answer: TableImport) => void): Promise<boolean> {
    this.stop();
    const { signal } = (this.#abort = new AbortController());
    this.results.clear();
    this.done = 0;
    this.problem = undefined;
    const given = this.file ?? new Uint8Array();
    const { table } = this;
    const headings = (!this.headless && table?.headings) || [];
    const names = this.columns && this.fields.name(this.columns, headings);
    const file = table && names ? withHeadings(asciiBytes(given), table, names, this.headless) : given;
    const pattern = this.emailPattern.trim();
    const emailPattern = names ? renamed(pattern, headings, names) : pattern;
    try {
      await sendParts(
        file,
        (part) => importTable(session.api, part, { what: this.what, kind: this.kind, update: this.update, emailPattern, roles: this.mayBorrow ? 'LIBRARY_USER' : '', dryRun }, signal),
        (answer, bytes) => {
          for (const result of answer.results as Row[]) {
            if (this.headless) result.line--; // the file has no line for the headings that were sent
            this.#take(result, dryRun);
          }
          learn?.(answer);
          this.done = bytes;
        },
      );
      return true;
    } catch (thrown) {
      if (!signal.aborted && !wasAborted(thrown)) this.problem = problemFrom(thrown);
      if (this.problem?.code === 'import_incomplete') this.#takeDone(this.problem);
      return false;
    }
  }

  /** What a column is called in the file that was chosen. */
  #heading(name: string): string {
    const at = this.columns && unusedColumn(name);
    return (at === undefined ? undefined : this.table?.headings[at]) || name;
  }

  #take(result: Row, dryRun: boolean): void {
    const earlier = this.#changed.get(result.line);
    const shown = earlier && result.outcome === 'unchanged' ? earlier : result;
    if (!dryRun && (shown.outcome === 'added' || shown.outcome === 'updated')) this.#changed.set(result.line, shown);
    this.results.set(result.line, shown);
  }

  /** Of a part that broke off, the first rows are done, as they were when the file was looked at. */
  #takeDone({ details }: Problem): void {
    const done = details.find((d) => d.code === 'rows_done')?.limit ?? 0;
    for (const row of this.rows.slice(this.results.size, this.results.size + done)) this.#take(row, false);
  }
}
