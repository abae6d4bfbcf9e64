import type { Book } from '../api/api';
import { isCode } from '../api/codes';
import { searchWords } from '../catalogue/isbn';
import { checkIsbn } from '../catalogue/isbncheck';
import { about, asideOf, latest, lentAs, undoable, type Draft, type Entry, type Offer } from './entry';
import { accept, claims, heldAs, lentToAnother, reservation, returned, returns } from './offers';
import { mayRetry } from './retry';
import { nameOf } from '../people/name';
import { problemFrom, type Problem } from '../api/problem';
import type { Attempt, Choice, Copy, DeskApi, Item, Loan, Reader, Result, Situation } from './item';

export type * from './item';

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
    if (outcome && item.do === 'undo') return { entry: outcome, undone: this.#undoing(item.entry)?.id };
    if (outcome) return { entry: outcome, settled: item.do === 'accept' ? item.entry : undefined };
    if (item.do === 'scan') return this.#scan(item.text);
    if (item.do === 'undo') return this.#undo(this.#undoing(item.entry));
    if (item.do === 'accept') return this.#accept(item.entry, item.offer);
    if (item.do === 'end') return {};
    const { choice } = item;
    if (choice.do === 'reader') return this.#reader(choice.reader);
    if (choice.do === 'book') return this.#book(choice.book, checkIsbn(item.text) === 'length');
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
    if (attempt.do === 'hold') {
      const hold = await this.api.holdOf(attempt.user, attempt.book);
      return hold && { ...attempt.entry, ...heldAs(hold), kind: attempt.kind };
    }
    const loan = await this.api.loan(attempt.loan);
    if (attempt.do === 'reopen') return loan.returnedAt === undefined ? { ...attempt.entry, ...lentAs(await this.#putBack(loan, attempt.entry)), kind: attempt.kind } : undefined;
    if (loan.returnedAt === undefined) return undefined;
    const hold = attempt.copy === undefined ? undefined : (await this.api.copy(attempt.copy)).hold;
    return { ...attempt.entry, aside: asideOf(hold), kind: attempt.kind };
  }

  async #scan(text: string): Promise<Result> {
    const code = asCode(text);
    const found = code === '' ? undefined : await this.api.code(code);
    if (!found) return this.#search(text);
    if (found.reader) return this.#reader(found.reader);
    if (found.copy && found.book) return this.#copy(found.copy.loan ? found.copy : await this.api.seen(found.copy.identifier), found.book);
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
    const { identifier: user, loans, overdue, block } = reader;
    return { reader, entry: { kind: 'reader', user, name: nameOf(reader), loans, overdue, block, off: isOff(reader) } };
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
    if (copy.loan?.claimedAt) return this.#giveBack(copy, book);
    if (copy.loan) return (await this.#ofAnother(copy, book)) ?? this.#giveBack(copy, book);
    if (reader) return this.#lend(book, copy);
    // Perhaps it comes back, and the records name another copy of this book.
    const offers = returns(await this.api.copies(book.identifier));
    return { entry: { ...about(book, copy), kind: 'free', aside: asideOf(copy.hold), offers: offers.length > 0 ? offers : undefined } };
  }

  /** A copy that somebody else has by the records, where it may be that copies were swapped. */
  async #ofAnother(copy: Copy, book: Book): Promise<Result | undefined> {
    const { reader } = this.now;
    if (!reader || reader.identifier === copy.loan?.user?.identifier) return undefined;
    const offers = await lentToAnother(this.api, copy, book, reader);
    return offers.length > 0 ? { entry: { ...about(book, copy), kind: 'refused', code: 'copy_on_loan', user: reader.identifier, name: nameOf(reader), offers } } : undefined;
  }

  /** An ISBN says which book it is, but not which copy. */
  async #book(book: Book, found = false): Promise<Result> {
    const copies = await this.api.copies(book.identifier);
    const [only] = copies;
    const { reader } = this.now;
    const free = copies.filter((c) => c.state === 'lendable' && !c.loan && !c.hold);
    // A book that was found by its title need not be in anybody's hand.
    if (reader && found && free.length === 0 && book.copies > 0 && !copies.some((c) => (c.loan ?? c.hold)?.user?.identifier === reader.identifier)) {
      const offers = [...(reservation(reader, { ...book, available: 0 }) ?? []), ...returns(copies)];
      return { entry: { ...about(book, undefined), kind: 'refused', code: 'none_free', user: reader.identifier, name: nameOf(reader), offers } };
    }
    if (only && copies.length === 1) return this.#copy(only, book);
    const lent = copies.filter((c) => c.loan);
    if (reader) {
      const theirs = lent.find((c) => c.loan?.user?.identifier === reader.identifier);
      if (theirs) return this.#copy(theirs, book);
      const ready = copies.find((c) => c.hold?.user?.identifier === reader.identifier);
      if (ready) return this.#lend(book, ready);
    }
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
    if (isOff(reader)) return { entry: { ...entry, kind: 'refused', code: 'off' } };
    this.now.attempt({ do: 'lend', kind: 'lent', user: reader.identifier, book: book.identifier, entry });
    try {
      const loan = await this.api.lend(reader.identifier, copy ? { copy: copy.identifier } : { book: book.identifier });
      return { entry: { ...entry, ...lentAs(loan), kind: 'lent' } };
    } catch (thrown) {
      const why = refusal(thrown);
      // That the reader has another copy is beside the point if this one is not lent to anybody.
      if (why.code === 'has_it' && copy && copy.state !== 'lendable') why.code = 'not_lendable';
      const offers = await this.#instead(why.code, book, copy, reader);
      return { entry: { ...entry, ...why, overdue: reader.overdue, loans: reader.loans, aside: asideOf(copy?.hold), offers } };
    }
  }

  /** What can be done after a refusal. */
  async #instead(code: string, book: Book, copy: Copy | undefined, reader: Reader): Promise<Offer[] | undefined> {
    if (code === 'reserved' || code === 'already_borrowed') return reservation(reader, book);
    if (!copy) return undefined;
    if (code === 'copy_on_loan') {
      const now = await this.api.copy(copy.identifier);
      return now.loan && lentToAnother(this.api, now, { ...book, available: 1 }, reader);
    }
    const own = code === 'has_it' ? await this.api.loanOf(reader.identifier, book.identifier) : undefined;
    return own && own.copy?.identifier !== copy.identifier ? [returned(own)] : undefined;
  }

  async #accept(id: number, offer: Offer): Promise<Result> {
    const entry = this.now.entries.find((e) => e.id === id);
    if (!entry?.offers) return {};
    try {
      return { entry: await accept(this.api, entry, offer, this.now.attempt), settled: id };
    } catch (thrown) {
      const { title, author, book, copy, barcode, shelf, state } = entry;
      return { entry: { title, author, book, copy, barcode, shelf, state, name: offer.name, loan: offer.do === 'return' ? offer.loan : undefined, ...refusal(thrown) }, settled: id };
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
    if (loan.claimedAt) return { entry: { ...entry, kind: 'refused', code: 'claimed', claimedAt: loan.claimedAt, offers: claims({ ...loan, copy }) } };
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
    const { title, author, book, copy, barcode, shelf, state, user, name, loan, fulfilled, swap, hold } = entry;
    const base = { title, author, book, copy, barcode, shelf, state, user, name, fulfilled, swap };
    try {
      if (entry.kind === 'held' && hold) {
        await this.api.unreserve(hold);
        return { undone: entry.id, entry: { ...base, kind: 'unheld' } };
      }
      if (loan === undefined) return { entry: { ...base, kind: 'stuck', code: 'late' } };
      if (entry.kind === 'lent') {
        this.now.attempt({ do: 'return', kind: 'unlent', loan, copy, entry: base });
        if (swap) await this.api.move(swap.loan, swap.copy); // to the copy that it had
        const { hold } = await this.api.giveBack(loan);
        return { undone: entry.id, entry: { ...base, kind: 'unlent', aside: asideOf(hold) } };
      }
      this.now.attempt({ do: 'reopen', kind: 'relent', loan, entry: base });
      const again = await this.#putBack(await this.api.undoReturn(loan), base);
      return { undone: entry.id, entry: { ...base, ...lentAs(again), kind: 'relent', late: again.overdue || undefined } };
    } catch (thrown) {
      return { entry: { ...base, ...refusal(thrown), kind: 'stuck' } };
    }
  }

  /** Moves a loan that is open again to the copy that it had before its return. */
  async #putBack(loan: Loan, { swap }: Pick<Entry, 'swap'>): Promise<Loan> {
    if (!swap || loan.copy?.identifier === swap.copy) return loan;
    try {
      return await this.api.move(loan.identifier, swap.copy);
    } catch (thrown) {
      refusal(thrown); // set aside for somebody meanwhile: the loan is open, of the copy in the hand
      return loan;
    }
  }
}

/** Nothing is lent to somebody who is switched off. */
const isOff = (reader: Reader): true | undefined => (reader.active === false ? true : undefined);

/** A refusal becomes an entry; what may be tried again is thrown. */
function refusal(thrown: unknown): { kind: 'refused'; code: string; message: string; problem: Problem['kind'] } {
  const problem = problemFrom(thrown);
  if (mayRetry(problem) || problem.kind === 'ended') throw problem;
  return { kind: 'refused', code: problem.code, message: problem.message, problem: problem.kind };
}
