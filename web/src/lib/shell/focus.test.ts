import { expect, test } from 'vitest';
import { focusTarget } from './focus';

const place = (isConnected: boolean) => ({ isConnected, focus: () => undefined });

test('the focus goes back, to the book, or to the heading', () => {
  const [here, gone] = [place(true), place(false)];
  const heading = place(true);
  expect(focusTarget(here, gone, heading)).toBe(here);
  expect(focusTarget(gone, here, heading)).toBe(here);
  expect(focusTarget(gone, undefined, heading)).toBe(heading);
  expect(focusTarget(undefined, gone, undefined)).toBeUndefined();
});
