import type { Book, Loan } from '../api/api';
import type { components } from '../api/schema';
import { within } from '../desk/deskapi';
import { loans, readers } from '../lending/lending';
import { groupKey } from '../people/groups';
import { session } from '../session/session.svelte';
import type { Pair, Pupil, Skip } from './pairing';

type Schemas = components['schemas'];
/** One copy that came back, or why not. */
export type Returned = Schemas['BatchReturn'];

/** How many copies are lent at once. */
export const mostCopies = 100;
const mostPeople = 1000; // of a request

/** A class, perhaps a title, and perhaps the day on which everything is due. */
export interface Setup {
  group: string;
  book?: Pick<Book, 'identifier' | 'title'>;
  due?: string;
}

/** Reads the classes in use. What is known so far is shown after every thousand people. */
export async function readGroups(show: (people: { group?: string }[]) => void, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  let read = 0;
  do {
    const { items, next } = await readers({ active: true }, 1000, cursor, signal);
    read += items.length;
    show(items);
    cursor = next;
  } while (cursor !== undefined && read < 10_000);
}

/** The people of a class by last name, in the library's order. */
export async function peopleOf(group: string): Promise<Pupil[]> {
  const { items } = await readers({ group, active: true }, mostPeople);
  return items.map(({ identifier, firstName, lastName, group }) => ({ identifier, firstName, lastName, group }));
}

export async function findBooks(q: string, signal?: AbortSignal): Promise<Book[]> {
  return (await session.api.books({ q }, 6, undefined, signal)).items;
}

const asSkips = (skipped: Schemas['BatchLoans']['skipped']): Skip[] => skipped.map(({ user, code, rule }) => ({ person: user.identifier, why: code, rule }));

/** Asks for a batch. What is left out has its default. */
async function askBatch({ book, due }: Setup, people: readonly string[], more: Partial<Schemas['BatchInput']>, key?: string): Promise<Schemas['BatchLoans']> {
  const body = { book: book?.identifier, dueAt: due, users: people.slice(0, mostPeople), ...more } as Schemas['BatchInput'];
  return (await within((signal) => session.api.ask('post', '/loans/batch', { header: { 'Idempotency-Key': key }, body, signal }))).data;
}

const identifiers = (people: readonly Pupil[]): string[] => people.map(({ identifier }) => identifier);

export interface Plan {
  /** Free copies of the title; none without a title. */
  free?: number;
  skipped: Skip[];
}

/** Asks whom the library will skip. It knows that before the first scan only of a title of which there are free copies. */
export async function plan(setup: Setup, people: readonly Pupil[]): Promise<Plan> {
  if (!setup.book) return { skipped: [] };
  const { data: all } = await session.api.ask('get', '/books/{id}/copies', { path: { id: setup.book.identifier } });
  const free = all.filter(({ state, loan, hold }) => state === 'lendable' && !loan && !hold).map(({ identifier }) => identifier);
  if (free.length === 0) return { free: 0, skipped: [] };
  const { skipped } = await askBatch(setup, identifiers(people), { copies: free.slice(0, mostCopies), dryRun: true });
  return { free: free.length, skipped: asSkips(skipped) };
}

export interface Trial {
  /** Nothing if everybody is skipped. */
  pair?: Pair;
  skipped: Skip[];
}

/** Asks who of those who wait would get a copy. Nothing is lent. */
export async function tryCopy(setup: Setup, barcode: string, waits: readonly Pupil[]): Promise<Trial> {
  const { loans: [loan], skipped } = await askBatch(setup, identifiers(waits), { barcodes: [barcode], dryRun: true });
  return { pair: loan && pairOf(loan, barcode), skipped: asSkips(skipped) };
}

const pairOf = ({ copy, book, user, dueAt }: Schemas['BatchLoan'], barcode = ''): Pair => ({ copy: copy.identifier, barcode: copy.barcode ?? barcode, title: book.title, person: user.identifier, dueAt });

export interface Lent {
  pairs: Pair[];
  skipped: Skip[];
  /** Copies for which nobody was left. */
  left: string[];
}

/** Lends all copies, or none. The same key does it once. */
export async function lendAll(setup: Setup, pairs: readonly Pair[], key: string): Promise<Lent> {
  const { loans, skipped, left } = await askBatch(setup, pairs.map(({ person }) => person), { copies: pairs.map(({ copy }) => copy) }, key);
  return { pairs: loans.map((loan) => pairOf(loan)), skipped: asSkips(skipped), left: left.map(({ barcode, identifier }) => barcode ?? identifier) };
}

/** A copy that comes back, which waits for its turn. */
export interface Back {
  code: string;
  /** The loan that ends with it, if it is not that of the copy. */
  loan?: string;
  group: string;
  key: string;
}

/** Takes a copy back. With a loan it is that one which ends. */
export async function takeBack(group: string, barcode: string, loan: string | undefined, key: string): Promise<Returned> {
  const body = { barcodes: [loan ? { barcode, loan } : barcode], group };
  const { data } = await within((signal) => session.api.ask('post', '/returns/batch', { header: { 'Idempotency-Key': key }, body, signal }));
  return data[0] as Returned;
}

/** What a class has, of one title or of all, up to a number that no class has. */
export async function loansOf(group: string, book?: string): Promise<Loan[]> {
  const all: Loan[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await loans({ group, book }, 1000, cursor);
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined && all.length < 10_000);
  return all;
}

/** Whether somebody is in that class. */
export const isIn = (group: string, one: { group?: string } | undefined): boolean => groupKey(one?.group) === groupKey(group);
