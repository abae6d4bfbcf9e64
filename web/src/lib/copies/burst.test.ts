import { describe, expect, it } from 'vitest';
import { Burst } from './burst';

/** Presses keys in a field, with the milliseconds before each, and Enter after 5 more. */
function press(burst: Burst, text: string, gap: (n: number) => number, from = 0, field = 'title'): string {
  let time = from;
  [...text].forEach((key, n) => burst.key(key, field, (time += gap(n))));
  return burst.key('Enter', field, time + 5);
}

describe('a burst of keys', () => {
  it('is a scan if it is fast and looks like one', () => {
    expect(press(new Burst(), 'LIB-0107', () => 10)).toBe('LIB-0107');
    expect(press(new Burst(), 'Homo', () => 10)).toBe('');
  });

  it('is whole, however late one of its keys is', () => {
    expect(press(new Burst(), 'LIB-0107', (n) => (n === 2 ? 120 : 10))).toBe('LIB-0107');
  });

  it('is not what somebody types by hand', () => {
    expect(press(new Burst(), 'Catch22', () => 110)).toBe('');
  });

  it('begins anew after a pause, in another field, and after Enter', () => {
    const burst = new Burst();
    'Catch'.split('').forEach((key, n) => burst.key(key, 'title', n * 110));
    expect(press(burst, 'LIB-0107', () => 10, 1000)).toBe('LIB-0107');
    expect(press(burst, 'LIB-0108', () => 10, 1085)).toBe('LIB-0108');
    burst.key('x', 'title', 1200);
    expect(press(burst, 'LIB-0109', () => 10, 1200, 'isbn')).toBe('LIB-0109');
  });
});
