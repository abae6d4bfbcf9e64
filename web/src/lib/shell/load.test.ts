import { afterEach, expect, test, vi } from 'vitest';
import { load, whyMissing } from './load';
import { Problem } from '../api/problem';

afterEach(() => vi.unstubAllGlobals());

function page(answer: () => Promise<Response>, onLine = true): void {
  vi.stubGlobal('navigator', { onLine });
  vi.stubGlobal('location', { pathname: '/loans' });
  vi.stubGlobal('fetch', answer);
}

const script = '/assets/app-1.js';
test.each([
  ['the page is still the same', async () => new Response(`<script src="${script}">`), true, 'part'],
  ['the page is another one', async () => new Response('<script src="/assets/app-2.js">'), true, 'newer'],
  ['a proxy answers for it', async () => new Response('', { status: 502 }), true, 'unreachable'],
  ['nobody answers', () => Promise.reject(new TypeError()), true, 'unreachable'],
  ['there is no network', () => Promise.reject(new TypeError()), false, 'offline'],
] as const)('a part is missing and %s', async (_, answer, onLine, want) => {
  page(answer, onLine);
  expect(await whyMissing(script)).toBe(want);
});

test('a part that cannot be had is a problem with a name, also within another one', async () => {
  page(async () => new Response('another page'));
  const missing = (): Promise<never> => load(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  await expect(missing()).rejects.toMatchObject({ kind: 'newer' });
  await expect(load(missing)).rejects.toBeInstanceOf(Problem);
  expect(await load(async () => 'there')).toBe('there');
});

test('no part of the page is loaded in another way', () => {
  const sources = Object.entries(import.meta.glob<string>(['../../**/*.{ts,svelte}', '!../../**/*.test.ts'], { query: '?raw', import: 'default', eager: true }));
  const past = sources.flatMap(([name, text]) => (text.match(/^.*\bimport\(.*$/gm) ?? []).map((line) => `${name}: ${line.trim()}`));
  expect(sources.length).toBeGreaterThan(80);
  expect(past.length).toBeGreaterThan(20);
  expect(past.filter((line) => !/\(\) => import\(/.test(line))).toEqual([]);
});
