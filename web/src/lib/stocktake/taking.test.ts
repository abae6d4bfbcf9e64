import { expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';
import { session } from '../session/session.svelte';
import { tabStorage } from '../shell/storage';
import { Taking, type Entry } from './taking.svelte';

interface Sent {
  header: { 'Idempotency-Key': string };
  body: { codes: string[] };
}

test.each([
  ['no answer came', new Problem('unreachable')],
  ['the first is still being done', new Problem('conflict', 'idempotency_key_in_use')],
])('a scan is sent again under its key if %s, also after a reload', async (_, lost) => {
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  session.me = { identifier: 'peter' } as typeof session.me;
  tabStorage.removeItem('library.stocktake');
  const sent: Sent[] = [];
  const ask = async (_method: string, _path: string, input: Sent): Promise<object> => {
    sent.push(input);
    if (sent.length === 1) throw lost;
    return { data: input.body.codes.map((code) => ({ code, outcome: 'found' })) };
  };
  session.api = { ask } as never;

  const before = new Taking('novels', () => undefined);
  const stop = before.start();
  before.scan(' D-1 ');
  await vi.waitFor(() => expect(before.queue.problem).toBeDefined());
  stop();

  const heard: (Entry | undefined)[] = [];
  const after = new Taking('novels', (entry) => heard.push(entry));
  const end = after.start();
  await vi.waitFor(() => expect(heard).toMatchObject([{ code: 'D-1', scan: { outcome: 'found' } }]));
  expect(new Set(sent.map(({ header }) => header['Idempotency-Key'])).size).toBe(1);
  expect(after.waiting).toBe(0);
  end();
});
