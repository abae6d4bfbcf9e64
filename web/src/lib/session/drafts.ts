import type { Store } from '../shell/storage';

/**
 * What was typed when the session ended, saved across the way to the provider
 * and back. It is in the storage of this tab, belongs to one person and one
 * page, and is taken out at the first look.
 */
const key = 'library.draft';

interface Draft {
  path: string;
  owner: string;
  data: unknown;
}

export class Drafts {
  #current: { path: string; read: () => unknown } | undefined;

  constructor(private readonly store: Store) {}

  /** Names what is to be saved if the session ends; returns what forgets it. */
  watch(path: string, read: () => unknown): () => void {
    const mine = { path, read };
    this.#current = mine;
    return () => {
      if (this.#current === mine) this.#current = undefined;
    };
  }

  /** Puts aside what the page holds, if it holds anything. Says whether all of it is saved. */
  save(owner: string): boolean {
    const data = this.#current?.read();
    if (this.#current === undefined || data === undefined) return true;
    const draft: Draft = { path: this.#current.path, owner, data };
    try {
      this.store.setItem(key, JSON.stringify(draft));
      return true;
    } catch {
      return false; // larger than the browser wants to keep
    }
  }

  /** Forgets what was put aside. */
  drop(): void {
    this.store.removeItem(key);
  }

  /** What was put aside for this page and this person. */
  take(path: string, owner: string): unknown {
    const text = this.store.getItem(key);
    if (text === null) return undefined;
    try {
      const draft = JSON.parse(text) as Draft;
      if (draft.path !== path && draft.owner === owner) return undefined; // for later
      this.store.removeItem(key);
      return draft.owner === owner ? draft.data : undefined;
    } catch {
      this.store.removeItem(key);
      return undefined;
    }
  }
}
