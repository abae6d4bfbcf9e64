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

test('people who have left and are not in the library are left out, and are not “already there”', async () => {
  const job = new Importing('users');
  const left = { ...row(2, 'unchanged'), warnings: [{ field: 'active', code: 'left_out', message: 'left out' }] };
  raw.mockResolvedValueOnce(Response.json({ results: [left, row(3, 'unchanged')] }));
  await job.open('people.csv', file);
  expect(job.counts).toMatchObject({ unchanged: 1, leftOut: 1 });
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

test('a pattern of addresses is for the file that it was given for', async () => {
  const job = new Importing('users');
  raw.mockImplementation(() => Promise.resolve(answer('added')));
  await job.open('drafted.csv', file, '{a}@b.c');
  expect(raw.mock.lastCall?.[0]).toContain('&emailPattern=%7Ba%7D%40b.c');
  await job.open('another.csv', file);
  expect(raw.mock.lastCall?.[0]).not.toContain('emailPattern');
});

test('columns of people that are chosen by hand go out with their headings, and the pattern of addresses with them', async () => {
  const job = new Importing('users');
  raw.mockImplementation(() => Promise.resolve(answer('added')));
  await job.open('pupils.csv', new TextEncoder().encode('Wer;Konto\nMüller, Jörg;jm\n'), '{konto}@b.c');
  job.columns = ['lastName', undefined];
  await job.look();
  const [path, { body }] = raw.mock.lastCall as [string, { body: Uint8Array }];
  expect(new TextDecoder().decode(body)).toBe('name;unused 2\nMüller, Jörg;jm\n');
  expect(path).toContain(`&emailPattern=${encodeURIComponent('{unused 2}@b.c')}`);
});

test('people who are added may borrow, where the page says so', async () => {
  const job = new Importing('users');
  raw.mockImplementation(() => Promise.resolve(answer('added')));
  await job.open('people.csv', file);
  expect(raw.mock.lastCall?.[0]).not.toContain('roles=');
  job.mayBorrow = true;
  await job.look();
  expect(raw.mock.lastCall?.[0]).toContain('&roles=LIBRARY_USER');
});

test.each<[string, [ImportResult['outcome'], string, string][], string]>([
  ['finds a person', [['updated', 'new@b.c', 'C-1'], ['unchanged', 'ada@b.c', 'C-1']], 'card_taken'],
  ['of one person in two rows', [['updated', 'ada@b.c', 'C-1'], ['unchanged', 'ADA@b.c', 'C-1']], ''],
  ['that the library has refused', [['invalid', 'new@b.c', 'C-1'], ['updated', 'ada@b.c', 'C-1']], ''],
  ['that nobody has', [['added', 'new@b.c', 'C-1'], ['added', 'ada@b.c', 'C-1']], ''],
])('a file is not imported in which a card is beside two addresses, if it %s', async (_, rows, code) => {
  const job = new Importing('users');
  raw.mockResolvedValueOnce(Response.json({ results: rows.map(([outcome, email, card], i) => ({ outcome, line: i + 2, user: { email, card } })) }));
  await job.open('people.csv', file);
  expect(job.problem?.code ?? '').toBe(code);
});
