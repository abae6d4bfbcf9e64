import { explain } from '../text/explain';
import { i18n } from '../text/i18n.svelte';
import { load, whyMissing } from '../shell/load';
import { Problem, problemFrom } from '../api/problem';
import { session } from './session.svelte';
import { toasts } from '../shell/toasts.svelte';

/** Loads the page again, with what was typed, if there is somebody who would answer. */
export async function reload(): Promise<void> {
  const kind = await whyMissing();
  if (kind === 'offline' || kind === 'unreachable') report(new Problem(kind));
  else session.reload();
}

/** Says that something is missing, for as long as it is. */
export function report(problem: Problem): void {
  toasts.error(explain(problem), 'part', { label: i18n.t.problems.reload, run: () => void reload() }, true);
}

/** Loads what a press or a place on the page needs. Without it there is nothing, and the reader knows why. */
export async function need<T>(part: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load(part);
  } catch (thrown) {
    report(problemFrom(thrown));
    return undefined;
  }
}
