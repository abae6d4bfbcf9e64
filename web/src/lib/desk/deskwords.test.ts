import { expect, test } from 'vitest';
import en from '../../messages/en.staff';
import { bigWords } from './deskwords';
import type { Entry } from './entry';

const speech = { t: en.desk, date: (instant: string) => `the day ${instant}`, explain: () => '', count: () => '' };
const relent: Entry = { id: 1, at: 0, kind: 'relent', title: 'Dracula', name: 'Bruce Banner', dueAt: 'x' };

test('a return that was undone says until when, or that it is overdue as it was', () => {
  expect(bigWords(relent, speech).head).toBe('Lent until the day x');
  const { head, lines } = bigWords({ ...relent, late: true }, speech);
  expect(head).toBe('Overdue: was due the day x');
  expect(lines.join()).not.toContain('was overdue');
});
