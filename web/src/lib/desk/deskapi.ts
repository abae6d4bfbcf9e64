import type { DeskApi } from './desk';
import { Problem, problemFrom } from '../api/problem';
import { session } from '../session/session.svelte';

const answer = 15_000; // a server that takes longer will not answer at all

/** Waits no longer than it makes sense to. */
export async function within<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(answer);
  return ask(signal).catch((thrown: unknown) => {
    throw signal.aborted ? new Problem('unreachable') : thrown;
  });
}

/** What the desk asks of the library, over the network. */
export const deskApi: DeskApi = {
  async code(code) {
    try {
      return (await within((signal) => session.api.ask('get', '/codes/{code}', { path: { code }, signal }))).data;
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.code === 'unknown_code') return undefined;
      throw problem;
    }
  },
  readers: async (q) => (await within((signal) => session.api.ask('get', '/readers', { query: { q, limit: 6 }, signal }))).data,
  books: async (q) => (await within((signal) => session.api.books({ q }, 6, undefined, signal))).items,
  copies: async (id) => (await within((signal) => session.api.ask('get', '/books/{id}/copies', { path: { id }, signal }))).data,
  copy: async (id) => (await within((signal) => session.api.ask('get', '/copies/{id}', { path: { id }, signal }))).data,
  loanOf: async (user, book) => (await within((signal) => session.api.ask('get', '/loans', { query: { user, book }, signal }))).data[0],
  loan: async (id) => (await within((signal) => session.api.ask('get', '/loans/{id}', { path: { id }, signal }))).data,
  lend: async (user, what) => (await within((signal) => session.api.ask('post', '/loans', { body: { user, ...what } as never, signal }))).data,
  seen: async (id) => (await within((signal) => session.api.ask('post', '/copies/{id}/seen', { path: { id }, signal }))).data,
  giveBack: async (id, asClaimed) => (await within((signal) => session.api.ask('post', '/loans/{id}/return', { path: { id }, body: asClaimed ? { asClaimed } : undefined, signal }))).data,
  giveBackAs: async (loan, copy) => (await within((signal) => session.api.ask('post', '/returns', { body: { loan, copy }, signal }))).data,
  move: async (id, copy) => (await within((signal) => session.api.ask('post', '/loans/{id}/move', { path: { id }, body: { copy, swap: true }, signal }))).data,
  reserve: async (user, id) => (await within((signal) => session.api.ask('post', '/books/{id}/holds', { path: { id }, body: { user }, signal }))).data,
  holdOf: async (user, book) => (await within((signal) => session.api.ask('get', '/holds', { query: { user, book }, signal }))).data[0],
  unreserve: async (id) => void (await within((signal) => session.api.ask('delete', '/holds/{id}', { path: { id }, signal }))),
  undoReturn: async (id) => (await within((signal) => session.api.ask('delete', '/loans/{id}/return', { path: { id }, signal }))).data,
};
