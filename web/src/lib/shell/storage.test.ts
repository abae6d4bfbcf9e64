import { describe, expect, it } from 'vitest';
import { Memory, open } from './storage';

describe('storage', () => {
  it('is the one of the browser', () => {
    const store = new Memory();
    expect(open(() => store)).toBe(store);
  });

  it('is a memory where the browser allows none', () => {
    const store = open(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    expect(store.getItem('a')).toBeNull();
    store.setItem('a', '1');
    expect(store.getItem('a')).toBe('1');
    store.removeItem('a');
    expect(store.getItem('a')).toBeNull();
  });
});
