import { i18n } from './i18n.svelte';
import type { Problem } from '../api/problem';
import { staff } from './staff.svelte';

/** A problem in a sentence or two, for a place without a heading. */
export function explain(problem: Problem): string {
  const known = staff.codes[problem.code];
  if (known) return known;
  const { title, text } = i18n.t.problems[problem.kind];
  // The server's own words are for a code that this page does not know.
  if (problem.kind === 'invalid' || problem.kind === 'conflict') return problem.message || text;
  return `${title}. ${text}`;
}
