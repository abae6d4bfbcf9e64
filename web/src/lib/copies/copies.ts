import { isCode } from '../api/codes';
import { highest, nextFree, numbered } from './barcodes';
import { longestCode } from '../api/codes';
import { checkIsbn } from '../catalogue/isbncheck';
import { loans, type Copy, type CopyInput } from '../lending/lending';
import { Problem } from '../api/problem';
import { session } from '../session/session.svelte';
import { browserStorage } from '../shell/storage';

/** How long the fields of a copy may be, in characters. A test compares them with the contract file. */
export const copyLimits = { barcode: longestCode, shelf: 100, note: 1000 } as const;

export async function copiesOf(book: string, signal?: AbortSignal): Promise<Copy[]> {
  return (await session.api.ask('get', '/books/{id}/copies', { path: { id: book }, signal })).data;
}

export async function addCopy(book: string, body: CopyInput): Promise<Copy> {
  return (await session.api.ask('post', '/books/{id}/copies', { path: { id: book }, body })).data;
}

export async function removeCopy(id: string): Promise<void> {
  await session.api.ask('delete', '/copies/{id}', { path: { id } });
}

/** Changes some values of a copy. The others are taken from the newest version, which nobody else can change in between. */
export async function changeCopy(id: string, change: CopyInput): Promise<Copy> {
  const { data, response } = await session.api.ask('get', '/copies/{id}', { path: { id } });
  const { barcode, shelf, note, state } = data;
  return saveCopy(id, { barcode, shelf, note, state, ...change }, response.headers.get('ETag') ?? '');
}

export async function readCopy(id: string): Promise<{ copy: Copy; etag: string }> {
  const { data, response } = await session.api.ask('get', '/copies/{id}', { path: { id } });
  return { copy: data, etag: response.headers.get('ETag') ?? '' };
}

export async function saveCopy(id: string, body: CopyInput, etag: string): Promise<Copy> {
  return (await session.api.ask('put', '/copies/{id}', { path: { id }, header: { 'If-Match': etag }, body })).data;
}

/** Whether a scanner has read the back of the book instead of the label. */
export function looksLikeIsbn(code: string): boolean {
  return /^97[89]\d{10}$/.test(code) && checkIsbn(code) === 'good';
}

/** Whether a scanner may have sent it: no word of a title has a number without a space. */
export const looksLikeScan = (text: string): boolean => isCode(text) && /\d/.test(text);

const key = 'library.last-barcode';

/** The highest number of its series that was given or printed here. */
export function rememberBarcode(code: string): void {
  const [now, before] = [numbered(code), numbered(browserStorage.getItem(key) ?? '')];
  if (now && (now.prefix !== before?.prefix || now.number > before.number)) browserStorage.setItem(key, code);
}

/** Whether the code stands for something already. */
async function taken(code: string): Promise<boolean> {
  try {
    await session.api.ask('get', '/codes/{code}', { path: { code } });
    return true;
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.code === 'unknown_code') return false;
    throw thrown;
  }
}

/**
 * The next free number in the way that the library numbers its copies. That shows in the
 * given barcodes, in the last one that was given here, or else in those that were lent of late.
 */
export async function proposeBarcode(known: readonly string[], promised: ReadonlySet<string> = new Set()): Promise<string> {
  const last = browserStorage.getItem(key);
  const here = [...known, ...(last ? [last] : []), ...promised];
  if (!highest(here)) {
    const lent = await Promise.all([loans({}, 200), loans({ state: 'returned' }, 200)]);
    here.push(...lent.flatMap((found) => found.items.flatMap((loan) => loan.copy?.barcode ?? [])));
  }
  return nextFree(here, async (code) => promised.has(code) || taken(code));
}
