import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Book } from '../api/api';
import { Problem } from '../api/problem';

const me = { identifier: 'me', firstName: 'Bruce', lastName: 'Wayne' };
const api = { book: vi.fn(), books: vi.fn(), myBooks: vi.fn(), borrow: vi.fn(), giveBack: vi.fn(), raw: vi.fn(), ask: vi.fn() };
const toasts = { show: vi.fn(), error: vi.fn() };
let curator = false;
vi.mock('../session/session.svelte', () => ({ session: { me, api, ended: false, may: () => curator } }));
vi.mock('../shell/toasts.svelte', () => ({ toasts }));
vi.mock('../text/explain', () => ({ explain: (p: Problem) => p.kind }));
vi.mock('../text/i18n.svelte', () => ({
  i18n: {
    language: 'en',
    number: String,
    t: { nav: { loans: 'My loans' }, lending: { borrowed: () => 'yours', returned: () => 'back', awaited: ', awaited', borrow: 'Borrow', reserve: 'Reserve', undo: 'Undo' } },
  },
}));
vi.mock('../dates/dates.svelte', () => ({ dates: { due: (at: string) => `due ${at}` } }));
vi.mock('../shell/router.svelte', () => ({ router: { go: vi.fn() } }));
vi.mock('../text/own.svelte', async () => {
  const { default: texts } = await import('../../messages/en.own');
  return { own: { load: () => Promise.resolve(texts) } };
});

const { bookStore, statusOf } = await import('./bookstore.svelte');
const { cancel, renew, reserve, whyNot } = await import('./holds');
const { confirmDialog } = await import('../shell/dialog.svelte');
const { catalogue } = await import('./catalogue.svelte');
const { noFilter } = await import('../shell/router');
const { Live } = await import('./live.svelte');

const free = (id: string): Book => ({ identifier: id, title: id, kind: 'book', copies: 1, available: 1, borrowed: false });
const lent = (id: string): Book => ({ ...free(id), available: 0, borrowed: true });
const mine = (id: string): Book => ({ ...lent(id), borrowedBy: me, loan: { identifier: `loan of ${id}`, renewals: 0, overdue: false, dueAt: '2026-12-12T22:59:59Z' } });
const waited = (id: string, position = 1): Book => ({ ...lent(id), waiting: position, hold: { identifier: `hold of ${id}`, state: 'waiting', position } });
const ready = (id: string): Book => ({ ...free(id), available: 0, hold: { identifier: `hold of ${id}`, state: 'ready', until: '2026-11-20T22:59:59Z' } });

/** An answer that comes when the test says so. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (why: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (why: unknown) => void;
  const promise = new Promise<T>((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}

beforeEach(() => {
  curator = false;
  bookStore.clear();
  catalogue.clear();
  catalogue.problem = undefined;
  catalogue.newBooks = 0;
  for (const mock of [...Object.values(api), ...Object.values(toasts)]) mock.mockReset();
});

describe('an answer that is older than what is known', () => {
  test('does not undo a loan', async () => {
    bookStore.put(free('a'));
    const list = deferred<Book[]>();
    api.books.mockReturnValue(list.promise.then((items) => ({ items, total: 1 })));
    api.borrow.mockResolvedValue(mine('a'));
    const asked = catalogue.show(noFilter, false);
    await bookStore.borrow('a');
    list.resolve([free('a')]);
    await asked;
    expect(bookStore.books.get('a')).toEqual(mine('a'));
    expect([...bookStore.mine.keys()]).toEqual(['a']);
  });

  test('does not take a loan from the count', async () => {
    bookStore.put(free('a'));
    const loans = deferred<Book[]>();
    api.myBooks.mockReturnValue(loans.promise);
    api.borrow.mockResolvedValue(mine('a'));
    const asked = bookStore.readMine();
    await bookStore.borrow('a');
    loans.resolve([]);
    await asked;
    expect([...bookStore.mine.keys()]).toEqual(['a']);
  });

  test('does not show through while a loan is on its way', async () => {
    bookStore.put(free('a'));
    const answer = deferred<Book>();
    api.borrow.mockReturnValue(answer.promise);
    const borrowed = bookStore.borrow('a');
    bookStore.put(free('a'));
    expect(bookStore.books.get('a')?.borrowed).toBe(true);
    answer.resolve(mine('a'));
    await borrowed;
    expect(bookStore.books.get('a')?.borrowed).toBe(true);
  });

  test('does not bring a deleted book back, and a newer one does', () => {
    const asked = bookStore.now();
    bookStore.put(free('a'));
    bookStore.remove('a');
    bookStore.put(free('a'), asked);
    expect(bookStore.gone.has('a')).toBe(true);
    bookStore.put(free('a'));
    expect(bookStore.gone.has('a')).toBe(false);
    expect(bookStore.books.has('a')).toBe(true);
  });
});

describe('a loan whose answer is lost', () => {
  test('is shown and announced if it was made', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('unreachable'));
    api.book.mockResolvedValue({ value: mine('a') });
    await bookStore.borrow('a');
    expect([...bookStore.mine.keys()]).toEqual(['a']);
    expect(toasts.show).toHaveBeenCalledWith('yours due 2026-12-12T22:59:59Z.', expect.anything(), 'a');
    expect(toasts.error).not.toHaveBeenCalled();
  });

  test('is taken back, and looked at again, if nobody answers at all', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('unreachable'));
    api.book.mockRejectedValue(new Problem('unreachable'));
    await bookStore.borrow('a');
    expect(bookStore.books.get('a')).toEqual(free('a'));
    expect(bookStore.missed).toBe(true);
    expect(toasts.error).toHaveBeenCalledWith('unreachable', 'a', undefined);
  });

  test('asks for nothing when the session has ended', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('ended'));
    await bookStore.borrow('a');
    expect(api.book).not.toHaveBeenCalled();
    expect(toasts.error).not.toHaveBeenCalled();
  });
});

describe('what was returned elsewhere', () => {
  test('does not count any more, and is read again', async () => {
    bookStore.put(mine('a'));
    api.myBooks.mockResolvedValue([mine('b')]);
    expect(await bookStore.readMine()).toEqual(['b']);
    expect([...bookStore.mine.keys()]).toEqual(['b']);
    expect(bookStore.stale.has('a')).toBe(true);
  });
});

test('a change that cannot be read stays to be read', async () => {
  bookStore.put(free('a'));
  bookStore.markStale('a');
  api.book.mockRejectedValue(new Problem('busy'));
  await bookStore.read('a');
  expect(bookStore.stale.has('a')).toBe(true);
  api.book.mockResolvedValue({ value: free('a') });
  await bookStore.read('a');
  expect(bookStore.stale.has('a')).toBe(false);
});

test.each([
  ['yours', mine('a')],
  ['yours', { ...mine('a'), copies: 3, available: 2, borrowed: false }],
  ['ready', ready('a')],
  ['waiting', waited('a', 2)],
  ['available', free('a')],
  ['lent', lent('a')],
  ['reserved', { ...free('a'), available: 0 }],
  ['none', { ...free('a'), copies: 0, available: 0 }],
] as [string, Book][])('a book is %s', (status, book) => expect(statusOf(book)).toBe(status));

describe('a return that was a mistake', () => {
  const undo = () => toasts.show.mock.lastCall?.[1] as { label: string; run: () => void };
  test('is a new loan for a reader, and is not called undoing', async () => {
    bookStore.put(mine('a'));
    api.giveBack.mockResolvedValue(free('a'));
    await bookStore.giveBack('a');
    expect(undo().label).toBe('Borrow');
  });
  test('is undone by a curator: the loan is as it was', async () => {
    curator = true;
    bookStore.put(mine('a'));
    api.giveBack.mockResolvedValue(free('a'));
    await bookStore.giveBack('a');
    expect(undo().label).toBe('Undo');
    api.ask.mockResolvedValue({});
    api.book.mockResolvedValue({ value: mine('a') });
    undo().run();
    await vi.waitFor(() => expect(toasts.show).toHaveBeenLastCalledWith('yours due 2026-12-12T22:59:59Z.', undefined, 'a'));
    expect(api.ask).toHaveBeenCalledWith('delete', '/loans/{id}/return', { path: { id: 'loan of a' } });
    expect(api.borrow).not.toHaveBeenCalled();
    expect(bookStore.books.get('a')).toEqual(mine('a'));
  });
});

describe('a copy of several', () => {
  test('is taken off those that are available, at once', async () => {
    const answer = deferred<Book>();
    bookStore.put({ ...free('a'), copies: 3, available: 2 });
    api.borrow.mockReturnValue(answer.promise);
    const borrowed = bookStore.borrow('a');
    expect(bookStore.books.get('a')).toMatchObject({ available: 1, borrowed: false });
    expect(bookStore.mine.has('a')).toBe(true);
    answer.reject(new Problem('conflict', 'loan_limit'));
    api.book.mockResolvedValue({ value: { ...free('a'), copies: 3, available: 2 } });
    await borrowed;
    expect(bookStore.books.get('a')).toMatchObject({ available: 2 });
    expect(bookStore.mine.has('a')).toBe(false);
  });

  test('that is returned while others wait is not available, and cannot be had again at once', async () => {
    bookStore.put({ ...mine('a'), waiting: 1 });
    const after = { ...free('a'), available: 0 };
    api.giveBack.mockResolvedValue(after);
    await bookStore.giveBack('a');
    expect(bookStore.books.get('a')).toEqual(after);
    expect(toasts.show).toHaveBeenCalledWith('back, awaited', undefined, 'a');
  });
});

describe('a refusal', () => {
  test.each([
    ['already_borrowed', 'Somebody else has just borrowed “a”.', 'Reserve'],
    ['reserved', '“a” is set aside for somebody who asked first.', 'Reserve'],
    ['not_lendable', 'The library has no copy of “a” to lend. Ask at the desk.', undefined],
    ['loan_limit', 'You have reached the limit of books you can borrow. Return one before you borrow “a”.', 'My loans'],
    ['has_overdue', 'You have an overdue book. Return it before you borrow “a”.', 'My loans'],
  ])('%s is explained, and the next step offered', async (code, text, label) => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('conflict', code));
    api.book.mockResolvedValue({ value: lent('a') });
    await bookStore.borrow('a');
    expect(bookStore.books.get('a')).toEqual(lent('a'));
    expect(toasts.error).toHaveBeenCalledWith(text, 'a', label && { label, run: expect.any(Function) });
  });

  test('with a code that is not known here is shown in the words of the server', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('conflict', 'new_rule'));
    api.book.mockResolvedValue({ value: free('a') });
    await bookStore.borrow('a');
    expect(toasts.error).toHaveBeenCalledWith('conflict', 'a', undefined);
  });
});

describe('a reservation', () => {
  test('shows at once, with the place in the queue that the server gives', async () => {
    bookStore.put({ ...lent('a'), waiting: 1 });
    const answer = deferred<unknown>();
    api.ask.mockReturnValue(answer.promise);
    const reserved = reserve('a');
    expect(bookStore.books.get('a')?.hold).toMatchObject({ state: 'waiting', position: 2 });
    answer.resolve({ data: { identifier: 'h', state: 'waiting', position: 3 } });
    await reserved;
    expect(bookStore.books.get('a')?.hold).toEqual({ identifier: 'h', state: 'waiting', position: 3, until: undefined });
    expect(toasts.show).toHaveBeenCalledWith('You have reserved “a”. You are number 3 in the queue.', expect.anything(), 'a');
  });

  test('of a book that came back in the meantime is none, and it can be borrowed', async () => {
    bookStore.put(lent('a'));
    api.ask.mockRejectedValue(new Problem('conflict', 'available'));
    api.book.mockResolvedValue({ value: free('a') });
    await reserve('a');
    expect(bookStore.books.get('a')).toEqual(free('a'));
    expect(toasts.error).toHaveBeenCalledWith('A copy of “a” is available. You can borrow it right away.', 'a', { label: 'Borrow', run: expect.any(Function) });
  });

  test('is cancelled after a question, and not without', async () => {
    bookStore.put(waited('a'));
    for (const [answer, calls] of [[false, 0], [true, 1]] as const) {
      api.ask.mockResolvedValue({});
      api.book.mockResolvedValue({ value: lent('a') });
      const asked = cancel('a');
      await vi.waitFor(() => expect(confirmDialog.question).toBeDefined());
      confirmDialog.answer(answer);
      await asked;
      expect(api.ask).toHaveBeenCalledTimes(calls);
    }
    expect(api.ask).toHaveBeenCalledWith('delete', '/holds/{id}', { path: { id: 'hold of a' } });
    expect(bookStore.books.get('a')).toEqual(lent('a'));
  });
});

describe('a renewal', () => {
  test('gives the book its new date', async () => {
    bookStore.put(mine('a'));
    api.ask.mockResolvedValue({ data: { identifier: 'loan of a', dueAt: '2027-01-12T22:59:59Z', renewals: 1, overdue: false, renewable: true } });
    await renew('a');
    expect(bookStore.books.get('a')?.loan).toEqual({ identifier: 'loan of a', dueAt: '2027-01-12T22:59:59Z', renewals: 1, overdue: false });
  });

  test('that is refused changes nothing, and says why', async () => {
    bookStore.put(mine('a'));
    api.ask.mockRejectedValue(new Problem('conflict', 'awaited'));
    api.book.mockResolvedValue({ value: { ...mine('a'), waiting: 1 } });
    const outcome = await renew('a');
    expect(outcome).toMatchObject({ code: 'awaited' });
    expect(bookStore.books.get('a')?.loan).toEqual(mine('a').loan);
    expect(toasts.error).toHaveBeenCalledWith('“a” cannot be renewed: somebody is waiting for it.', 'a', undefined);
  });

  test.each([
    [{ renewals: 2 }, { waiting: 1 }, 'renewal_limit'],
    [{ renewals: 1 }, { waiting: 1 }, 'awaited'],
    [{ renewals: 1 }, {}, undefined],
  ] as const)('of %j of %j is refused: %s', (loan, book, code) => expect(whyNot(loan, book, { renewals: 2 })).toBe(code));
});

describe('what is ready', () => {
  const answer = (...ids: string[]): unknown => ({ data: ids.map((id) => ({ book: { identifier: id, title: id }, until: '2026-11-20T22:59:59Z' })) });

  test('is read once for all pages, and what is not there any more goes', async () => {
    api.ask.mockResolvedValue(answer('a', 'b'));
    await bookStore.readReady();
    expect([...bookStore.ready.keys()]).toEqual(['a', 'b']);
    api.ask.mockResolvedValue(answer('b'));
    await bookStore.readReady();
    expect([...bookStore.ready.keys()]).toEqual(['b']);
  });

  test('does not come back with an answer that is older than a loan', async () => {
    bookStore.put(ready('a'));
    const late = deferred<unknown>();
    api.ask.mockReturnValue(late.promise);
    const asked = bookStore.readReady();
    api.borrow.mockResolvedValue(mine('a'));
    await bookStore.borrow('a');
    late.resolve(answer('a'));
    await asked;
    expect(bookStore.ready.size).toBe(0);
  });
});

describe('the stream', () => {
  const page = new EventTarget() as EventTarget & { hidden: boolean };
  let live: InstanceType<typeof Live>;
  let stop: () => void;
  let send: (type: string, data?: object) => Promise<void>;
  let signal: AbortSignal | undefined;

  beforeEach(async () => {
    vi.useFakeTimers();
    page.hidden = false;
    vi.stubGlobal('document', page);
    vi.stubGlobal('addEventListener', () => undefined);
    vi.stubGlobal('removeEventListener', () => undefined);
    api.raw.mockImplementation((_: string, init: RequestInit) => {
      signal = init.signal ?? undefined;
      let feed!: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({ start: (c) => void (feed = c) });
      signal?.addEventListener('abort', () => feed.error(signal?.reason));
      send = async (type, data = {}) => {
        feed.enqueue(new TextEncoder().encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));
        await vi.advanceTimersByTimeAsync(0);
      };
      return Promise.resolve(new Response(body));
    });
    live = new Live();
    stop = live.start();
    await vi.waitFor(() => expect(api.raw).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(0);
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('what was read before it began is read again', async () => {
    const before = live.epoch;
    await send('ready');
    expect(live.epoch).toBe(before + 1);
  });

  test('a change by others while a loan is on its way is read, and our own loan is not', async () => {
    bookStore.put(free('a'));
    const answer = deferred<Book>();
    api.borrow.mockReturnValue(answer.promise);
    const borrowed = bookStore.borrow('a');
    await send('borrowed', { identifier: 'a', borrowed: true, available: 0 });
    await send('loan', { identifier: 'l', book: { identifier: 'a' } });
    expect(bookStore.stale.has('a')).toBe(false);
    await send('returned', { identifier: 'a', borrowed: false, available: 1 });
    answer.resolve(mine('a'));
    await borrowed;
    expect(bookStore.stale.has('a')).toBe(true);
  });

  test('a change of a book whose list is still on its way is not lost', async () => {
    const list = deferred<Book[]>();
    api.books.mockReturnValue(list.promise.then((items) => ({ items, total: 1 })));
    const asked = catalogue.show(noFilter, false);
    await send('borrowed', { identifier: 'a', borrowed: true });
    list.resolve([free('a')]);
    await asked;
    expect(bookStore.books.has('a')).toBe(true);
    expect(bookStore.stale.has('a')).toBe(true);
  });

  test('a loan of one’s own that was made elsewhere is counted, though its book was never seen', async () => {
    api.book.mockResolvedValue({ value: mine('x') });
    await send('borrowed', { identifier: 'y', borrowed: true, available: 0 });
    await vi.advanceTimersByTimeAsync(500);
    expect(api.book).not.toHaveBeenCalled();
    await send('loan', { identifier: 'l', book: { identifier: 'x' } });
    await vi.advanceTimersByTimeAsync(500);
    expect([...bookStore.mine.keys()]).toEqual(['x']);
  });

  test('a hold that becomes ready is announced, until it is fetched', async () => {
    api.book.mockResolvedValue({ value: ready('x') });
    await send('hold', { identifier: 'h', state: 'ready', book: { identifier: 'x' } });
    await vi.advanceTimersByTimeAsync(500);
    expect([...bookStore.ready]).toEqual([['x', { title: 'x', until: '2026-11-20T22:59:59Z' }]]);
    api.borrow.mockResolvedValue(mine('x'));
    await bookStore.borrow('x');
    expect(bookStore.ready.size).toBe(0);
    expect(toasts.show).toHaveBeenLastCalledWith(expect.anything(), undefined, 'x'); // nothing brings the place back
  });

  test('a book of several copies shows how many are left, and a change of its queue is read', async () => {
    bookStore.put({ ...free('a'), copies: 3, available: 3 });
    await send('borrowed', { identifier: 'a', borrowed: false, available: 2 });
    expect(bookStore.books.get('a')?.available).toBe(2);
    expect(bookStore.stale.has('a')).toBe(true);
    bookStore.put({ ...free('a'), copies: 3, available: 2 });
    expect(bookStore.stale.has('a')).toBe(false);
    await send('borrowed', { identifier: 'a', borrowed: false, available: 2 });
    expect(bookStore.stale.has('a')).toBe(false);
    await send('changed', { identifier: 'a', borrowed: false, available: 2 });
    expect(bookStore.stale.has('a')).toBe(true);
  });

  test('many changed books are read with one request', async () => {
    const before = live.epoch;
    api.book.mockImplementation((id: string) => Promise.resolve({ value: free(id) }));
    for (let i = 0; i < 11; i++) bookStore.put(free(`b${i}`));
    for (let i = 0; i < 11; i++) await send('edited', { identifier: `b${i}`, borrowed: false });
    for (const id of bookStore.stale.keys()) live.refresh(id);
    await vi.advanceTimersByTimeAsync(500);
    expect(api.book).not.toHaveBeenCalled();
    expect(live.epoch).toBe(before + 1);
    bookStore.stale.delete('b0');
    for (const id of [...bookStore.stale.keys()].slice(0, 3)) live.refresh(id);
    await vi.advanceTimersByTimeAsync(3000);
    expect(api.book).toHaveBeenCalledTimes(3);
  });

  test('a book that comes back after its deletion counts as new', async () => {
    bookStore.put(free('a'));
    await send('deleted', { identifier: 'a', borrowed: false });
    expect(bookStore.gone.has('a')).toBe(true);
    await send('added', { identifier: 'a', borrowed: false });
    expect(catalogue.newBooks).toBe(1);
  });

  test('what was missed is read when it is back', async () => {
    bookStore.missed = true;
    const before = live.epoch;
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(6000);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(live.epoch).toBe(before + 1);
    expect(bookStore.missed).toBe(false);
  });

  test('a hidden tab keeps its connection for five seconds', async () => {
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(4000);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(signal?.aborted).toBe(true);
  });
});

test('after an edit the list is read again, as long as it was', async () => {
  const items = Array.from({ length: 120 }, (_, i) => free(`b${i}`));
  api.books.mockResolvedValueOnce({ items: items.slice(0, 60), total: 120, next: 'c' });
  api.books.mockResolvedValueOnce({ items: items.slice(60), total: 120 });
  api.books.mockResolvedValueOnce({ items, total: 120 });
  await catalogue.show(noFilter, true);
  await catalogue.more();
  await catalogue.show(noFilter, true);
  expect(api.books).toHaveBeenCalledTimes(2);
  catalogue.invalidate();
  await catalogue.show(noFilter, true);
  expect(api.books.mock.calls.map((call) => call[1] as number)).toEqual([60, 60, 120]);
});

describe('catching up', () => {
  test('reads a list past a thousand in as many requests as it takes', async () => {
    const items = Array.from({ length: 2000 }, (_, i) => free(`b${i}`));
    api.books.mockImplementation((_query: unknown, size: number, cursor = '0') => {
      const end = Number(cursor) + size;
      return Promise.resolve({ items: items.slice(Number(cursor), end), total: items.length, next: end < items.length ? String(end) : undefined });
    });
    await catalogue.show(noFilter, true);
    while (catalogue.ids.length < 1920) await catalogue.more();
    api.books.mockClear();
    await catalogue.catchUp(2001);
    expect(api.books.mock.calls.map((call) => call[1] as number)).toEqual([1000, 920]);
    expect(catalogue.ids).toEqual(items.slice(0, 1920).map((b) => b.identifier));
    expect([catalogue.total, catalogue.hasMore]).toEqual([2000, true]);
  });

  test('waits for the answer that people wait for', async () => {
    const first = deferred<Book[]>();
    api.books.mockReturnValueOnce(first.promise.then((items) => ({ items, total: 1 })));
    api.books.mockResolvedValueOnce({ items: [lent('a')], total: 1 });
    const asked = catalogue.show(noFilter, false);
    const caughtUp = catalogue.catchUp(1001);
    expect(api.books).toHaveBeenCalledTimes(1);
    first.resolve([free('a')]);
    await asked;
    await caughtUp;
    expect(api.books).toHaveBeenCalledTimes(2);
    expect(bookStore.books.get('a')?.borrowed).toBe(true);
  });
});
