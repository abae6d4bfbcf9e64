import type { Book, Hold, Loan } from '../api/api';
import { bookStore } from './bookstore.svelte';
import { dates } from '../dates/dates.svelte';
import { confirmDialog } from '../shell/dialog.svelte';
import { i18n } from '../text/i18n.svelte';
import { own } from '../text/own.svelte';
import type { Problem } from '../api/problem';
import { router } from '../shell/router.svelte';
import { session } from '../session/session.svelte';
import type { Toast } from '../shell/toasts.svelte';
import { toasts } from '../shell/toasts.svelte';

/** What a reader has come to know of a refusal, and what can be done instead. */
interface Refusal {
  text: string;
  action?: Toast['action'];
}

/** Why something was refused, in the words of a reader; nothing for a code that is not known here. */
export async function refusal({ code }: Problem, id: string, title: string): Promise<Refusal | undefined> {
  if (code === 'desk_only') void dates.read().catch(() => undefined); // the rules are others than those that were read
  const { codes } = await own.load();
  // A reader who waits already reads that, and not that others were faster.
  const waits = code === 'reserved' && bookStore.books.get(id)?.hold?.state === 'waiting';
  const text = codes[waits ? 'already_held' : (code as keyof typeof codes)] as ((title: string) => string) | undefined;
  if (!text) return undefined;
  return { text: text(title), action: waits ? undefined : instead(code, id) };
}

/** The next step after a refusal. */
function instead(code: string, id: string): Toast['action'] {
  if (code === 'already_borrowed' || code === 'reserved') return { label: i18n.t.lending.reserve, run: () => void reserve(id) };
  if (code === 'available' && dates.policy?.selfBorrow !== false) return { label: i18n.t.lending.borrow, run: () => void bookStore.borrow(id) };
  if (['loan_limit', 'has_overdue', 'hold_limit'].includes(code)) return { label: i18n.t.nav.loans, run: () => void router.go('loans') };
  return undefined;
}

/** The book with a hold of the reader, as the server has it. */
function held(book: Book, { identifier, state, position, until }: Hold): Book {
  return { ...book, waiting: (book.waiting ?? 0) + 1, hold: { identifier, state: state === 'ready' ? 'ready' : 'waiting', position, until } };
}

/** Reserves a book: the reader is the last in its queue. */
export async function reserve(id: string): Promise<void> {
  const before = bookStore.books.get(id);
  if (!before || before.hold || bookStore.busy.has(id)) return;
  const position = (before.waiting ?? 0) + 1;
  const guess = { ...before, waiting: position, hold: { identifier: '', state: 'waiting' as const, position } };
  const { problem, now } = await bookStore.change(id, guess, async () =>
    held(before, (await session.api.ask('post', '/books/{id}/holds', { path: { id } })).data),
  );
  if (problem && !now?.hold) return bookStore.explain(problem, before);
  const { holds } = await own.load();
  const place = now?.hold?.position;
  toasts.show(place === undefined ? holds.isReserved(before.title) : holds.isReservedAs(before.title, i18n.number(place)), { label: i18n.t.lending.undo, run: () => void drop(id) }, id);
}

/** Gives a place in a queue up, after a question: it cannot be had again. */
export async function cancel(id: string): Promise<void> {
  const book = bookStore.books.get(id);
  if (!book?.hold) return;
  const { holds: t } = await own.load();
  const text = book.hold.state === 'ready' ? t.cancelReady : t.cancelText;
  if (await confirmDialog.ask({ title: t.cancelTitle(book.title), text, yes: t.cancel, no: t.keep, danger: true })) await drop(id);
}

async function drop(id: string): Promise<void> {
  const before = bookStore.books.get(id);
  const hold = before?.hold;
  if (!before || !hold || bookStore.busy.has(id)) return;
  const without = { ...before, hold: undefined, waiting: Math.max(0, (before.waiting ?? 0) - (hold.state === 'waiting' ? 1 : 0)) };
  const { problem, now } = await bookStore.change(id, without, async () => {
    await session.api.ask('delete', '/holds/{id}', { path: { id: hold.identifier } });
    return without;
  });
  if (problem && now?.hold) return bookStore.explain(problem, before);
  bookStore.markStale(id); // where its copy is now, the server knows
  await bookStore.read(id);
  const { holds: t } = await own.load();
  toasts.show(t.cancelled(before.title), undefined, id);
}

/** Renews a loan. Says the new due date, or why it cannot be. */
export async function renew(id: string, quiet = false): Promise<Loan | Problem | undefined> {
  const before = bookStore.books.get(id);
  if (!before?.loan || bookStore.busy.has(id)) return undefined;
  const path = { id: before.loan.identifier };
  let renewed: Loan | undefined;
  const { problem } = await bookStore.change(id, before, async () => {
    renewed = (await session.api.ask('post', '/loans/{id}/renew', { path })).data;
    const { identifier, dueAt, renewals, overdue } = renewed;
    return { ...before, loan: { identifier, dueAt, renewals, overdue } };
  });
  if (renewed && !quiet) toasts.show((await own.load()).loans.renewed(before.title, renewed.dueAt ? dates.due(renewed.dueAt) : ''), undefined, id);
  if (problem && !quiet) await bookStore.explain(problem, before);
  return renewed ?? problem;
}

/** Opens the reader's loan again as it was before its return. */
export async function undoReturn(before: Book, loan: string): Promise<void> {
  const { identifier: id, title } = before;
  const { problem, now } = await bookStore.change(id, before, async () => {
    await session.api.ask('delete', '/loans/{id}/return', { path: { id: loan } });
    return (await session.api.book(id)).value;
  });
  if (problem && !now?.loan) return bookStore.explain(problem, before);
  const due = now?.loan?.dueAt;
  toasts.show(i18n.t.lending.borrowed(title) + (due ? ` ${dates.due(due)}.` : ''), undefined, id);
}

/** Why a loan cannot be renewed, as far as it is known here: the rules in the order in which the library asks them. */
export function whyNot({ renewals }: { renewals: number }, { waiting = 0 }: { waiting?: number }, policy: { renewals: number } | undefined): 'renewal_limit' | 'awaited' | undefined {
  if (policy && renewals >= policy.renewals) return 'renewal_limit';
  return waiting > 0 ? 'awaited' : undefined;
}
