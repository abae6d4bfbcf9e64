import { problemFrom, type Problem } from '../api/problem';
import { toasts } from '../shell/toasts.svelte';
import { explain } from './explain';

/** Says why something failed, in a sentence or two; nothing at the end of the session, for which there is a dialog. */
export function reason(thrown: unknown): string {
  const problem = problemFrom(thrown);
  return problem.kind === 'ended' ? '' : explain(problem);
}

/** Says in a toast why something failed, and returns the problem. */
export function complain(thrown: unknown, topic?: string): Problem {
  const text = reason(thrown);
  if (text) toasts.error(text, topic);
  return problemFrom(thrown);
}
