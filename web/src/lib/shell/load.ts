import { Problem, type ProblemKind } from '../api/problem';

/** Problems that go away when the page is loaded again. */
export const stale: readonly ProblemKind[] = ['part', 'newer'];

/**
 * Loads a part of the page that comes when it is needed. Every part comes this way, so that
 * one that cannot be had becomes a problem with a kind. To ask for it once more is no use: browsers
 * remember a part that has failed. The page has to be loaded again.
 */
export async function load<T>(part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (thrown) {
    throw thrown instanceof Problem ? thrown : new Problem(await whyMissing());
  }
}

/** Why a part is missing: the page that the server has now is another one, or nobody answers, or it was bad luck. */
export async function whyMissing(script = new URL(import.meta.url).pathname): Promise<ProblemKind> {
  if (!navigator.onLine) return 'offline';
  try {
    const answer = await fetch(location.pathname, { cache: 'no-store', signal: AbortSignal.timeout(10_000) });
    if (answer.ok) return (await answer.text()).includes(script) ? 'part' : 'newer';
  } catch {
    // nobody answers
  }
  return 'unreachable';
}
