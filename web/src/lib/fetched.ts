import { browserStorage } from './storage';

const key = 'library.fetched';
const most = 2000;

/** The reservations whose copies were put aside at this computer. The library itself does not know where a copy is. */
export function readFetched(): Set<string> {
  try {
    const kept: unknown = JSON.parse(browserStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}

/** Notes that the copy of a reservation is put aside, or that it is not. */
export function markFetched(hold: string, yes = true): Set<string> {
  const all = readFetched();
  all.delete(hold);
  if (yes) all.add(hold);
  browserStorage.setItem(key, JSON.stringify([...all].slice(-most)));
  return all;
}
