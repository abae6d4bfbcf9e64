import { expect, test } from 'vitest';
import type { Loan } from '../api/api';
import { sorted } from './overdue';

const loan = (title: string, lastName: string | undefined, dueAt: string): Loan => ({
  identifier: title, book: { identifier: title, title }, user: lastName === undefined ? undefined : { identifier: lastName, firstName: 'A', lastName },
  borrowedAt: dueAt, dueAt, renewals: 0, overdue: true, renewable: true,
});

test('overdue loans are put in order as people expect it', () => {
  const all = [loan('Volume 10', 'Özil', '2026-03-01T22:59:59Z'), loan('Volume 9', 'Zorn', '2026-01-01T22:59:59Z'), loan('Über alles', 'Özil', '2026-02-01T22:59:59Z')];
  const order = (by: Parameters<typeof sorted>[1]): string[] => sorted(all, by, 'de').map((l) => l.book.title);
  expect(order('longest')).toEqual(['Volume 9', 'Über alles', 'Volume 10']);
  expect(order('shortest')).toEqual(['Volume 10', 'Über alles', 'Volume 9']);
  expect(order('reader')).toEqual(['Über alles', 'Volume 10', 'Volume 9']);
  expect(order('group')).toEqual(['Über alles', 'Volume 10', 'Volume 9']);
  expect(order('title')).toEqual(['Über alles', 'Volume 9', 'Volume 10']);
});

test('by group, class 9 comes before class 10, then the names, and who has no group or no name any more is at the end', () => {
  const of = (title: string, lastName: string | undefined, group?: string): Loan => {
    const one = loan(title, lastName, '2026-01-01T22:59:59Z');
    return { ...one, user: one.user && { ...one.user, group } };
  };
  const all = [of('a', undefined), of('b', 'Adler'), of('c', 'Zorn', '9b'), of('d', 'Adler', '10a'), of('e', 'Adler', '9B')];
  expect(sorted(all, 'group', 'de').map((l) => l.book.title)).toEqual(['e', 'c', 'd', 'a', 'b']);
});
