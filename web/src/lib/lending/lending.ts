import { nameOf } from '../people/name';
import { page, tagged, type Hold, type Loan, type Page, type Tagged } from '../api/api';
import { dates } from '../dates/dates.svelte';
import { confirmDialog } from '../shell/dialog.svelte';
import { complain } from '../text/complain';
import { i18n } from '../text/i18n.svelte';
import { problemFrom } from '../api/problem';
import type { components } from '../api/schema';
import { session } from '../session/session.svelte';
import { staff } from '../text/staff.svelte';
import { toasts } from '../shell/toasts.svelte';

export type Reader = components['schemas']['Reader'];
export type Copy = components['schemas']['Copy'];
export type CopyInput = components['schemas']['CopyInput'];
export type CopyState = components['schemas']['CopyState'];
type Person = components['schemas']['Person'];

/** Whose it is; the library forgets that some time after the return. */
export const whoseName = ({ user }: { user?: Person }): string => (user ? nameOf(user) : staff.t.lending.forgotten);

export interface LoanQuery {
  state?: 'open' | 'overdue' | 'claimed' | 'returned';
  user?: string;
  book?: string;
  group?: string;
}

export async function loans(query: LoanQuery, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Loan>> {
  return page(await session.api.ask('get', '/loans', { query: { ...query, limit, cursor }, signal }));
}

export interface HoldQuery {
  state?: 'active' | 'ready' | 'ended';
  user?: string;
  book?: string;
}

export async function holds(query: HoldQuery, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Hold>> {
  return page(await session.api.ask('get', '/holds', { query: { ...query, limit, cursor }, signal }));
}

export interface CopyQuery {
  state?: CopyState;
  shelf?: string;
  seenBefore?: string;
  neverLent?: boolean;
}

/** The copies of all books, by shelf. */
export async function allCopies(query: CopyQuery, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Copy>> {
  return page(await session.api.ask('get', '/copies', { query: { ...query, limit, cursor }, signal }));
}

export async function readers({ q, group, category, active }: { q?: string; group?: string; category?: string; active?: boolean }, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Reader>> {
  return page(await session.api.ask('get', '/readers', { query: { q: q || undefined, group: group || undefined, category: category || undefined, active, limit, cursor }, signal }));
}

/** The reader with a card; nothing if nobody has it. */
export async function readerWithCard(card: string): Promise<Reader | undefined> {
  return (await session.api.ask('get', '/readers', { query: { card, limit: 1 } })).data[0];
}

/** What curators see of a reader, or admins of a user. */
export type KnownReader = Person & Partial<Reader>;

export async function readReader(id: string): Promise<Tagged<Reader>> {
  return tagged(await session.api.ask('get', '/readers/{id}', { path: { id } }));
}

/** Sets the card, the block and the note of a person. What is empty is cleared. */
export async function editReader(id: string, body: components['schemas']['ReaderInput'], etag: string): Promise<Reader> {
  return (await session.api.ask('put', '/readers/{id}', { path: { id }, header: { 'If-Match': etag }, body })).data;
}

/** Somebody by identifier: admins who are no curators see the user. */
export async function findReader(id: string): Promise<KnownReader> {
  if (session.may('LIBRARY_CURATOR')) return (await readReader(id)).value;
  const { identifier, firstName, lastName, card, group, category, note, block } = (await session.api.ask('get', '/users/{id}', { path: { id } })).data;
  return { identifier, firstName, lastName, card, group, category, note, block };
}

/** Renews a loan and says until when, or why not. */
export async function renew(loan: Loan): Promise<Loan | undefined> {
  try {
    const now = (await session.api.ask('post', '/loans/{id}/renew', { path: { id: loan.identifier } })).data;
    const t = staff.t.lending;
    toasts.show(now.dueAt ? t.renewedTo(loan.book.title, dates.day(now.dueAt)) : t.renewedFree(loan.book.title), undefined, loan.identifier);
    return now;
  } catch (thrown) {
    complain(thrown, loan.identifier);
    return undefined;
  }
}

/** Takes a book back, and says what to do with it. `undone` is called when the reader has it again after all. */
export async function giveBack(loan: Loan, undone: () => void, asClaimed = false): Promise<boolean> {
  const { identifier, book } = loan;
  try {
    const { hold } = (await session.api.ask('post', '/loans/{id}/return', { path: { id: identifier }, body: asClaimed ? { asClaimed } : undefined })).data;
    const t = staff.t.lending;
    const name = hold && whoseName(hold);
    const text = !name ? t.returned(book.title) : hold.until ? t.returnedForUntil(book.title, name, dates.day(hold.until)) : t.returnedFor(book.title, name);
    toasts.show(text, asClaimed ? undefined : { label: i18n.t.lending.undo, run: () => void undoReturn(loan).then(undone) }, identifier);
    return true;
  } catch (thrown) {
    complain(thrown, identifier);
    return problemFrom(thrown).code === 'not_open';
  }
}

/** Notes that the reader says that it was brought back. */
export async function claim(loan: Loan): Promise<Loan | undefined> {
  const { identifier: id, book } = loan;
  try {
    const now = (await session.api.ask('post', '/loans/{id}/claim', { path: { id } })).data;
    toasts.show(staff.t.lending.claims.claimed(book.title), undefined, id);
    return now;
  } catch (thrown) {
    complain(thrown, id);
    return undefined;
  }
}

/** Takes that back. */
export async function unclaim({ identifier: id, book }: Loan): Promise<Loan | undefined> {
  try {
    await session.api.ask('delete', '/loans/{id}/claim', { path: { id } });
    toasts.show(staff.t.lending.claims.unclaimed(book.title), undefined, id);
    return (await session.api.ask('get', '/loans/{id}', { path: { id } })).data;
  } catch (thrown) {
    complain(thrown, id);
    return undefined;
  }
}

/** Ends a loan of a copy that is lost, after a question. Says whether it has ended. */
export async function lose(loan: Loan): Promise<boolean> {
  const t = staff.t.lending.claims;
  const { identifier: id, book } = loan;
  const sure = await confirmDialog.ask({ title: t.loseTitle(book.title), text: t.loseText(whoseName(loan)), yes: t.lose, no: i18n.t.cancel, danger: true });
  if (!sure) return false;
  try {
    await session.api.ask('post', '/loans/{id}/lost', { path: { id } });
    toasts.show(t.lost(book.title), undefined, id);
    return true;
  } catch (thrown) {
    complain(thrown, id);
    return problemFrom(thrown).code === 'not_open';
  }
}

/** Opens a loan again as it was: a new one would have another due date. */
async function undoReturn({ book, identifier }: Loan): Promise<void> {
  try {
    const again = (await session.api.ask('delete', '/loans/{id}/return', { path: { id: identifier } })).data;
    toasts.show(staff.t.lending.undone(book.title, whoseName(again)), undefined, identifier);
  } catch (thrown) {
    complain(thrown, identifier);
  }
}

/** Notes that the copy of a reservation was fetched from its shelf, or that it was not. Says whether that is noted. */
export async function fetchHold({ identifier }: Hold, fetched: boolean): Promise<boolean> {
  try {
    await session.api.ask('put', '/holds/{id}', { path: { id: identifier }, body: { fetched } });
    return true;
  } catch (thrown) {
    complain(thrown, identifier);
    return false;
  }
}

/** Cancels a reservation after a question: the place in the queue is lost. Says whether it is gone. */
export async function cancelHold(hold: Hold): Promise<boolean> {
  const t = staff.t.lending.holds;
  const { title } = hold.book;
  const sure = await confirmDialog.ask({ title: t.cancelTitle(title), text: t.cancelText(whoseName(hold)), yes: t.cancelYes, no: t.cancelNo, danger: true });
  if (!sure) return false;
  try {
    await session.api.ask('delete', '/holds/{id}', { path: { id: hold.identifier } });
    toasts.show(staff.t.lending.holds.cancelled(title), undefined, hold.identifier);
    return true;
  } catch (thrown) {
    complain(thrown, hold.identifier);
    return ['not_active', 'hold_not_found'].includes(problemFrom(thrown).code);
  }
}
