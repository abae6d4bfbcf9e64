/** Covers that are kept, by their addresses, and what all that is kept takes of the browser's disk. */
export interface Kept<Key = unknown> {
  keys(): Promise<readonly Key[]>;
  delete(key: Key): Promise<unknown>;
  usage(): Promise<StorageEstimate>;
}

/** Bytes: ten thousand small covers take less than half of it. */
const most = 500e6;

/** Makes room if too much is kept: the fifth that was kept first goes. */
export async function forgetOldest<Key>(covers: Kept<Key>): Promise<void> {
  const { usage = 0, quota = Infinity } = await covers.usage();
  if (usage <= Math.min(most, quota / 2)) return;
  const keys = await covers.keys();
  for (const key of keys.slice(0, Math.ceil(keys.length / 5))) await covers.delete(key);
}
