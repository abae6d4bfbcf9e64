import type { Label } from './labels';
import { browserStorage } from '../shell/storage';

const key = 'library.labels';
/** How many labels can be on a list. */
export const mostLabels = 1000;

/** The labels that are to be printed. They stay until they are taken off, since printers fail. */
export function readLabels(): Label[] {
  try {
    const saved: unknown = JSON.parse(browserStorage.getItem(key) ?? '[]');
    if (!Array.isArray(saved)) return [];
    return saved.filter((label): label is Label => typeof (label as Label | null)?.barcode === 'string').slice(0, mostLabels);
  } catch {
    return [];
  }
}

export function writeLabels(labels: readonly Label[]): void {
  browserStorage.setItem(key, JSON.stringify(labels));
}

/** Adds labels; one with the same number takes the place of an older one. */
export function withLabels(labels: readonly Label[], more: readonly Label[]): Label[] {
  const all = new Map(labels.map((label) => [label.barcode, label]));
  for (const label of more) all.set(label.barcode, label);
  return [...all.values()].slice(0, mostLabels);
}
