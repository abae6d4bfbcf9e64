import type { User } from '../api/api';
import { highest, numbered, writeNumber } from './barcodes';
import { isCode } from '../api/codes';
import type { Label } from './labels';
import { isProgram, nameOf } from '../people/name';
import { changeUsers } from '../people/people';
import { groupOrder } from '../people/groups';

/** Where a library begins that has no cards yet, as in the terminal. */
const firstCard = 'R0001';

/** The next number of the series that most cards have. */
export function nextCard(cards: readonly string[]): string {
  const top = highest(cards);
  return top ? writeNumber(top, top.number + 1) : firstCard;
}

/** Who needs a card, in the order in which cards are handed out: group by group, by name. */
export function holders(people: readonly User[], language: string): User[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const byGroup = groupOrder(language);
  const active = people.filter((one) => one.active && !isProgram(one));
  return active.sort((a, b) => byGroup(a.group, b.group) || compare(a.lastName, b.lastName) || compare(a.firstName, b.firstName));
}

export interface NewCard {
  email: string;
  card: string;
}

/** A number for each person, from the first one on, and after all of its series that are taken. Nothing if a number is no card. */
export function numberCards(people: readonly User[], first: string, taken: readonly string[]): NewCard[] | undefined {
  const from = numbered(first);
  if (!from) return undefined;
  const series = taken.flatMap((card) => numbered(card) ?? []).filter(({ prefix }) => prefix === from.prefix);
  const begin = series.reduce((most, { number }) => Math.max(most, number + 1), from.number);
  const cards = people.map(({ email }, i) => ({ email, card: writeNumber(from, begin + i) }));
  return cards.every(({ card }) => isCode(card)) ? cards : undefined;
}

/** Writes numbers into the records of people. Says how many have got theirs: somebody else may have given one away meanwhile. */
export async function giveCards(cards: readonly NewCard[]): Promise<number> {
  return (await changeUsers(cards)).filter(({ outcome }) => outcome === 'updated').length;
}

/** A label for each card, with the name and the group. Each group begins a sheet of paper; people are in the order of their groups. */
export function cardLabels(people: readonly User[], language: string): Label[] {
  const byGroup = groupOrder(language);
  const withCard = people.filter((person) => person.card);
  return withCard.map((person, i) => {
    const before = withCard[i - 1];
    const begins = !before || byGroup(before.group, person.group) !== 0;
    return { barcode: person.card ?? '', title: nameOf(person), shelf: person.group, begins, person: true };
  });
}
