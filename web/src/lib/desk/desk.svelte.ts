import { untrack } from 'svelte';
import { page } from '../api/api';
import type { Loan, Hold } from '../api/api';
import { DeskWork, type Choice, type Copy, type Item, type Reader, type Result } from './desk';
import { deskApi } from './deskapi';
import { recallDesk, rememberDesk } from './deskmemory';
import { moved, undoTime, type Entry, type Offer } from './entry';
import { live } from '../catalogue/live.svelte';
import { Queue } from './queue.svelte';
import { session } from '../session/session.svelte';

const most = 100; // entries that are kept

/** What a reader has and may fetch. */
export interface Shelf {
  user: string;
  loans: Loan[];
  total: number;
  ready: Hold[];
}

/**
 * The desk. Scans wait in a queue, so that each means what it meant when it was
 * made. Everything is kept for this tab and this person, across a reload or a
 * session that ends.
 */
export class Desk {
  reader = $state.raw<Reader | undefined>();
  shelf = $state.raw<Shelf | undefined>();
  entries = $state.raw<Entry[]>([]);
  readonly queue = new Queue<Item>(
    (item) => this.#handle(item),
    (item, { code, message, kind }) => () => this.#take(item, { entry: { kind: 'refused', code, message, problem: kind, text: 'text' in item ? item.text : undefined } }),
    () => this.#save(),
  );
  /** What the last scan has come to. */
  result = $state.raw<Entry | undefined>();
  choices = $state.raw<Choice[] | undefined>();
  /** What was scanned or typed that leaves a choice. */
  question = $state('');
  now = $state(Date.now());
  #since = 0;
  #before: { text: string; at: number } | undefined;
  #next = 1;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #touched = new Set<string>();
  readonly #done: (entry: Entry | undefined, result: Result) => void;

  constructor(done: (entry: Entry | undefined, result: Result) => void) {
    this.#done = done;
  }

  /** Goes on where it was left; ends with the returned function. */
  start(): () => void {
    const stop = this.queue.start(this.#restore());
    this.#onChange(undefined);
    const deaf = live.listen((book) => this.#onChange(book));
    const clock = setInterval(() => (this.now = Date.now()), 1000);
    return () => {
      stop();
      deaf();
      clearInterval(clock);
      clearTimeout(this.#asking);
    };
  }

  scan(text: string): void {
    const clean = text.trim().slice(0, 200);
    if (clean !== '') this.#add({ do: 'scan', text: clean });
  }

  pick(choice: Choice): void {
    const text = this.question;
    this.choices = undefined;
    this.#add({ do: 'pick', choice, text });
  }

  undo(entry?: number): void {
    this.#add({ do: 'undo', entry });
  }

  /** Does what was offered for an entry. */
  accept(entry: number, offer: Offer): void {
    this.#add({ do: 'accept', entry, offer });
  }

  /** Shows an entry again that needs a hand. */
  recall(entry: Entry): void {
    this.result = entry;
  }

  /** The reader goes, after what was scanned before. */
  end(): void {
    this.#add({ do: 'end' });
  }

  /** What the reader has borrowed on this visit, the first at the top. */
  get visit(): Entry[] {
    const { reader } = this;
    return this.entries.filter((e) => ['lent', 'relent'].includes(e.kind) && e.user === reader?.identifier && e.at >= this.#since && !e.undone && !e.over && !e.since).reverse();
  }

  /** The record of the reader was edited. */
  edited(reader: Reader): void {
    if (reader.identifier === this.reader?.identifier) this.reader = reader;
    if (this.result?.kind === 'reader') this.result = undefined; // it may say that books can be lent
    this.#save();
  }

  /** Closes a question without an answer. */
  dismiss(): void {
    this.choices = undefined;
  }

  #add(what: Item extends infer I ? (I extends Item ? Omit<I, 'id' | 'at'> : never) : never): void {
    this.queue.add({ id: this.#next++, at: Date.now(), ...what } as Item);
  }

  async #handle(item: Item): Promise<() => void> {
    const result = await new DeskWork(deskApi, item, {
      reader: this.reader,
      entries: this.entries,
      since: this.#since,
      before: this.#before,
      attempt: (attempt) => {
        item.attempt = attempt;
        this.#save();
      },
    }).run();
    return () => this.#take(item, result);
  }

  /** Takes what came of an item. */
  #take(item: Item, result: Result): void {
    this.#before = item.do === 'scan' ? item : undefined;
    if (item.do === 'end') this.#end();
    else this.#displace();
    if (result.undone !== undefined) this.#change(result.undone, { undone: true });
    if (result.settled !== undefined) this.#change(result.settled, { offers: undefined });
    if (result.reader) {
      if (result.reader.identifier !== this.reader?.identifier) this.#since = Date.now();
      this.reader = result.reader;
      this.shelf = undefined;
    }
    const entry = result.entry && { ...result.entry, id: this.#next++, at: Date.now() };
    if (result.choices) {
      this.choices = result.choices;
      this.question = 'text' in item ? item.text : '';
      this.result = undefined;
    } else if (entry) this.result = entry;
    if (entry && moved(entry)) this.entries = this.entries.map((e) => (e.copy === entry.copy ? { ...e, over: true } : e));
    if (entry && entry.kind !== 'reader') this.entries = [entry, ...this.entries].slice(0, most);
    this.#count(entry);
    this.#save();
    this.#ask();
    this.#done(entry, result);
  }

  #end(): void {
    this.reader = undefined;
    this.shelf = undefined;
    this.choices = undefined;
    this.result = undefined;
  }

  /** A question about a scan that nobody has answered before the next is not forgotten. */
  #displace(): void {
    const [first] = this.choices ?? [];
    if (first && (first.do === 'lend' || first.do === 'return' || /\d/.test(this.question))) {
      const open: Entry = { id: this.#next++, at: Date.now(), kind: 'open', text: this.question };
      this.entries = [open, ...this.entries].slice(0, most);
    }
    this.choices = undefined;
  }

  /** The reader's books, before the library has counted them again. */
  #count(entry: Entry | undefined): void {
    const { reader } = this;
    if (!reader || !entry || entry.user !== reader.identifier) return;
    const step = { lent: 1, relent: 1, returned: -1, unlent: -1 }[entry.kind as string] ?? 0;
    const overdue = Math.max(0, reader.overdue - (entry.kind === 'returned' && entry.late ? 1 : 0));
    if (step !== 0) this.reader = { ...reader, loans: Math.max(0, reader.loans + step), overdue };
  }

  #change(id: number, change: Partial<Entry>): void {
    this.entries = this.entries.map((e) => (e.id === id ? { ...e, ...change } : e));
    if (this.result?.id === id) this.result = { ...this.result, ...change };
  }

  /** Somebody has done something with a book: here, at another desk, or a reader. */
  #onChange(book: string | undefined): void {
    for (const { book: own } of this.entries) if (own !== undefined && (book === undefined || own === book)) this.#touched.add(own);
    this.#ask();
  }

  /** Asks for what may have changed: a moment later, for all at once. */
  #ask(): void {
    this.#asking ??= setTimeout(() => {
      this.#asking = undefined;
      if (this.queue.items.length > 0) return this.#ask(); // scans come first
      void this.#readShelf();
      void this.#compare();
    }, 400);
  }

  async #readShelf(): Promise<void> {
    const user = this.reader?.identifier;
    if (user === undefined) return;
    try {
      const [loans, ready] = await Promise.all([
        session.api.ask('get', '/loans', { query: { user, limit: 100 } }).then(page),
        session.api.ask('get', '/holds', { query: { user, state: 'ready', limit: 20 } }),
      ]);
      if (this.reader?.identifier !== user || this.queue.items.length > 0) return;
      const { items, total } = loans;
      this.shelf = { user, loans: items, total, ready: ready.data };
      this.reader = { ...this.reader, loans: total, overdue: items.filter((l) => l.overdue).length };
      this.#save();
    } catch {
      // It is a courtesy: the desk works without it.
    }
  }

  /** What others have done with the copies of the last entries. */
  async #compare(): Promise<void> {
    const touched = new Set(this.#touched);
    this.#touched.clear();
    const wanted = this.entries.filter((e) => moved(e) && !e.over && !e.undone && touched.has(e.book as string));
    for (const entry of wanted.slice(0, 12)) {
      const copy = await deskApi.copy(entry.copy as string).catch(() => undefined);
      if (!copy || !this.queue.running) continue;
      this.#change(entry.id, { since: sinceThen(entry, copy) });
    }
    if (wanted.length > 0) this.#save();
  }

  #save(): void {
    if (!session.me) return; // an answer that comes after somebody has signed out leaves nothing behind
    const { reader, queue, entries } = this;
    rememberDesk({ owner: session.me.identifier, reader, since: this.#since, queue: queue.items, entries, next: this.#next });
  }

  /** Takes what was left, and returns the scans that still wait. */
  #restore(): Item[] {
    const saved = recallDesk(untrack(() => session.me?.identifier ?? ''));
    if (!saved) return [];
    this.reader = saved.reader;
    this.#since = saved.since;
    this.entries = saved.entries;
    this.#next = saved.next;
    const [last] = saved.entries;
    if (last && Date.now() - last.at < undoTime) this.result = last;
    return saved.queue;
  }
}

/** What has become of a copy since an entry was made. */
function sinceThen(entry: Entry, copy: Copy): Entry['since'] {
  const lent = entry.kind === 'lent' || entry.kind === 'relent';
  if (lent) return copy.loan?.identifier === entry.loan ? undefined : 'returned';
  return copy.loan ? 'lent' : undefined;
}
