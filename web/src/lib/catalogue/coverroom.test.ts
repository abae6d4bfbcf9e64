import { expect, test } from 'vitest';
import { forgetOldest, type Kept } from './coverroom';

/** Covers that are kept, the oldest first, each of the same size. */
function shelf(covers: number, size: number): Kept<number> & { left: () => number[] } {
  const kept = new Set(Array.from({ length: covers }, (_, n) => n));
  return {
    keys: () => Promise.resolve([...kept]),
    delete: (n) => Promise.resolve(kept.delete(n)),
    usage: () => Promise.resolve({ usage: kept.size * size, quota: 2e9 }),
    left: () => [...kept],
  };
}

test('of ten thousand covers of a list none is forgotten', async () => {
  const covers = shelf(10_000, 25_000);
  await forgetOldest(covers);
  expect(covers.left()).toHaveLength(10_000);
});

test('covers that take too much room make some, the oldest first', async () => {
  const covers = shelf(10_000, 100_000);
  await forgetOldest(covers);
  expect(covers.left()).toHaveLength(8000);
  expect(covers.left()[0]).toBe(2000);
});

test('where there is little room, covers take half of it at most', async () => {
  const covers = { ...shelf(100, 25_000), usage: () => Promise.resolve({ usage: 2_500_000, quota: 4_000_000 }) };
  await forgetOldest(covers);
  expect(covers.left()).toHaveLength(80);
});

test('a browser that does not say how much room there is forgets nothing by itself', async () => {
  const covers = { ...shelf(10_000, 100_000), usage: () => Promise.resolve({}) };
  await forgetOldest(covers);
  expect(covers.left()).toHaveLength(10_000);
});
