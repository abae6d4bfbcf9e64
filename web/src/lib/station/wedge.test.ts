import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Wedge } from './wedge';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Types a text with so many milliseconds between keys, and returns the codes that come out of it after some seconds. */
function typed(text: string, between: number, box = false): string[] {
  const codes: string[] = [];
  const wedge = new Wedge((code) => codes.push(code));
  for (const key of text.replace(/\n/g, '⏎')) {
    wedge.key(key === '⏎' ? 'Enter' : key, Date.now(), box);
    vi.advanceTimersByTime(between);
  }
  vi.advanceTimersByTime(5000);
  return codes;
}

test.each([
  ['fast, with Enter', 'B-0001\n', 5, ['B-0001']],
  ['fast, without Enter', 'B-0001', 5, ['B-0001']],
  ['fast, with two ends', 'B-0001\n\n', 5, ['B-0001']],
  ['slow, with Enter', 'B-0001\n', 300, ['B-0001']],
  ['slow, without Enter', 'B-0001', 300, ['B-0001']],
  ['one code after the other', 'B-0001\nB-0002\n', 5, ['B-0001', 'B-0002']],
  ['Enter alone', '\n', 5, []],
  ['a space before it', ' B-1\n', 5, ['B-1']],
])('%s', (_, text, between, codes) => expect(typed(text, between)).toEqual(codes));

test('what somebody types by hand into a box is not ended by a pause, what a scanner types there is', () => {
  expect(typed('B-0001', 200, true)).toEqual([]);
  expect(typed('B-0001', 5, true)).toEqual(['B-0001']);
});

test('keys that write nothing belong to no code', () => {
  const wedge = new Wedge(() => undefined);
  expect(['Shift', 'ArrowDown', 'Enter', ' ', 'B', ' ', 'Enter'].map((key) => wedge.key(key, 0))).toEqual([false, false, false, false, true, true, true]);
});

test('an end that comes late or twice belongs to the code before it', () => {
  const wedge = new Wedge(() => undefined);
  wedge.key('B', 0);
  vi.advanceTimersByTime(1300); // a pause has ended it
  expect([1300, 1310, 5000].map((time) => wedge.key('Enter', time))).toEqual([true, true, false]);
});
