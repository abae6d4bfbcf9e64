import { beforeEach, expect, test, vi } from 'vitest';
import { noFilter } from '../shell/router';

const api = { books: vi.fn() };
vi.mock('../session/session.svelte', () => ({ session: { api } }));
vi.mock('../shell/toasts.svelte', () => ({ toasts: { error: vi.fn() } }));
vi.mock('../text/explain', () => ({ explain: String }));

const { bookQuery, catalogue } = await import('./catalogue.svelte');

beforeEach(() => {
  catalogue.clear();
  api.books.mockReset();
});

test('words are asked for with corrections and the best first, unless somebody wants them as they are', () => {
  expect(bookQuery({ ...noFilter, q: 'clen code' })).toMatchObject({ q: 'clen code', fuzzy: true, sort: 'relevance' });
  expect(bookQuery({ ...noFilter, q: 'clen code', exact: true }).fuzzy).toBeUndefined();
  expect(bookQuery(noFilter).fuzzy).toBeUndefined();
});

test('a list knows the words that it is for, also when somebody comes back to it', async () => {
  const [misspelt, right] = [{ ...noFilter, q: 'clen' }, { ...noFilter, q: 'clean' }];
  api.books.mockResolvedValueOnce({ items: [], total: 1, corrected: 'clean' });
  await catalogue.show(misspelt, true);
  expect(catalogue.corrected).toBe('clean');
  api.books.mockResolvedValueOnce({ items: [], total: 1 });
  await catalogue.show(right, true);
  expect(catalogue.corrected).toBeUndefined();
  api.books.mockReturnValueOnce(new Promise(() => undefined));
  void catalogue.show(misspelt, true);
  expect(catalogue.corrected).toBe('clean');
});

test('words that no book has together are not offered, unless there may be books that the filters leave out', async () => {
  for (const [filter, offered] of [[noFilter, undefined], [{ ...noFilter, show: 'available' as const }, 'clean design'], [{ ...noFilter, narrow: [['language', 'de'] as const] }, 'clean design']] as const) {
    api.books.mockResolvedValueOnce({ items: [], total: 0, corrected: 'clean design' });
    await catalogue.show({ ...filter, narrow: filter.narrow.map(([k, v]) => [k, v]), q: 'clen desing' }, true);
    expect(catalogue.corrected).toBe(offered);
  }
});

test('the next books of a corrected list leave it what it is', async () => {
  const books = (from: number) => Array.from({ length: 60 }, (_, i) => ({ identifier: String(from + i), title: '', copies: 1, available: 1, borrowed: false }));
  api.books.mockResolvedValueOnce({ items: books(0), total: 100, next: 'cursor', corrected: 'clean' });
  await catalogue.show({ ...noFilter, q: 'clen' }, true);
  api.books.mockResolvedValueOnce({ items: books(60), total: 100, corrected: 'clean' });
  await catalogue.more();
  expect(api.books).toHaveBeenLastCalledWith(expect.objectContaining({ q: 'clen', fuzzy: true }), expect.anything(), 'cursor', expect.anything());
  expect(catalogue.corrected).toBe('clean');
});

test('a book that arrives while the list is being read is still new', async () => {
  catalogue.newBooks = 1; // known before the list is asked for, and so in it
  api.books.mockImplementationOnce(() => {
    catalogue.newBooks++;
    return Promise.resolve({ items: [], total: 1 });
  });
  await catalogue.reload();
  expect(catalogue.newBooks).toBe(1);
});

test('each press reads as many books as are shown, up to what the library gives at once', async () => {
  const sizes: unknown[] = [];
  let read = 0;
  api.books.mockImplementation((_, size: number) => {
    sizes.push(size);
    return Promise.resolve({ items: Array.from({ length: size }, () => ({ identifier: String(read++), title: '', copies: 1, available: 1, borrowed: false })), total: 10_003, next: 'cursor' });
  });
  await catalogue.show(noFilter, true);
  for (let i = 0; i < 6; i++) await catalogue.more();
  expect(sizes).toEqual([60, 60, 120, 240, 480, 960, 1000]);
});
