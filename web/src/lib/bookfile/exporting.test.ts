import { beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';

const books = vi.fn();
const ask = vi.fn();
vi.mock('../session/session.svelte', () => ({ session: { api: { books, ask } } }));

const { Exporting } = await import('./exporting.svelte');

const page = (from: number, to: number, next?: string) => ({
  items: Array.from({ length: to - from }, (_, i) => ({ identifier: `b${from + i}`, title: `Volume ${from + i}`, copies: (from + i) % 2 })),
  total: 5,
  next,
});
const heading = 'identifier,isbn,title,authors,description,subtitle,publisher,published,series,volume,language,subjects,copies,barcode,shelf\n';
const row = (n: number): string => `b${n},,Volume ${n},,,,,,,,,,${n % 2},${n % 2 ? `C-b${n}` : ''},\n`;
const rows = heading + [0, 1, 2, 3, 4].map(row).join('');

beforeEach(() => {
  books.mockReset();
  ask.mockReset();
  ask.mockImplementation((_method: string, _path: string, { path }: { path: { id: string } }) => Promise.resolve({ data: [{ identifier: 'c', state: 'lendable', barcode: `C-${path.id}` }] }));
});

test('books come page by page, and only those with copies are asked for them', async () => {
  books.mockResolvedValueOnce(page(0, 3, 'next')).mockResolvedValueOnce(page(3, 5));
  const job = new Exporting();
  expect(await (await job.run('csv', ','))?.text()).toBe(rows);
  expect(books.mock.calls.map(([query, , cursor]) => [query.sort, cursor])).toEqual([['created', undefined], ['created', 'next']]);
  expect(ask).toHaveBeenCalledTimes(2);
  expect([job.done, job.total, job.busy]).toEqual([5, 5, false]);
});

test('an export that a problem has stopped goes on where it was', async () => {
  const job = new Exporting();
  books.mockResolvedValueOnce(page(0, 3, 'next')).mockRejectedValueOnce(new Problem('unreachable'));
  expect(await job.run('csv', ',')).toBeUndefined();
  expect(job.problem?.kind).toBe('unreachable');
  books.mockResolvedValueOnce(page(3, 5));
  expect(await (await job.run('csv', ','))?.text()).toBe(rows);
});

test('one that was stopped begins anew', async () => {
  const job = new Exporting();
  books.mockResolvedValueOnce(page(0, 3, 'next')).mockRejectedValueOnce(new Problem('unreachable'));
  await job.run('csv', ',');
  job.stop();
  books.mockResolvedValueOnce(page(0, 5));
  expect(await (await job.run('csv', ','))?.text()).toBe(rows);
});

test('a book that was deleted meanwhile has no copies, and any other problem is reported', async () => {
  const job = new Exporting();
  books.mockResolvedValue(page(1, 2));
  ask.mockRejectedValueOnce(new Problem('missing', 'book_not_found'));
  expect(await (await job.run('csv', ','))?.text()).toBe(heading + 'b1,,Volume 1,,,,,,,,,,1,,\n');
  ask.mockRejectedValueOnce(new Problem('forbidden', 'forbidden'));
  expect(await job.run('csv', ',')).toBeUndefined();
  expect(job.problem?.code).toBe('forbidden');
});

test('few books are asked for their copies at once', async () => {
  let now = 0;
  let most = 0;
  ask.mockImplementation(async () => {
    most = Math.max(most, ++now);
    await new Promise((done) => setTimeout(done, 1));
    now--;
    return { data: [] };
  });
  books.mockResolvedValueOnce(page(0, 100));
  await new Exporting().run('csv', ',');
  expect(most).toBe(6);
  expect(ask).toHaveBeenCalledTimes(50);
});
