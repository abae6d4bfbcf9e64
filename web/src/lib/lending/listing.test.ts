import { expect, test } from 'vitest';
import type { Page } from '../api/api';
import { Listing } from './listing.svelte';
import { Problem } from '../api/problem';
import { toasts } from '../shell/toasts.svelte';

interface Item {
  identifier: string;
}

/** A server with a number of records, which notes the requests. */
function server(count: number): { ask: (limit: number, cursor: string | undefined) => Promise<Page<Item>>; asked: number[]; records: Item[] } {
  const records = Array.from({ length: count }, (_, i) => ({ identifier: String(i) }));
  const asked: number[] = [];
  const ask = (limit: number, cursor = '0'): Promise<Page<Item>> => {
    asked.push(limit);
    const to = Number(cursor) + limit;
    return Promise.resolve({ items: records.slice(Number(cursor), to), total: records.length, next: to < records.length ? String(to) : undefined });
  };
  return { ask, asked, records };
}

test('a list comes in pages, and is read again as long as it is', async () => {
  const { ask, asked } = server(2500);
  const list = new Listing<Item>(ask, 50);
  await list.read();
  expect([list.items?.length, list.total, list.hasMore]).toEqual([50, 2500, true]);
  await list.more();
  expect(list.items?.length).toBe(100);
  await list.read();
  expect(list.items?.length).toBe(100);
  expect(asked).toEqual([50, 50, 100]);
});

test('the whole list takes as many questions as the server makes necessary, and no more records than were asked for', async () => {
  const { ask, asked } = server(2500);
  const list = new Listing<Item>(ask, 50);
  const steps: number[] = [];
  expect(await list.all(5000, (n) => steps.push(n))).toBe(true);
  expect(list.items?.length).toBe(2500);
  expect([asked, steps]).toEqual([[1000, 1000, 1000], [1000, 2000, 2500]]);
  expect(await list.all(1500)).toBe(true);
  expect([list.items?.length, list.hasMore]).toEqual([1500, true]);
});

test('what is pushed to the next page is not shown twice', async () => {
  const { ask, records } = server(4);
  const list = new Listing<Item>(ask, 2);
  await list.read();
  records.unshift({ identifier: 'new' });
  await list.more();
  expect(list.items?.map((item) => item.identifier)).toEqual(['0', '1', '2', '3']);
});

test('a newer question takes the place of an older one', async () => {
  const answers: ((page: Page<Item>) => void)[] = [];
  const list = new Listing<Item>(() => new Promise((answer) => answers.push(answer)));
  const [older, newer] = [list.read(), list.ask()];
  answers[1]?.({ items: [{ identifier: 'newer' }], total: 1 });
  answers[0]?.({ items: [{ identifier: 'older' }], total: 1 });
  await Promise.all([older, newer]);
  expect(list.items).toEqual([{ identifier: 'newer' }]);
  expect(list.busy).toBe(false);
});

test('what is shown stays if it cannot be read again', async () => {
  let fail = true;
  const list = new Listing<Item>(() => (fail ? Promise.reject(new Problem('busy')) : Promise.resolve({ items: [{ identifier: '1' }], total: 1 })));
  await list.read();
  expect(list.problem?.kind).toBe('busy');
  fail = false;
  await list.read();
  fail = true;
  await list.read();
  expect([list.problem, list.items?.length]).toEqual([undefined, 1]);
  expect(toasts.all).toHaveLength(1);
  toasts.clear();
  list.drop('1');
  expect([list.items, list.total]).toEqual([[], 0]);
});
