// A library with one book, for tests of the desk.
import type { Book } from '../api/api';
import { DeskWork, type Attempt, type Code, type Copy, type DeskApi, type Item, type Reader, type Result, type Situation } from './desk';
import type { Entry } from './entry';
import { Problem } from '../api/problem';

export const bruce: Reader = { identifier: 'bruce', firstName: 'Bruce', lastName: 'Wayne', card: 'R1', active: true, loans: 0, overdue: 0 };
export const selina: Reader = { identifier: 'selina', firstName: 'Selina', lastName: 'Kyle', card: 'R2', active: true, loans: 1, overdue: 0 };
const person = ({ identifier, firstName, lastName }: Reader) => ({ identifier, firstName, lastName });
export const dracula: Book = { identifier: 'dracula', title: 'Dracula', kind: 'book', copies: 1, available: 1, borrowed: false };
const ref = { identifier: 'dracula', title: 'Dracula' };
export const due = '2026-12-12T22:59:59Z';

export const loan = (reader: Reader, copy: string, overdue = false) => ({
  identifier: `loan of ${copy}`, book: ref, copy: { identifier: copy }, user: person(reader), borrowedAt: due, dueAt: due, renewals: 0, overdue, renewable: true,
});
export const hold = (reader: Reader) => ({ identifier: 'hold', book: ref, user: person(reader), state: 'ready' as const, until: due, createdAt: due });
export const copy = (identifier: string, more: Partial<Copy> = {}): Copy => ({ identifier, state: 'lendable', ...more });

/** A library with one book, which says what it was asked to do. */
export class Library implements DeskApi {
  done: string[] = [];
  refuses: Problem | undefined;
  next: Reader | undefined;
  found: { readers: Reader[]; books: Book[] } = { readers: [], books: [] };

  constructor(
    public all: Copy[],
    private readonly isbn = 'isbn',
  ) {}

  /** The book with as many copies as there are. */
  get book(): Book {
    const lendable = this.all.filter((c) => c.state === 'lendable');
    return { ...dracula, copies: lendable.length, available: lendable.filter((c) => !c.loan && !c.hold).length };
  }

  async code(code: string): Promise<Code | undefined> {
    if (code === this.isbn) return { kind: 'book', books: [this.book] };
    const reader = [bruce, selina].find((r) => r.card === code);
    if (reader) return { kind: 'reader', reader };
    const found = this.all.find((c) => c.identifier === code);
    return found && { kind: 'copy', copy: found, book: this.book };
  }
  readers = async (): Promise<Reader[]> => this.found.readers;
  books = async (): Promise<Book[]> => this.found.books;
  copies = async (): Promise<Copy[]> => this.all;
  async seen(id: string): Promise<Copy> {
    const found = await this.copy(id);
    return found.state === 'missing' ? { ...found, state: 'lendable', wasMissing: true } : found;
  }
  copy = async (id: string): Promise<Copy> => this.all.find((c) => c.identifier === id) as Copy;
  loanOf = async (user: string) => this.all.find((c) => c.loan?.user?.identifier === user)?.loan;
  async loan(id: string) {
    const open = this.all.find((c) => c.loan?.identifier === id)?.loan;
    return open ?? { ...loan(bruce, 'a'), returnedAt: due };
  }
  async lend(user: string, what: { copy: string; swap?: boolean } | { book: string }) {
    const swapped = 'swap' in what || undefined;
    this.done.push(`${swapped ? 'swap and ' : ''}lend ${'copy' in what ? what.copy : 'any'} to ${user}`);
    if (this.refuses) throw this.refuses;
    return { swapped, ...loan(user === 'bruce' ? bruce : selina, 'copy' in what ? what.copy : 'some') };
  }
  async giveBack(id: string, asClaimed?: boolean) {
    this.done.push(`return ${id}${asClaimed ? ' as claimed' : ''}`);
    if (this.refuses) throw this.refuses;
    return { ...loan(bruce, 'a'), returnedAt: due, hold: this.next && hold(this.next) };
  }
  async giveBackAs(id: string, copy: string) {
    this.done.push(`return ${id} as ${copy}`);
    if (this.refuses) throw this.refuses;
    return { ...loan(selina, copy), identifier: id, returnedAt: due, hold: this.next && hold(this.next) };
  }
  async move(id: string, copy: string) {
    this.done.push(`move ${id} to ${copy}`);
    return { ...loan(selina, copy), identifier: id };
  }
  async reserve(user: string) {
    this.done.push(`reserve for ${user}`);
    if (this.refuses) throw this.refuses;
    return { ...hold(bruce), state: 'waiting' as const, position: 2 };
  }
  holdOf = async () => undefined;
  async unreserve(id: string): Promise<void> {
    this.done.push(`unreserve ${id}`);
  }
  async undoReturn(id: string) {
    this.done.push(`reopen ${id}`);
    if (this.refuses) throw this.refuses;
    return loan(bruce, 'a');
  }
}

export let attempts: Attempt[] = [];
export const run = (library: Library, what: string | Partial<Item>, now: Partial<Situation> = {}): Promise<Result> => {
  attempts = [];
  const item = { id: 1, at: 100_000, ...(typeof what === 'string' ? { do: 'scan', text: what } : what) } as Item;
  return new DeskWork(library, item, { reader: undefined, entries: [], since: 0, attempt: (a) => attempts.push(a), ...now }).run();
};
export const entry = (more: Partial<Entry>): Entry => ({ id: 7, at: 95_000, kind: 'lent', title: 'Dracula', book: 'dracula', copy: 'a', loan: 'loan of a', user: 'bruce', name: 'Bruce Wayne', ...more });

