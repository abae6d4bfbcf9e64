import type { Book } from '../api/api';
import { nameOf } from '../people/name';
import type { Problem } from '../api/problem';
import type { components } from '../api/schema';

type Schemas = components['schemas'];

/** For whom a copy is set aside, and until when. */
export interface Aside {
  name: string;
  until?: string;
}

/** What puts an entry right. */
export interface Offer {
  /** A loan ends with the copy, the copy is lent although somebody has it by the records, or the book is reserved. */
  do: 'return' | 'lend' | 'hold';
  /** The loan that ends or moves, and the copy that it is of by the records. */
  loan?: string;
  copy?: string;
  barcode?: string;
  dueAt?: string;
  late?: boolean;
  /** Two people have each other's copy: their loans exchange them first. */
  exchange?: boolean;
  /** The loan ends as of then: the reader said so. */
  claimedAt?: string;
  user?: string;
  name: string;
}

/** What became of a scan. It is kept across a reload, so there is nothing secret in it. */
export interface Entry {
  id: number;
  /** When it was done. */
  at: number;
  kind:
    | 'reader' // somebody was chosen
    | 'lent'
    | 'returned'
    | 'free' // nobody has it, and nobody is there to borrow it
    | 'already' // lent to this very reader a moment ago
    | 'twice' // the scanner has read it twice
    | 'refused'
    | 'unknown'
    | 'open' // a question that was not answered before the next scan came
    | 'unlent' // a loan was undone
    | 'relent' // a return was undone
    | 'held' // the book was reserved
    | 'unheld' // a reservation was undone
    | 'stuck'; // it cannot be undone
  /** What was scanned or typed. */
  text?: string;
  title?: string;
  author?: string;
  book?: string;
  copy?: string;
  barcode?: string;
  shelf?: string;
  note?: string;
  state?: Schemas['CopyState'];
  loan?: string;
  user?: string;
  name?: string;
  dueAt?: string;
  /** It came back after its date. */
  late?: boolean;
  aside?: Aside;
  /** Somebody else is at the desk, who may want it. */
  offer?: string;
  /** What can be done about it. */
  offers?: Offer[];
  /** A loan that was moved to another copy, and the copy that it had. */
  swap?: { loan: string; copy: string };
  /** The reservation that was made, and its place in the queue. */
  hold?: string;
  place?: number;
  /** The reader's own reservation has brought it. */
  fulfilled?: boolean;
  /** Why it was refused. */
  code?: string;
  /** The server's words, for a code that is not known here. */
  message?: string;
  problem?: Problem['kind'];
  /** Since when the copy was missing, until this scan. */
  missingSince?: string;
  /** As of when the loan ended, or is said to have ended. */
  claimedAt?: string;
  /** Why nothing is lent to the reader. */
  block?: string;
  /** The reader is switched off: nothing is lent to them. */
  off?: true;
  loans?: number;
  overdue?: number;
  /** It was undone, here. */
  undone?: boolean;
  /** Something newer was done with the copy, here. */
  over?: boolean;
  /** What others have done with the copy since. */
  since?: 'returned' | 'lent';
}

export type Draft = Omit<Entry, 'id' | 'at'>;

/** For how long a mistake can be undone, in milliseconds. */
export const undoTime = 60_000;

/** Whether it can still be undone. */
export function undoable(entry: Entry, now: number): boolean {
  return ['lent', 'returned', 'held'].includes(entry.kind) && !entry.undone && !entry.over && !entry.since && !entry.claimedAt && now - entry.at < undoTime;
}

/** Reports whether Enter takes the first offer. Whose of several loans it is, only the person at the desk can say. */
export const byEnter = (first: Offer, second?: Offer): boolean => !second || first.do !== 'return' || first.exchange === true || first.claimedAt !== undefined;

/** Whether something was done with a copy. */
export const moved = (entry: Entry): boolean => entry.copy !== undefined && ['lent', 'returned', 'unlent', 'relent'].includes(entry.kind);

/** What was done last with a copy. */
export const latest = (entries: readonly Entry[], copy: string): Entry | undefined => entries.find((e) => e.copy === copy && moved(e));

/** What an entry says of a book and its copy. */
export function about(book: Book, copy: Schemas['Copy'] | undefined): Omit<Draft, 'kind'> {
  return {
    title: book.title,
    author: book.authors?.[0],
    book: book.identifier,
    copy: copy?.identifier,
    barcode: copy?.barcode,
    shelf: copy?.shelf,
    note: copy?.note,
    state: copy?.state,
    missingSince: copy?.wasMissing ? copy.missingSince : undefined,
  };
}

export function lentAs(loan: Schemas['Loan']): Omit<Draft, 'kind'> {
  const at = loan.copy ? { copy: loan.copy.identifier, barcode: loan.copy.barcode } : {};
  return { ...at, loan: loan.identifier, dueAt: loan.dueAt };
}

export function asideOf(hold: Schemas['Hold'] | undefined): Aside | undefined {
  return hold && { name: nameOf(hold.user), until: hold.until };
}
