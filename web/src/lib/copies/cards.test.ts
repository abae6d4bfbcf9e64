import { expect, test, vi } from 'vitest';
import type { User } from '../api/api';
import { place, sheets } from './labels';

const ask = vi.fn();
vi.mock('../session/session.svelte', () => ({ session: { api: { ask } } }));

const { cardLabels, giveCards, holders, nextCard, numberCards } = await import('./cards');

const person = (lastName: string, group: string, card?: string): User => ({
  identifier: lastName, firstName: 'A', lastName, email: `${lastName}@x.example`, locale: 'en', reminders: true, group, card, active: true, station: false, bound: false,
});

test.each([
  [[], 'R0001'],
  [['S-0041', 'S-0009', 'old'], 'S-0042'],
  [['R-0099', 'R-0100', 'X-900'], 'R-0101'],
])('after the cards %j comes %s', (cards, next) => expect(nextCard(cards)).toBe(next));

test('cards are handed out class by class, and by name, and not to programs or to those who are switched off', () => {
  const all = [person('Zorn', '9a'), person('Adler', ''), person('Adler', '10b'), person('Öhm', '9a'), { ...person('Gone', '9a'), active: false }, { ...person('Bot', ''), email: 'service-account-x@y.example' }, { ...person('Tablet', ''), station: true }];
  expect(holders(all, 'de').map(({ lastName, group }) => `${lastName} ${group}`)).toEqual(['Öhm 9a', 'Zorn 9a', 'Adler 10b', 'Adler ']);
});

test('each gets the next number after those that are taken', () => {
  const people = ['a', 'b', 'c'].map((name) => person(name, ''));
  expect(numberCards(people, 'S-09', ['S-10', 'X-99', 'X'])?.map(({ card }) => card)).toEqual(['S-11', 'S-12', 'S-13']);
  expect(numberCards(people, 'S-09', ['S-01'])?.map(({ card }) => card)).toEqual(['S-09', 'S-10', 'S-11']);
  expect(numberCards(people, 'no digits', [])).toBeUndefined();
  expect(numberCards(people, 'a b1', [])).toBeUndefined();
});

test('numbers are written a thousand at a time, and counted when they are', async () => {
  ask.mockImplementation((_method: string, _path: string, { body }: { body: { card: string }[] }) =>
    Promise.resolve({ data: body.map(({ card }) => ({ outcome: card === 'S-5' ? 'invalid' : 'updated' })) }));
  const cards = Array.from({ length: 1200 }, (_, i) => ({ email: `p${i}@x.example`, card: `S-${i}` }));
  expect(await giveCards(cards)).toBe(1199);
  expect(ask.mock.calls.map(([, , { query, body }]) => [query.update, body.length])).toEqual([[true, 1000], [true, 200]]);
});

test('a label has the name and the group; who has no card has none', () => {
  expect(cardLabels([person('Byron', '7a', 'S-1'), person('Ohne', '7a')], 'en')).toEqual([{ barcode: 'S-1', title: 'A Byron', shelf: '7a', begins: true, person: true }]);
});

test('each group begins a sheet of paper', () => {
  const labels = cardLabels([person('Byron', '7b', 'S-1'), person('Clarke', '7B', 'S-2'), person('Turing', '10a', 'S-3'), person('Hopper', '', 'S-4')], 'en');
  const pages = place(labels, sheets['Avery L7160'], 1);
  expect(pages.map((page) => page.map(({ label }) => label.barcode))).toEqual([['S-1', 'S-2'], ['S-3'], ['S-4']]);
  expect(pages[2]?.[0]).toMatchObject({ x: sheets['Avery L7160'].left, y: sheets['Avery L7160'].top });
});

test('a sheet that is full is not followed by an empty one', () => {
  const full = Array.from({ length: 21 }, (_, i) => ({ barcode: String(i) }));
  expect(place([...full, { barcode: 'next', begins: true }], sheets['Avery L7160'], 1).map((page) => page.length)).toEqual([21, 1]);
});
