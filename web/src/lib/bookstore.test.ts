import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Book } from './api';
import { Problem } from './problem';

const me = { identifier: 'me', firstName: 'Bruce', lastName: 'Wayne' };
const api = { book: vi.fn(), books: vi.fn(), myBooks: vi.fn(), borrow: vi.fn(), giveBack: vi.fn(), raw: vi.fn() };
const toasts = { show: vi.fn(), error: vi.fn() };
vi.mock('./session.svelte', () => ({ session: { me, api, ended: false, may: () => true } }));
vi.mock('./toasts.svelte', () => ({ toasts }));
vi.mock('./explain', () => ({ explain: (p: Problem) => p.kind }));
vi.mock('./i18n.svelte', () => ({
  i18n: { t: { lending: { borrowed: () => 'yours', returned: () => 'back', undo: 'Undo', taken: () => 'taken' } } },
}));

const { bookStore } = await import('./bookstore.svelte');
const { catalogue } = await import('./catalogue.svelte');
const { noFilter } = await import('./router');
const { Live } = await import('./live.svelte');

const free = (id: string): Book => ({ identifier: id, title: id, borrowed: false }) as Book;
const mine = (id: string): Book => ({ ...free(id), borrowed: true, borrowedBy: me }) as Book;
const lent = (id: string): Book => ({ ...free(id), borrowed: true }) as Book;

/** An answer that comes when the test says so. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (why: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (why: unknown) => void;
  const promise = new Promise<T>((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}

beforeEach(() => {
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
    expect([...bookStore.mine]).toEqual(['a']);
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
    expect([...bookStore.mine]).toEqual(['a']);
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
  test('is shown and told if it was made', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('unreachable'));
    api.book.mockResolvedValue({ value: mine('a') });
    await bookStore.borrow('a');
    expect([...bookStore.mine]).toEqual(['a']);
    expect(toasts.show).toHaveBeenCalledWith('yours', expect.anything(), 'a');
    expect(toasts.error).not.toHaveBeenCalled();
  });

  test('is taken back, and looked at again, if nobody answers at all', async () => {
    bookStore.put(free('a'));
    api.borrow.mockRejectedValue(new Problem('unreachable'));
    api.book.mockRejectedValue(new Problem('unreachable'));
    await bookStore.borrow('a');
    expect(bookStore.books.get('a')).toEqual(free('a'));
    expect(bookStore.missed).toBe(true);
    expect(toasts.error).toHaveBeenCalledWith('unreachable', 'a');
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
    expect([...bookStore.mine]).toEqual(['b']);
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
    await send('borrowed', { identifier: 'a', borrowed: true });
    expect(bookStore.stale.has('a')).toBe(false);
    await send('returned', { identifier: 'a', borrowed: false });
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

  test('a loan that may be ours is counted, once for many', async () => {
    api.myBooks.mockResolvedValue([mine('x')]);
    bookStore.put(lent('known'));
    await send('borrowed', { identifier: 'known', borrowed: true });
    await vi.advanceTimersByTimeAsync(4000);
    expect(api.myBooks).not.toHaveBeenCalled();
    for (const id of ['x', 'y', 'z']) await send('borrowed', { identifier: id, borrowed: true });
    await vi.advanceTimersByTimeAsync(4000);
    expect(api.myBooks).toHaveBeenCalledTimes(1);
    expect([...bookStore.mine]).toEqual(['x']);
  });

  test('many changed books are read with one request', async () => {
    const before = live.epoch;
    api.book.mockImplementation((id: string) => Promise.resolve({ value: free(id) }));
    for (let i = 0; i < 11; i++) bookStore.put(free(`b${i}`));
    for (let i = 0; i < 11; i++) await send('edited', { identifier: `b${i}`, borrowed: false });
    for (const id of bookStore.stale) live.refresh(id);
    await vi.advanceTimersByTimeAsync(500);
    expect(api.book).not.toHaveBeenCalled();
    expect(live.epoch).toBe(before + 1);
    bookStore.stale.delete('b0');
    for (const id of [...bookStore.stale].slice(0, 3)) live.refresh(id);
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
    const items = Array.from({ length: 1210 }, (_, i) => free(`b${i}`));
    api.books.mockImplementation((_query: unknown, size: number, cursor = '0') => {
      const end = Number(cursor) + size;
      return Promise.resolve({ items: items.slice(Number(cursor), end), total: items.length, next: end < items.length ? String(end) : undefined });
    });
    await catalogue.show(noFilter, true);
    while (catalogue.ids.length < 1080) await catalogue.more();
    api.books.mockClear();
    await catalogue.catchUp(2001);
    expect(api.books.mock.calls.map((call) => call[1] as number)).toEqual([1000, 80]);
    expect(catalogue.ids).toEqual(items.slice(0, 1080).map((b) => b.identifier));
    expect([catalogue.total, catalogue.hasMore]).toEqual([1210, true]);
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
