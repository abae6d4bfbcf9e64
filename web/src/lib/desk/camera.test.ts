import { expect, test, vi } from 'vitest';

vi.mock('zxing-wasm/reader/zxing_reader.wasm?url', () => ({ default: 'module.wasm' }));
vi.mock('./decoder?worker&url', () => ({ default: 'decoder.js' }));
const { openCamera, Sightings, whyNot } = await import('./camera');

test('a code that stays in the picture counts once, and again when it comes back', () => {
  const sightings = new Sightings(1000);
  expect(sightings.fresh(['a', 'a'], 0)).toEqual(['a']);
  expect(sightings.fresh(['a', 'b'], 900)).toEqual(['b']);
  expect(sightings.fresh(['a'], 1800)).toEqual([]);
  expect(sightings.fresh([], 2500)).toEqual([]);
  expect(sightings.fresh(['a', 'b'], 2900)).toEqual(['a', 'b']);
});

test.each([
  ['NotAllowedError', 'refused'], ['SecurityError', 'refused'], ['NotFoundError', 'none'], ['OverconstrainedError', 'none'], ['NotReadableError', 'busy'], ['', 'busy'],
])('%s: %s', (name, problem) => expect(whyNot(name)).toBe(problem));

test('where a page gets no camera at all, the address is not secure', async () => {
  vi.stubGlobal('navigator', {});
  await expect(openCamera()).rejects.toMatchObject({ problem: 'insecure' });
});
