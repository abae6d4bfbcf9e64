export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What lasts as long as the page, for a browser that allows no storage. */
export class Memory implements Store {
  #items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
}

/** A storage of the browser. To ask for one that is not allowed throws. */
export function open(get: () => Store): Store {
  try {
    const store = get();
    store.getItem('');
    return store;
  } catch {
    return new Memory();
  }
}

/** Lasts as long as the tab. */
export const tabStorage = open(() => sessionStorage);
/** Lasts. */
export const browserStorage = open(() => localStorage);

/** Where the cards are kept that this tab is to print. */
export const cardsKey = 'library.cards';

/** Where a reader's scans are kept that wait for the library. */
export const scanKey = 'library.scans';

/** Where the desk keeps what was done in this tab. */
export const deskKey = 'library.desk';

/** Where scans of a stocktake are kept that wait for the library. */
export const stocktakeKey = 'library.stocktake';

/** Where a class set is kept until it is lent. */
export const classKey = 'library.class';
