import type { Problem } from '../api/problem';

/** Reports whether there was no answer, so that the same may be sent again. */
export function mayRetry(problem: Problem): boolean {
  return ['offline', 'unreachable', 'busy', 'provider'].includes(problem.kind) || problem.code === 'idempotency_key_in_use';
}
