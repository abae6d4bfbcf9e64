import { expect, test } from 'vitest';
import { refuge } from './focus';

const place = (isConnected: boolean) => ({ isConnected, focus: () => undefined });

test('the focus goes back, to the book, or to the heading', () => {
  const [here, gone] = [place(true), place(false)];
  const heading = place(true);
  expect(refuge(here, gone, heading)).toBe(here);
  expect(refuge(gone, here, heading)).toBe(here);
  expect(refuge(gone, undefined, heading)).toBe(heading);
  expect(refuge(undefined, gone, undefined)).toBeUndefined();
});
