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
