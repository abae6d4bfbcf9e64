import type { DPoPState } from 'oidc-client-ts';

/** A request to the browser's database, as a promise. */
const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((yes, no) => {
    request.onsuccess = () => yes(request.result);
    request.onerror = () => no(request.error);
  });

/**
 * The keys of this browser, by the name of the client, in its database: the one place that keeps keys
 * which no script can read. As oidc-client-ts wants it, whose own store would be loaded by
 * everybody. A station keeps its own apart, and its refresh token beside them.
 */
export class KeyStore<T = DPoPState> {
  constructor(private readonly database = 'library.keys') {}

  async #keys(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    const open = indexedDB.open(this.database);
    open.onupgradeneeded = () => void open.result.createObjectStore('keys');
    return (await done(open)).transaction('keys', mode).objectStore('keys');
  }

  async get(client: string): Promise<T> {
    return (await done((await this.#keys('readonly')).get(client))) as T;
  }

  async set(client: string, state: T): Promise<void> {
    await done((await this.#keys('readwrite')).put(state, client));
  }

  async remove(client: string): Promise<T> {
    const old = await this.get(client);
    await done((await this.#keys('readwrite')).delete(client));
    return old;
  }

  async getAllKeys(): Promise<string[]> {
    return (await done((await this.#keys('readonly')).getAllKeys())) as string[];
  }
}
