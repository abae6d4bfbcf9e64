import type { Item, Reader } from './desk';
import type { Entry } from './entry';
import { deskKey, tabStorage } from '../shell/storage';

const version = 1;

/** What a tab keeps of the desk. */
export interface DeskMemory {
  /** Who worked at it. */
  owner: string;
  reader?: Reader;
  since: number;
  queue: Item[];
  entries: Entry[];
  next: number;
}

export function rememberDesk(memory: DeskMemory): void {
  try {
    tabStorage.setItem(deskKey, JSON.stringify({ version, ...memory }));
  } catch {
    // The storage is full: the desk works, but forgets with a reload.
  }
}

/** What this person has left at the desk. What somebody else left is deleted. */
export function recallDesk(owner: string): DeskMemory | undefined {
  let saved: (DeskMemory & { version: number }) | undefined;
  try {
    saved = JSON.parse(tabStorage.getItem(deskKey) ?? 'null') as typeof saved;
  } catch {
    saved = undefined;
  }
  if (saved?.version === version && saved.owner === owner) return saved;
  tabStorage.removeItem(deskKey);
  return undefined;
}
