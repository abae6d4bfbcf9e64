import { session } from '../session/session.svelte';
import { classKey, tabStorage } from '../shell/storage';
import type { Back, Setup } from './classapi';
import type { Done, Item } from './lending.svelte';
import type { Pairing } from './pairing';

/** What a tab keeps of class sets, for one person. */
interface Memory {
  lending: { setup?: Setup; pairing?: Pairing; free?: number; key?: string; done?: Done; items?: Item[] };
  collecting: { setup?: Setup; books?: string[]; items?: Back[] };
}

/** What this person has left on the page. What somebody else left is deleted. */
export function recall(): Partial<Memory> {
  try {
    const saved = JSON.parse(tabStorage.getItem(classKey) ?? '{}') as Partial<Memory> & { owner?: string };
    if (saved.owner !== undefined && saved.owner === session.me?.identifier) return saved;
  } catch {
    // nothing of ours
  }
  tabStorage.removeItem(classKey);
  return {};
}

export function remember(part: Partial<Memory>): void {
  const owner = session.me?.identifier;
  if (owner) tabStorage.setItem(classKey, JSON.stringify({ ...recall(), ...part, owner }));
}
