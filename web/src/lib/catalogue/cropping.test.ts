import { expect, test } from 'vitest';
import { grab, move, uncut } from './cropping';

test('an edge stays within the picture, and a tenth of it is left', () => {
  expect(move(uncut, 'left', 0.25).left).toBe(0.25);
  expect(move(uncut, 'left', -1).left).toBe(0);
  expect(move(uncut, 'left', 1).left).toBeCloseTo(0.9);
  expect(move({ ...uncut, top: 0.5 }, 'bottom', 0.2).bottom).toBeCloseTo(0.6);
  expect(move(uncut, 'bottom', 2).bottom).toBe(1);
});

test.each([
  ['a corner', 0.05, 0.05, ['left', 'top']],
  ['the other corner', 0.95, 0.9, ['right', 'bottom']],
  ['the middle of an edge', 0.98, 0.5, ['right']],
  ['the inside, the nearest edge', 0.5, 0.7, ['bottom']],
] as const)('who points at %s takes hold of %s', (_, x, y, want) => {
  expect(grab(uncut, x, y)).toEqual(want);
});
