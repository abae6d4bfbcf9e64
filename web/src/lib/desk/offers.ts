import type { Book } from '../api/api';
import { nameOf } from '../people/name';
import type { Attempt, Copy, DeskApi, Hold, Loan, Reader } from './item';
import { lentAs, asideOf, type Draft, type Entry, type Offer } from './entry';

const most = 20; // open loans that are shown, as in the API

/** Offers to end one of these loans with the copy in the hand, the oldest first. */
export function returns(copies: readonly Copy[]): Offer[] {
  const lent = copies.flatMap((copy) => (copy.loan ? [{ ...copy.loan, copy }] : []));
  return lent.sort((a, b) => a.borrowedAt.localeCompare(b.borrowedAt)).slice(0, most).map(returned);
}

export function returned(loan: Loan): Offer {
  const { identifier, copy, user, dueAt, overdue } = loan;
  return { do: 'return', loan: identifier, copy: copy?.identifier, barcode: copy?.barcode, user: user?.identifier, name: nameOf(user), dueAt, late: overdue || undefined };
}

/** Offers to end a loan that is said to have ended: then, or today. */
export function claims(loan: Loan): Offer[] {
  return [{ ...returned(loan), claimedAt: loan.claimedAt }, returned(loan)];
}

/** Offers to reserve a book of which no copy is free. */
export function reservation(reader: Reader, book: Book): Offer[] | undefined {
  return book.available > 0 || reader.active === false ? undefined : [{ do: 'hold', user: reader.identifier, name: nameOf(reader) }];
}

/** Offers what can be done with a copy that somebody else has by the records while the reader is at the desk. */
export async function lentToAnother(api: DeskApi, copy: Copy, book: Book, reader: Reader): Promise<Offer[]> {
  const loan = copy.loan as Loan;
  const theirs = returned({ ...loan, copy });
  const own = await api.loanOf(reader.identifier, book.identifier);
  if (own) return [{ ...returned(own), exchange: true }, theirs];
  if (copy.state !== 'lendable' || book.available === 0 || reader.active === false) return [];
  return [{ do: 'lend', loan: loan.identifier, user: reader.identifier, name: nameOf(reader) }, theirs];
}

/** Does what was offered. */
export async function accept(api: DeskApi, entry: Entry, offer: Offer, attempt: (attempt: Attempt) => void): Promise<Draft> {
  const { title, author, book, copy = offer.copy, barcode, shelf, state } = entry;
  const { user, name, loan = '' } = offer;
  const base = { title, author, book, copy, barcode: entry.copy ? barcode : offer.barcode, shelf, state, user, name };
  if (offer.do === 'hold') {
    attempt({ do: 'hold', kind: 'held', user: user ?? '', book: book ?? '', entry: base });
    return { ...base, ...heldAs(await api.reserve(user ?? '', book ?? '')), kind: 'held' };
  }
  if (offer.do === 'lend') {
    const lent = { ...base, swap: { loan, copy: copy ?? '' } };
    attempt({ do: 'lend', kind: 'lent', user: user ?? '', book: book ?? '', entry: lent });
    const made = await api.lend(user ?? '', { copy: copy ?? '', swap: true });
    return { ...lent, ...lentAs(made), swap: made.swapped ? lent.swap : undefined, kind: 'lent' };
  }
  const swap = offer.copy !== undefined && offer.copy !== copy ? { loan, copy: offer.copy } : undefined;
  const back = { ...base, loan, dueAt: offer.dueAt, late: offer.late, claimedAt: offer.claimedAt, swap };
  attempt({ do: 'return', kind: 'returned', loan, copy, entry: back });
  if (offer.exchange && copy) await api.move(loan, copy);
  const { hold } = await (swap && copy && !offer.exchange ? api.giveBackAs(loan, copy) : api.giveBack(loan, offer.claimedAt !== undefined));
  return { ...back, kind: 'returned', aside: asideOf(hold) };
}

/** What an entry says of a reservation. */
export function heldAs({ identifier, position, copy }: Hold): Omit<Draft, 'kind'> {
  return { hold: identifier, place: position, ...(copy && { copy: copy.identifier, barcode: copy.barcode }) };
}
