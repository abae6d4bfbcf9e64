import { expect, test } from 'vitest';
import { withLabels } from './labelqueue';
import type { Label } from './labels';

const card = (barcode: string, shelf: string, begins = false): Label => ({ barcode, title: barcode, shelf, begins, person: true });
const told = (labels: readonly Label[]): string[] => labels.map(({ barcode, shelf, begins }) => `${begins ? '| ' : ''}${barcode} ${shelf ?? ''}`.trim());

test('a copy that is queued again keeps its place, with the newer words', () => {
  expect(withLabels([{ barcode: 'A', title: 'old' }, { barcode: 'B' }], [{ barcode: 'A', title: 'new' }])).toEqual([{ barcode: 'A', title: 'new' }, { barcode: 'B' }]);
});

test('a person who is queued again goes to the end of the group, and each group begins a sheet once', () => {
  const before = [card('S1', '7a', true), card('S2', '7a'), card('S3', '7b', true)];
  expect(told(withLabels(before, [card('S1', '7A', true)]))).toEqual(['| S2 7a', 'S1 7A', '| S3 7b']);
  expect(told(withLabels(before, [card('S1', '7b', true)]))).toEqual(['| S2 7a', '| S3 7b', 'S1 7b']);
  expect(told(withLabels(before, [card('S4', '', true), card('S2', '8a', true)]))).toEqual(['| S1 7a', '| S3 7b', '| S4', '| S2 8a']);
});

test('a number is on the list once, whoever has it', () => {
  expect(told(withLabels([{ barcode: 'S1' }, card('S2', '7a', true)], [card('S1', '7a'), { barcode: 'S2' }]))).toEqual(['S2', '| S1 7a']);
});
