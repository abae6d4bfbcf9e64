import { i18n } from './i18n.svelte';
import type { Problem } from './problem';

/** A problem in a sentence or two, for a place without a heading. */
export function explain(problem: Problem): string {
  const t = i18n.t.problems;
  switch (problem.kind) {
    case 'invalid':
    case 'conflict':
      return i18n.t.codes[problem.code as keyof typeof i18n.t.codes] ?? (problem.message || t.unexpected.text);
    default:
      return `${t[problem.kind].title}. ${t[problem.kind].text}`;
  }
}
