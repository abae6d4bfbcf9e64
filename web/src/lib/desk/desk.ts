import type { Book } from '../api/api';
import { isCode } from '../api/codes';
import { searchWords } from '../catalogue/isbn';
import { about, asideOf, latest, lentAs, undoable, type Draft, type Entry } from './entry';
import { nameOf } from '../people/name';
import { problemFrom, type Problem } from '../api/problem';
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Code = Schemas['Code'];
export type Copy = Schemas['Copy'];
export type Reader = Schemas['Reader'];
type Loan = Schemas['Loan'];

/** What the desk asks of the library. A refusal is thrown as a `Problem`. */
export interface DeskApi {
  /** What a code stands for; nothing if the library does not know it. */
  code(code: string): Promise<Code | undefined>;
  readers(q: string): Promise<Reader[]>;
  books(q: string): Promise<Book[]>;
  copies(book: string): Promise<Copy[]>;
  copy(id: string): Promise<Copy>;
  /** The loan of a book that a person has now. */
  loanOf(user: string, book: string): Promise<Loan | undefined>;
  loan(id: string): Promise<Loan>;
  lend(user: string, what: { copy: string } | { book: string }): Promise<Loan>;
  giveBack(loan: string): Promise<Loan>;
}

/** Something that the person at the desk can pick. */
export type Choice =
  | { do: 'reader'; reader: Reader }
  | { do: 'book'; book: Book }
  | { do: 'lend'; copy: Copy; book: Book }
  | { do: 'return'; copy: Copy; book: Book };

/** What was sent and may have arrived although no answer came. */
export type Attempt =
  | { do: 'lend'; user: string; book: string; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'lent' | 'relent' }
  | { do: 'return'; loan: string; copy: string | undefined; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'returned' | 'unlent' };

/** Something to be done, in order. */
export type Item = { id: number; at: number; attempt?: Attempt } & (
  | { do: 'scan'; text: string }
  | { do: 'pick'; choice: Choice; text: string }
  | { do: 'undo'; entry?: number }
  | { do: 'end' }
);

/** What there is to know when an item is handled. */
export interface Situation {
  reader: Reader | undefined;
  /** What was done, newest first. */
  entries: readonly Entry[];
  /** When the reader was chosen. */
  since: number;
  /** What was scanned right before, and when. */
  before?: { text: string; at: number };
  /** Called before something is sent that must not be sent twice. */
  attempt: (attempt: Attempt) => void;
}

export interface Result {
  entry?: Draft;
  choices?: Choice[];
  reader?: Reader;
  /** The entry that was undone. */
  undone?: number;
}

/** A scanner that reads a label twice does so within this time. */
const twiceTime = 2_000;

/** The text as a code, or '' if it cannot be one. */
export function asCode(text: string): string {
  const code = searchWords(text);
  return isCode(code) ? code : '';
}

/** Decides what a scan means, and does it. */
export class DeskWork {
  constructor(
    private readonly api: DeskApi,
    private readonly item: Item,
    private readonly now: Situation,
  ) {}

  async run(): Promise<Result> {
    const { item } = this;
    const outcome = item.attempt && (await this.#outcomeOf(item.attempt));
    if (outcome) return item.do === 'undo' ? { entry: outcome, undone: this.#undoing(item.entry)?.id } : { entry: outcome };
    if (item.do === 'scan') return this.#scan(item.text);
    if (item.do === 'undo') return this.#undo(this.#undoing(item.entry));
    if (item.do === 'end') return {};
    const { choice } = item;
    if (choice.do === 'reader') return this.#reader(choice.reader);
    if (choice.do === 'book') return this.#book(choice.book);
    if (choice.do === 'lend') return this.#lend(choice.book, choice.copy);
    return this.#giveBack(choice.copy, choice.book);
  }

  /** Finds out whether something that was sent without an answer has arrived. */
  async #outcomeOf(attempt: Attempt): Promise<Draft | undefined> {
    if (attempt.do === 'lend') {
      const loan = await this.api.loanOf(attempt.user, attempt.book);
      const same = attempt.entry.copy === undefined || loan?.copy?.identifier === attempt.entry.copy;
      return loan && same ? { ...attempt.entry, ...lentAs(loan), kind: attempt.kind } : undefined;
    }
    const loan = await this.api.loan(attempt.loan);
    if (loan.returnedAt === undefined) return undefined;
    const hold = attempt.copy === undefined ? undefined : (await this.api.copy(attempt.copy)).hold;
    return { ...attempt.entry, aside: asideOf(hold), kind: attempt.kind };
  }

  async #scan(text: string): Promise<Result> {
    const code = asCode(text);
    const found = code === '' ? undefined : await this.api.code(code);
    if (!found) return this.#search(text);
    if (found.reader) return this.#reader(found.reader);
    if (found.copy && found.book) return this.#copy(found.copy, found.book);
    const books = found.books ?? [];
    if (books.length === 1) return this.#book(books[0] as Book);
    return { choices: books.map((book) => ({ do: 'book', book })) };
  }

  /** Names and titles are typed by hand. */
  async #search(text: string): Promise<Result> {
    const q = searchWords(text);
    const [readers, books] = await Promise.all([this.api.readers(q), this.api.books(q)]);
    if (readers.length === 1 && books.length === 0) return this.#reader(readers[0] as Reader);
    if (readers.length + books.length === 0) return { entry: { kind: 'unknown', text } };
    return { choices: [...readers.map((reader): Choice => ({ do: 'reader', reader })), ...books.map((book): Choice => ({ do: 'book', book }))] };
  }

  #reader(reader: Reader): Result {
    const { identifier: user, loans, overdue } = reader;
    return { reader, entry: { kind: 'reader', user, name: nameOf(reader), loans, overdue } };
  }

  /** A copy is in the hand of the person at the desk. */
  async #copy(copy: Copy, book: Book): Promise<Result> {
    const { reader, entries, since } = this.now;
    const last = latest(entries, copy.identifier);
    // A lent copy that was lent a moment ago was scanned once too often; to return it would be a surprise.
    const visit = reader && last?.kind === 'lent' && !last.undone && last.loan === copy.loan?.identifier && last.at >= since;
    const { item, now: { before } } = this;
    const twice = item.do === 'scan' && item.text === before?.text && item.at - before.at < twiceTime;
    if (last && twice) return { entry: { ...about(book, copy), kind: 'twice', name: last.name } };
    if (last && visit) return { entry: { ...about(book, copy), kind: 'already', user: last.user, name: last.name, dueAt: last.dueAt } };
    if (copy.loan) return this.#giveBack(copy, book);
    if (reader) return this.#lend(book, copy);
    return { entry: { ...about(book, copy), kind: 'free', aside: asideOf(copy.hold) } };
  }

  /** An ISBN says which book it is, but not which copy. */
  async #book(book: Book): Promise<Result> {
    const copies = await this.api.copies(book.identifier);
    const [only] = copies;
    if (only && copies.length === 1) return this.#copy(only, book);
    const { reader } = this.now;
    const lent = copies.filter((c) => c.loan);
    if (reader) {
      const theirs = lent.find((c) => c.loan?.user?.identifier === reader.identifier);
      if (theirs) return this.#copy(theirs, book);
      const ready = copies.find((c) => c.hold?.user?.identifier === reader.identifier);
      if (ready) return this.#lend(book, ready);
    }
    const free = copies.filter((c) => c.state === 'lendable' && !c.loan && !c.hold);
    if (reader && (free.length > 0 || lent.length === 0)) {
      // Copies without a difference: any of them will do.
      if (free.length < 2 || free.every((c) => c.barcode === undefined)) return this.#lend(book, free.length === 1 ? free[0] : undefined);
      return { choices: free.map((copy) => ({ do: 'lend', copy, book })) };
    }
    if (lent.length === 1 && free.length === 0) return this.#giveBack(lent[0] as Copy, book);
    if (lent.length > 0) return { choices: lent.map((copy) => ({ do: 'return', copy, book })) };
    const held = copies.find((c) => c.hold);
    const shown = free[0] ?? held ?? only;
    return { entry: { ...about(book, shown), kind: 'free', aside: free.length === 0 ? asideOf(held?.hold) : undefined } };
  }

  async #lend(book: Book, copy?: Copy): Promise<Result> {
    const { reader } = this.now;
    if (!reader) return { entry: { ...about(book, copy), kind: 'free', aside: asideOf(copy?.hold) } };
    const entry = {
      ...about(book, copy),
      user: reader.identifier,
      name: nameOf(reader),
      fulfilled: copy?.hold?.user?.identifier === reader.identifier || undefined,
    };
    this.now.attempt({ do: 'lend', kind: 'lent', user: reader.identifier, book: book.identifier, entry });
    try {
      const loan = await this.api.lend(reader.identifier, copy ? { copy: copy.identifier } : { book: book.identifier });
      return { entry: { ...entry, ...lentAs(loan), kind: 'lent' } };
    } catch (thrown) {
      const why = refusal(thrown);
      // That the reader has another copy is beside the point if this one is not lent to anybody.
      if (why.code === 'has_it' && copy && copy.state !== 'lendable') why.code = 'not_lendable';
      return { entry: { ...entry, ...why, overdue: reader.overdue, loans: reader.loans, aside: asideOf(copy?.hold) } };
    }
  }

  async #giveBack(copy: Copy, book: Book): Promise<Result> {
    const { reader } = this.now;
    const loan = copy.loan as Loan;
    const entry = {
      ...about(book, copy),
      loan: loan.identifier,
      user: loan.user?.identifier,
      name: nameOf(loan.user),
      dueAt: loan.dueAt,
      late: loan.overdue || undefined,
      offer: reader && reader.identifier !== loan.user?.identifier ? nameOf(reader) : undefined,
    };
    this.now.attempt({ do: 'return', kind: 'returned', loan: loan.identifier, copy: copy.identifier, entry });
    try {
      const { hold } = await this.api.giveBack(loan.identifier);
      return { entry: { ...entry, kind: 'returned', aside: asideOf(hold) } };
    } catch (thrown) {
      return { entry: { ...entry, ...refusal(thrown) } };
    }
  }

  /** The entry that is meant, or the newest that can be undone. */
  #undoing(id: number | undefined): Entry | undefined {
    return this.now.entries.find((e) => (id === undefined ? undoable(e, this.item.at) : e.id === id));
  }

  async #undo(entry: Entry | undefined): Promise<Result> {
    if (!entry || !undoable(entry, this.item.at)) return { entry: { kind: 'stuck', title: entry?.title, book: entry?.book, code: 'late' } };
    const { title, author, book, copy, barcode, shelf, state, user, name, loan, fulfilled } = entry;
    const base = { title, author, book, copy, barcode, shelf, state, user, name, fulfilled };
    try {
      if (entry.kind === 'lent' && loan !== undefined) {
        this.now.attempt({ do: 'return', kind: 'unlent', loan, copy, entry: base });
        const { hold } = await this.api.giveBack(loan);
        return { undone: entry.id, entry: { ...base, kind: 'unlent', aside: asideOf(hold) } };
      }
      if (user === undefined || book === undefined) return { entry: { ...base, kind: 'stuck', code: 'late' } };
      this.now.attempt({ do: 'lend', kind: 'relent', user, book, entry: base });
      const again = await this.api.lend(user, copy === undefined ? { book } : { copy });
      return { undone: entry.id, entry: { ...base, ...lentAs(again), kind: 'relent' } };
    } catch (thrown) {
      const why = refusal(thrown);
      const aside = why.code === 'reserved' && copy !== undefined ? (entry.aside ?? asideOf((await this.api.copy(copy)).hold)) : undefined;
      return { entry: { ...base, ...why, kind: 'stuck', aside } };
    }
  }
}

/** A refusal becomes an entry; what may be tried again is thrown. */
function refusal(thrown: unknown): { kind: 'refused'; code: string; message: string; problem: Problem['kind'] } {
  const problem = problemFrom(thrown);
  if (mayRetry(problem) || problem.kind === 'ended') throw problem;
  return { kind: 'refused', code: problem.code, message: problem.message, problem: problem.kind };
}

/** There was no answer: the scan waits to be sent again. */
export function mayRetry(problem: Problem): boolean {
  return ['offline', 'unreachable', 'busy', 'provider'].includes(problem.kind);
}
