import type { Problem } from '../api/problem';
import { within } from '../desk/deskapi';
import { Queue } from '../desk/queue.svelte';
import { session } from '../session/session.svelte';
import { stocktakeKey, tabStorage } from '../shell/storage';
import type { Outcome, Scan } from './stocktakes';

const most = 50; // scans that are shown
const atOnce = 100; // codes of a file in a request

/** Where the person stands, and what becomes of copies of other shelves. */
export interface Standing {
  shelf?: string;
  move?: boolean;
}

/** What was scanned together. It is kept across a reload. */
interface Item extends Standing {
  stocktake: string;
  /** Under which it is done once, however often its answer is lost. */
  key: string;
  codes: string[];
  copies: string[];
  /** It is a part of a file. */
  file?: true;
}

/** A scan, and what has come of it. */
export interface Entry {
  id: number;
  code: string;
  scan?: Scan;
  /** Copies of other shelves belong there from now on. */
  moved?: string;
  problem?: Problem;
}

/** How far a file is. */
export interface Tally {
  codes: number;
  done: number;
  counts: Partial<Record<Outcome, number>>;
}

/** What is scanned for a stocktake. Without a connection it waits, in order, as at the desk. Nobody's name is kept. */
export class Taking {
  entries = $state.raw<Entry[]>([]);
  file = $state.raw<Tally | undefined>();
  readonly queue = new Queue<Item>(
    (item) => this.#send(item),
    (item, problem) => () => this.#take(item, item.codes.map((code) => ({ code, problem }))),
    () => this.#save(),
  );
  #next = 1;

  constructor(
    private readonly id: string,
    /** Is called after every answer, with what it was about unless that was a part of a file. */
    private readonly heard: (entry: Entry | undefined) => void,
  ) {}

  /** Goes on where this person was interrupted, until the returned function is called. */
  start(): () => void {
    return this.queue.start(this.#restore());
  }

  /** How many scans have no answer yet. */
  get waiting(): number {
    return this.queue.items.reduce((sum, { codes, copies }) => sum + codes.length + copies.length, 0);
  }

  scan(text: string, standing: Standing = {}): void {
    const code = text.trim().slice(0, 200);
    if (code !== '') this.#add({ codes: [code], copies: [], ...standing });
  }

  /** Ticks a copy off that has no barcode. */
  tick(copy: string, standing: Standing = {}): void {
    this.#add({ codes: [], copies: [copy], ...standing });
  }

  /** Takes the codes of a file. */
  read(codes: string[], standing: Standing = {}): void {
    this.file = { codes: codes.length, done: 0, counts: {} };
    for (let i = 0; i < codes.length; i += atOnce) this.#add({ codes: codes.slice(i, i + atOnce), copies: [], file: true, ...standing });
  }

  #add(item: Omit<Item, 'stocktake' | 'key'>): void {
    this.queue.add({ ...item, stocktake: this.id, key: crypto.randomUUID() });
  }

  async #send(item: Item): Promise<() => void> {
    const { stocktake: id, key, codes, copies, shelf, move = false } = item;
    const { data } = await within((signal) =>
      session.api.ask('post', '/stocktakes/{id}/scans', { path: { id }, header: { 'Idempotency-Key': key }, body: { codes, copies, shelf, move }, signal }),
    );
    const moved = (scan: Scan): string | undefined => (move && scan.outcome === 'elsewhere' ? scan.copy?.shelf : undefined);
    return () => this.#take(item, data.map((scan) => ({ code: scan.code ?? '', scan, moved: moved(scan) })));
  }

  #take(item: Item, came: Omit<Entry, 'id'>[]): void {
    this.#save();
    if (item.stocktake !== this.id) return; // of another one, left here when the page was closed
    // Of a file only those are named that are not in their place.
    const named = item.file ? came.filter(({ scan }) => scan?.outcome !== 'found' && scan?.outcome !== 'again') : came;
    this.entries = [...named.map((one) => ({ ...one, id: this.#next++ })).reverse(), ...this.entries].slice(0, most);
    if (item.file && this.file) {
      const counts = { ...this.file.counts };
      for (const { scan } of came) if (scan) counts[scan.outcome] = (counts[scan.outcome] ?? 0) + 1;
      this.file = { ...this.file, done: this.file.done + came.length, counts };
    }
    this.heard(item.file ? undefined : this.entries[0]);
  }

  #save(): void {
    if (session.me) tabStorage.setItem(stocktakeKey, JSON.stringify({ owner: session.me.identifier, items: this.queue.items }));
  }

  #restore(): Item[] {
    try {
      const saved = JSON.parse(tabStorage.getItem(stocktakeKey) ?? '{}') as { owner?: string; items?: Item[] };
      if (saved.owner === session.me?.identifier) return saved.items ?? [];
    } catch {
      // nothing of ours
    }
    tabStorage.removeItem(stocktakeKey);
    return [];
  }
}
