import { expect, test } from 'vitest';
import { bookKinds } from '../api/bookfields';
import { objects } from './objects';

test('each kind but books has a drawing of its own', () => {
  expect(Object.keys(objects).sort()).toEqual(bookKinds.filter((kind) => kind !== 'book').sort());
  expect(new Set(Object.values(objects)).size).toBe(bookKinds.length - 1);
});
