import { beforeEach, expect, test, vi } from 'vitest';
import type { ImportResult } from '../api/api';
import { Problem } from '../api/problem';

const raw = vi.fn();
vi.mock('../session/session.svelte', () => ({ session: { api: { raw } } }));

const { Importing } = await import('./importing.svelte');

const file = new TextEncoder().encode('title\na\nb\nc\nd\n');
const row = (line: number, outcome: ImportResult['outcome']): ImportResult => ({ line, outcome, book: { title: 'a' } }) as ImportResult;
const answer = (...outcomes: ImportResult['outcome'][]): Response => Response.json({ results: outcomes.map((o, i) => row(i + 2, o)) });
const brokeOff = (done: number): Problem =>
  new Problem('busy', 'import_incomplete', '', [{ field: 'rows', code: 'rows_done', limit: done, message: 'are done' }]);

beforeEach(() => raw.mockReset());

test('an import that breaks off counts the rows that are done', async () => {
  const job = new Importing();
  raw.mockResolvedValueOnce(answer('unchanged', 'added', 'added', 'added'));
  await job.open('books.csv', file);
  raw.mockRejectedValueOnce(brokeOff(3));
  await job.run();
  expect(job.phase).toBe('stopped');
  expect(job.counts).toMatchObject({ unchanged: 1, added: 2 });
  expect([...job.results.keys()]).toEqual([2, 3, 4]);

  raw.mockResolvedValueOnce(answer('unchanged', 'unchanged', 'unchanged', 'added'));
  await job.run();
  expect(job.phase).toBe('done');
  expect(job.counts).toMatchObject({ unchanged: 1, added: 3 });
});

test('an import that never began counts nothing, and another look starts anew', async () => {
  const job = new Importing();
  raw.mockResolvedValueOnce(answer('added', 'added', 'added', 'added'));
  await job.open('books.csv', file);
  raw.mockRejectedValueOnce(new Problem('busy', 'unavailable'));
  await job.run();
  expect(job.counts.added).toBe(0);
  raw.mockRejectedValueOnce(brokeOff(2));
  await job.run();
  expect(job.counts.added).toBe(2);
  raw.mockResolvedValueOnce(answer('unchanged', 'unchanged', 'added', 'added'));
  await job.look();
  expect(job.counts).toMatchObject({ unchanged: 2, added: 2 });
});
