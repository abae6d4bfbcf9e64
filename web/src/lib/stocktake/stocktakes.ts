import { page, type Page } from '../api/api';
import type { components } from '../api/schema';
import { allCopies } from '../lending/lending';
import { session } from '../session/session.svelte';

type Schemas = components['schemas'];
export type Stocktake = Schemas['Stocktake'];
export type Outcome = Schemas['ScanOutcome'];
export type Scan = Schemas['Scan'];
export type Swap = Schemas['SwapProposal'];
type Place = Schemas['StocktakeCopy']['outcome'];
/** What copies can be listed by, and codes. */
export type ListedOutcome = Place | 'unknown';
/** A copy of a list, or a code that no copy has. */
export type Listed = Partial<Omit<Schemas['StocktakeCopy'], 'identifier'>> & { identifier: string; code?: string };

/** How many shelves a stocktake can have. Without any it is about all. */
export const mostShelves = 100;

/** Outcomes after which somebody has to do something. */
export const forAHand = ['lent', 'set_aside', 'elsewhere', 'not_expected', 'was_missing', 'unknown'] as const;

export async function stocktakes(limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Stocktake>> {
  return page(await session.api.ask('get', '/stocktakes', { query: { limit, cursor }, signal }));
}

export async function stocktake(id: string): Promise<Stocktake> {
  return (await session.api.ask('get', '/stocktakes/{id}', { path: { id } })).data;
}

export async function start(name: string, shelves?: string[]): Promise<Stocktake> {
  return (await session.api.ask('post', '/stocktakes', { body: { name, shelves } })).data;
}

export async function close(id: string, markMissing: boolean): Promise<Stocktake> {
  return (await session.api.ask('post', '/stocktakes/{id}/close', { path: { id }, body: { markMissing } })).data;
}

export async function remove(id: string): Promise<void> {
  await session.api.ask('delete', '/stocktakes/{id}', { path: { id } });
}

/** Does what was proposed: the reader has the copy that is not here. */
export async function moveLoan({ loan, free }: Swap): Promise<void> {
  await session.api.ask('post', '/loans/{id}/move', { path: { id: loan }, body: { copy: free.identifier } });
}

export async function copiesOf(id: string, outcome: ListedOutcome, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Listed>> {
  const { items, ...rest } = page(await session.api.ask('get', '/stocktakes/{id}/copies', { path: { id }, query: { outcome, limit, cursor }, signal }));
  return { ...rest, items: items.map((item) => ('code' in item ? { identifier: item.code, ...item } : item)) };
}

export interface Shelf {
  name: string;
  copies: number;
}

/** Reads all shelves with their copies, by name. What is known so far is shown after every thousand copies. */
export async function readShelves(show: (shelves: Shelf[]) => void, signal: AbortSignal): Promise<void> {
  const known = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const { items, next } = await allCopies({}, 1000, cursor, signal);
    for (const { shelf, state } of items) if (shelf && (state === 'lendable' || state === 'reference')) known.set(shelf, (known.get(shelf) ?? 0) + 1);
    show([...known].map(([name, copies]) => ({ name, copies })));
    cursor = items.at(-1)?.shelf ? next : undefined; // those without a shelf are the last
  } while (cursor !== undefined);
}
