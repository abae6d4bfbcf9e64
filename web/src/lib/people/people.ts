import { page, tagged, type ImportResult, type Page, type Tagged, type User, type UserInput } from '../api/api';
import { session } from '../session/session.svelte';

// What only admins ask for: it is loaded with their pages.

export async function users({ q, group, category, active }: { q?: string; group?: string; category?: string; active?: boolean }, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<User>> {
  const query = { q: q || undefined, group: group || undefined, category: category || undefined, active, limit, cursor };
  return page(await session.api.ask('get', '/users', { query, signal }));
}

/** All people, up to a number that no school has. */
export async function everybody(filter: { q?: string; group?: string; category?: string }): Promise<User[]> {
  const all: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await users(filter, 1000, cursor);
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && all.length < 10_000);
  return all;
}

/** The person with a card; nothing if nobody has it. */
export async function userWithCard(card: string): Promise<User | undefined> {
  return (await users({ q: card }, 1000)).items.find((one) => one.card === card);
}

export async function user(id: string): Promise<Tagged<User>> {
  return tagged(await session.api.ask('get', '/users/{id}', { path: { id } }));
}

export async function addUser(body: UserInput): Promise<void> {
  await session.api.ask('post', '/users', { body });
}

export async function editUser(id: string, body: UserInput, etag: string): Promise<void> {
  await session.api.ask('put', '/users/{id}', { path: { id }, header: { 'If-Match': etag }, body });
}

/** Switches somebody off or on, and changes nothing else. */
export async function switchUser(id: string, active: boolean): Promise<void> {
  const { value, etag } = await user(id);
  await editUser(id, { ...value, active }, etag);
}

const atOnce = 1000; // that the library takes in a request

/** Changes many people, who are found by their addresses. The answer has what became of each, in the same order. */
export async function changeUsers(rows: readonly { email: string; card?: string; active?: boolean }[]): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  for (let at = 0; at < rows.length; at += atOnce) {
    const { data } = await session.api.ask('post', '/imports/users', { query: { update: true }, body: rows.slice(at, at + atOnce) });
    results.push(...(data as ImportResult[]));
  }
  return results;
}

/** Lets another account of the sign-in service come in with the same address. */
export async function untieUser(id: string): Promise<void> {
  await session.api.ask('delete', '/users/{id}/subject', { path: { id } });
}

export async function removeUser(id: string): Promise<void> {
  await session.api.ask('delete', '/users/{id}', { path: { id } });
}
