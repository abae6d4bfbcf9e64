import type { Loan } from '../api/api';
import { Problem } from '../api/problem';
import { Queue } from '../desk/queue.svelte';
import { i18n } from '../text/i18n.svelte';
import { isIn, loansOf, takeBack, type Back, type Returned, type Setup } from './classapi';
import { recall, remember } from './memory';

const most = 50; // scans that are shown

/** What has come of a scan. */
export interface Entry {
  id: number;
  code: string;
  loan?: Loan;
  /** Why no loan has ended. */
  problem?: Problem;
}

/** A copy that nobody has by the records, and those of the class whose it may be. */
export interface Unclear {
  code: string;
  loans: Loan[];
}

/** Copies that a class brings back. Each scan ends its loan at once; without a connection it waits. */
export class Collecting {
  setup = $state.raw<Setup | undefined>();
  entries = $state.raw<Entry[]>([]);
  /** All that the class has. */
  #loans = $state.raw<Loan[]>([]);
  /** The books that are collected: the title, or those that were scanned. */
  #books = $state.raw<string[]>([]);
  #unclear = $state.raw<Unclear[]>([]);
  readonly queue = new Queue<Back>(
    (item) => this.#send(item),
    (item, problem) => () => this.#say({ code: item.code, problem }),
    () => this.#save(),
  );
  #next = 1;

  constructor(private readonly heard: (entry: Entry) => void) {}

  /** Goes on where this person was interrupted, until the returned function is called. */
  start(): () => void {
    const { setup, books = [], items = [] } = recall().collecting ?? {};
    [this.setup, this.#books] = [setup, books];
    if (setup) void this.read().catch(() => undefined); // the first scan says what is wrong
    return this.queue.start(items);
  }

  /** Reads what a class has. Reports whether it has anything. */
  async open(setup: Setup): Promise<boolean> {
    const loans = await loansOf(setup.group, setup.book?.identifier);
    if (loans.length === 0) return false;
    this.setup = { ...setup, group: loans[0]?.user?.group ?? setup.group };
    [this.#loans, this.#books, this.#unclear, this.entries] = [loans, setup.book ? [setup.book.identifier] : [], [], []];
    this.#save();
    return true;
  }

  async read(): Promise<void> {
    if (this.setup) this.#loans = await loansOf(this.setup.group, this.setup.book?.identifier);
  }

  close(): void {
    [this.setup, this.#loans, this.#books, this.#unclear, this.entries] = [undefined, [], [], [], []];
    this.#save();
  }

  /** Ends the loan of a copy, or a named one. */
  scan(text: string, loan?: string): void {
    const code = text.trim().slice(0, 200);
    if (code !== '' && this.setup) this.queue.add({ code, loan, group: this.setup.group, key: crypto.randomUUID() });
  }

  /** What is still to come, by name. */
  get missing(): Loan[] {
    const { compare } = new Intl.Collator(i18n.language);
    const name = ({ user }: Loan): string => `${user?.lastName} ${user?.firstName}`;
    return this.#loans.filter(({ book }) => book.identifier && this.#books.includes(book.identifier)).toSorted((a, b) => compare(name(a), name(b)));
  }

  /** Copies that nobody has, with those who still miss a copy of the book. */
  get unclear(): Unclear[] {
    const open = new Set(this.#loans.map(({ identifier }) => identifier));
    return this.#unclear.map(({ code, loans }) => ({ code, loans: loans.filter(({ identifier }) => open.has(identifier)) })).filter(({ loans }) => loans.length > 0);
  }

  /** Whether something is back, and nothing is missing. */
  get complete(): boolean {
    return this.#books.length > 0 && this.missing.length === 0;
  }

  async #send({ code, loan, group, key }: Back): Promise<() => void> {
    const came = await takeBack(group, code, loan, key);
    return () => this.#take(code, came);
  }

  #take(code: string, { loan, code: why, status, candidates = [] }: Returned): void {
    this.#unclear = this.#unclear.filter((one) => one.code !== code);
    if (loan) {
      this.#loans = this.#loans.filter(({ identifier }) => identifier !== loan.identifier);
      this.#collect(loan);
      return this.#say({ code, loan });
    }
    if (why === 'not_borrowed' && this.setup) {
      const { group } = this.setup;
      const mine = candidates.filter(({ user }) => isIn(group, user));
      if (mine[0]) this.#collect(mine[0]);
      this.#unclear = [...this.#unclear, { code, loans: mine }];
    }
    this.#say({ code, problem: new Problem(status === 404 ? 'missing' : 'conflict', why) });
  }

  /** Notes the book as one that is collected. */
  #collect({ book: { identifier } }: Loan): void {
    if (identifier && !this.setup?.book && !this.#books.includes(identifier)) this.#books = [...this.#books, identifier];
  }

  #say(came: Omit<Entry, 'id'>): void {
    const entry = { ...came, id: this.#next++ };
    this.entries = [entry, ...this.entries].slice(0, most);
    this.#save();
    this.heard(entry);
  }

  #save(): void {
    remember({ collecting: { setup: this.setup, books: this.#books, items: this.queue.items } });
  }
}
