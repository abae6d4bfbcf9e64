import { expect, test } from 'vitest';
import { Drafts } from './drafts';

function world() {
  const map = new Map<string, string>();
  const store = { getItem: (k: string) => map.get(k) ?? null, setItem: (k: string, v: string) => void map.set(k, v), removeItem: (k: string) => void map.delete(k) };
  return { map, store };
}

test('what was typed comes back once, on the same page, to the same person', () => {
  const { map, store } = world();
  const before = new Drafts(store);
  before.watch('/books/new', () => ({ title: 'T' }));
  before.save('anna');
  const after = new Drafts(store);
  expect(after.take('/loans', 'anna')).toBeUndefined();
  expect(after.take('/books/new', 'anna')).toEqual({ title: 'T' });
  expect(after.take('/books/new', 'anna')).toBeUndefined();
  expect(map.size).toBe(0);
});

test('somebody else does not see it, and it is gone', () => {
  const { map, store } = world();
  const drafts = new Drafts(store);
  drafts.watch('/books/new', () => 'secret');
  drafts.save('anna');
  expect(drafts.take('/books/new', 'bert')).toBeUndefined();
  expect(map.size).toBe(0);
});

test('a page that has nothing, or was left, keeps nothing', () => {
  const { map, store } = world();
  const drafts = new Drafts(store);
  drafts.watch('/books/new', () => undefined);
  drafts.save('anna');
  const forget = drafts.watch('/books/new', () => 'x');
  forget();
  drafts.save('anna');
  expect(map.size).toBe(0);
});

test('it is said whether all of it is saved', () => {
  const { store } = world();
  const drafts = new Drafts(store);
  expect(drafts.save('anna')).toBe(true);
  drafts.watch('/', () => 'x');
  expect(drafts.save('anna')).toBe(true);
  const full = new Drafts({ ...store, setItem: () => { throw new DOMException('', 'QuotaExceededError'); } });
  full.watch('/', () => 'x');
  expect(full.save('anna')).toBe(false);
});

test('a full storage and nonsense in it do no harm', () => {
  const { map, store } = world();
  const full = new Drafts({ ...store, setItem: () => { throw new DOMException('', 'QuotaExceededError'); } });
  full.watch('/', () => 'x');
  expect(() => full.save('anna')).not.toThrow();
  map.set('library.draft', '{');
  expect(new Drafts(store).take('/', 'anna')).toBeUndefined();
});
