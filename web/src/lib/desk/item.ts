import type { Book } from '../api/api';
import type { Draft, Entry, Offer } from './entry';
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Code = Schemas['Code'];
export type Copy = Schemas['Copy'];
export type Reader = Schemas['Reader'];
export type Loan = Schemas['Loan'];
export type Hold = Schemas['Hold'];

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
  /** Lends a book or a copy; with `swap` also a copy that somebody else has by the records. */
  lend(user: string, what: { copy: string; swap?: boolean } | { book: string }): Promise<Loan>;
  /** Says that a copy is here: a missing one is not missing any more. */
  seen(copy: string): Promise<Copy>;
  /** Ends a loan now, or as of the day on which the reader said so. */
  giveBack(loan: string, asClaimed?: boolean): Promise<Loan>;
  /** Ends a loan with another copy than that of the records. */
  giveBackAs(loan: string, copy: string): Promise<Loan>;
  /** Moves a loan to a copy; a loan of that copy moves the other way. */
  move(loan: string, copy: string): Promise<Loan>;
  reserve(user: string, book: string): Promise<Hold>;
  holdOf(user: string, book: string): Promise<Hold | undefined>;
  unreserve(hold: string): Promise<void>;
  /** Opens a loan again as it was before its return. */
  undoReturn(loan: string): Promise<Loan>;
}

/** Something that the person at the desk can pick. */
export type Choice =
  | { do: 'reader'; reader: Reader }
  | { do: 'book'; book: Book }
  | { do: 'lend'; copy: Copy; book: Book }
  | { do: 'return'; copy: Copy; book: Book };

/** What was sent and may have arrived although no answer came. */
export type Attempt =
  | { do: 'lend'; user: string; book: string; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'lent' }
  | { do: 'hold'; user: string; book: string; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'held' }
  | { do: 'reopen'; loan: string; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'relent' }
  | { do: 'return'; loan: string; copy: string | undefined; entry: Omit<Entry, 'id' | 'at' | 'kind'>; kind: 'returned' | 'unlent' };

/** Something to be done, in order. */
export type Item = { id: number; at: number; attempt?: Attempt } & (
  | { do: 'scan'; text: string }
  | { do: 'pick'; choice: Choice; text: string }
  | { do: 'accept'; entry: number; offer: Offer }
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
  /** The entry that was put right. */
  settled?: number;
}
