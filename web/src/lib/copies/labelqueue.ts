import type { Label } from './labels';
import { groupKey } from '../people/groups';
import { browserStorage, cardsKey, tabStorage, type Store } from '../shell/storage';

const key = 'library.labels';
/** How many labels can be on a list. */
export const mostLabels = 2000;

function readFrom(store: Store, key: string): Label[] {
  try {
    const saved: unknown = JSON.parse(store.getItem(key) ?? '[]');
    if (!Array.isArray(saved)) return [];
    return saved.filter((label): label is Label => typeof (label as Label | null)?.barcode === 'string');
  } catch {
    return [];
  }
}

/** The labels that are to be printed. They stay until they are taken off, since printers fail; those of people's cards as long as the tab. */
export function readLabels(): Label[] {
  return [...readFrom(browserStorage, key), ...readFrom(tabStorage, cardsKey)].slice(0, mostLabels);
}

export function writeLabels(labels: readonly Label[]): void {
  browserStorage.setItem(key, JSON.stringify(labels.filter((label) => !label.person)));
  tabStorage.setItem(cardsKey, JSON.stringify(labels.filter((label) => label.person)));
}

/** Adds labels; one with the same number takes the place of an older one. That of a person goes to the end of the group, which may be another one now. */
export function withLabels(labels: readonly Label[], more: readonly Label[]): Label[] {
  const all = new Map(labels.map((label) => [label.barcode, label]));
  for (const label of more) {
    if (label.person || all.get(label.barcode)?.person) all.delete(label.barcode);
    all.set(label.barcode, label);
  }
  const queued = [...all.values()];
  const groups = new Map([...labels, ...more].filter((label) => label.person).map((label) => [groupKey(label.shelf), [] as Label[]]));
  for (const label of queued) if (label.person) groups.get(groupKey(label.shelf))?.push({ ...label });
  for (const people of groups.values()) people.forEach((label, i) => (label.begins = i === 0));
  return [...queued.filter((label) => !label.person), ...[...groups.values()].flat()].slice(0, mostLabels);
}
