import { beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';
import { session } from '../session/session.svelte';
import { tabStorage } from '../shell/storage';
import { Collecting, type Entry } from './collecting.svelte';
import { ClassLending, type Said } from './lending.svelte';
import { waiting } from './pairing';

interface Sent {
  header: { 'Idempotency-Key'?: string };
  body: { users: string[]; barcodes?: string[]; copies?: string[]; dryRun?: boolean };
}

const people = ['anna', 'ben'].map((identifier) => ({ identifier, firstName: identifier, lastName: 'X', group: '7b' }));
const loan = (user: string, copy: string): object => ({ book: { title: 'Emma' }, copy: { identifier: copy, barcode: copy.toUpperCase() }, user: { identifier: user } });

beforeEach(() => {
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  session.me = { identifier: 'peter' } as typeof session.me;
  tabStorage.removeItem('library.class');
});

/** Answers as a library does in which Anna is blocked; what was lent is recorded. */
function library(sent: Sent[], refuse: (number: number) => Problem | undefined = () => undefined): void {
  const ask = async (method: string, _path: string, input: Sent): Promise<object> => {
    if (method === 'get') return { data: people, response: new Response() };
    const { users, barcodes, copies, dryRun } = input.body;
    if (dryRun) {
      const [first = '', second = ''] = users;
      const isBlocked = first === 'anna';
      return { data: { loans: [loan(isBlocked ? second : first, barcodes?.[0]?.toLowerCase() ?? '')], skipped: isBlocked ? [{ user: { identifier: 'anna' }, code: 'blocked' }] : [], left: [] } };
    }
    sent.push(input);
    const problem = refuse(sent.length);
    if (problem) throw problem;
    return { data: { loans: users.map((user, i) => loan(user, copies?.[i] ?? '')), skipped: [], left: [] } };
  };
  session.api = { ask } as never;
}

test('the screen says who gets a copy, and after a reload the same request is sent under the same key', async () => {
  const sent: Sent[] = [];
  library(sent, (number) => (number === 1 ? new Problem('unreachable') : undefined));
  const heard: Said[] = [];
  const before = new ClassLending((said) => heard.push(said));
  const stop = before.start();
  expect(await before.open({ group: '7B' })).toBe(true);
  expect(before.setup?.group).toBe('7b');
  before.scan(' C1 ');
  await vi.waitFor(() => expect(heard).toMatchObject([{ kind: 'given', person: 'ben', skipped: [{ person: 'anna', why: 'blocked' }] }]));
  expect(waiting(before.pairing)).toEqual([]);
  before.scan('C2');
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ kind: 'nobody', code: 'C2' }));
  await before.lend();
  expect(before.problem?.kind).toBe('unreachable');
  stop();

  const after = new ClassLending(() => undefined);
  const end = after.start();
  await after.lend();
  expect(after.done).toMatchObject({ pairs: [{ person: 'ben', copy: 'c1' }], without: [{ person: 'anna', why: 'blocked' }], differs: false });
  expect(sent.map(({ body }) => body)).toMatchObject([{ users: ['ben'], copies: ['c1'] }, { users: ['ben'], copies: ['c1'] }]);
  expect(new Set(sent.map(({ header }) => header['Idempotency-Key'])).size).toBe(1);
  end();
});

test('after a refusal what is lent has another key, and another person finds nothing of it', async () => {
  const sent: Sent[] = [];
  const refused = new Problem('conflict', 'copies_refused', '', [{ field: 'copies[0]', code: 'copy_on_loan', message: '' }]);
  library(sent, (number) => (number === 1 ? refused : undefined));
  const lending = new ClassLending(() => undefined);
  const stop = lending.start();
  await lending.open({ group: '7b' });
  lending.scan('C1');
  await vi.waitFor(() => expect(lending.said?.kind).toBe('given'));
  await lending.lend();
  expect(lending.problem?.code).toBe('copies_refused');
  expect(waiting(lending.pairing).map(({ identifier }) => identifier)).toEqual(['ben']);
  lending.scan('C2');
  await vi.waitFor(() => expect(lending.said).toMatchObject({ kind: 'given', pair: { copy: 'c2' } }));
  await lending.lend();
  expect(lending.done?.pairs).toMatchObject([{ person: 'ben', copy: 'c2' }]);
  expect(new Set(sent.map(({ header }) => header['Idempotency-Key'])).size).toBe(2);
  stop();

  session.me = { identifier: 'diana' } as typeof session.me;
  const other = new ClassLending(() => undefined);
  other.start()();
  expect(other.done).toBeUndefined();
  expect(tabStorage.getItem('library.class')).toBeNull();
});

test('a copy that nobody has may be that of those who miss one, until they have returned theirs', async () => {
  const open = people.map((user) => ({ identifier: `loan-${user.identifier}`, book: { identifier: 'emma', title: 'Emma' }, user }));
  const answers = [
    { barcode: 'C9', status: 409, code: 'not_borrowed', candidates: [...open, { ...open[0], identifier: 'other', user: { ...people[0], group: '8a' } }] },
    { barcode: 'C1', status: 200, loan: open[0] },
    { barcode: 'C9', status: 200, loan: { ...open[1], swapped: true } },
  ];
  session.api = { ask: async (method: string) => (method === 'get' ? { data: open, response: new Response() } : { data: [answers.shift()] }) } as never;
  const heard: Entry[] = [];
  const collecting = new Collecting((entry) => heard.push(entry));
  const stop = collecting.start();
  await collecting.open({ group: '7b' });
  expect(collecting.missing, 'no book is collected yet').toEqual([]);
  collecting.scan('C9');
  await vi.waitFor(() => expect(heard).toHaveLength(1));
  expect(collecting.unclear.map(({ loans }) => loans.map(({ identifier }) => identifier))).toEqual([['loan-anna', 'loan-ben']]);
  expect(collecting.missing).toHaveLength(2);
  collecting.scan('C1');
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(collecting.unclear.map(({ loans }) => loans.map(({ identifier }) => identifier))).toEqual([['loan-ben']]);
  collecting.scan('C9');
  await vi.waitFor(() => expect(heard.at(-1)?.loan).toMatchObject({ swapped: true }));
  expect([collecting.unclear, collecting.missing, collecting.complete]).toEqual([[], [], true]);
  stop();
});
