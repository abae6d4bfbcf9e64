import type { components } from './schema';

export type ErrorBody = components['schemas']['Error'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type Detail = components['schemas']['Detail'];
export type DetailCode = components['schemas']['DetailCode'];

/** The kind of a problem decides what people see and can do. */
export type ProblemKind =
  | 'offline' // the browser has no network
  | 'unreachable' // the server does not answer
  | 'provider' // the identity provider does not answer
  | 'ended' // the session is over
  | 'unregistered' // a good sign-in of somebody whom the library does not know
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'outdated'
  | 'invalid'
  | 'busy'
  | 'part' // a part of the page cannot be loaded
  | 'newer' // nor ever again: the server has a newer page
  | 'unexpected';

/** The one error that the rest of the client has to know. */
export class Problem extends Error {
  override name = 'Problem';
  constructor(
    readonly kind: ProblemKind,
    readonly code = '',
    message = '',
    readonly details: Detail[] = [],
    readonly requestId = '',
  ) {
    super(message || code || kind);
  }
}

const byStatus: Record<number, ProblemKind> = {
  401: 'ended',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  412: 'outdated',
  429: 'busy',
  502: 'unreachable',
  503: 'busy',
  504: 'unreachable',
};

/** Makes a problem of an answer that is not a success. The body may be anything. */
export function problemOf(status: number, body: unknown): Problem {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Partial<ErrorBody>;
  const code = typeof said.code === 'string' ? said.code : '';
  let kind: ProblemKind = byStatus[status] ?? (status >= 400 && status < 500 ? 'invalid' : 'unexpected');
  if (code === 'mail_failed') kind = 'unexpected'; // the library has answered: it is a mail server that has not
  if (code === 'unknown_user' || code === 'email_not_verified') kind = 'unregistered';
  return new Problem(
    kind,
    code,
    typeof said.message === 'string' ? said.message : '',
    Array.isArray(said.details) ? said.details : [],
    typeof said.requestId === 'string' ? said.requestId : '',
  );
}

/** Makes a problem of whatever was thrown on the way to the server. */
export function problemFrom(thrown: unknown, online = globalThis.navigator?.onLine ?? true): Problem {
  if (thrown instanceof Problem) return thrown;
  if (!online) return new Problem('offline');
  if (thrown instanceof TypeError) return new Problem('unreachable');
  return new Problem('unexpected', '', thrown instanceof Error ? thrown.message : String(thrown));
}

/** Whether it may have been done, or is being done, although nobody said so. */
export function isLost({ kind, code }: Problem): boolean {
  return kind === 'unreachable' || code === 'outcome_unknown' || code === 'idempotency_key_in_use';
}

export function wasAborted(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}

/** What is wrong with each field: entries of `authors[2]` count for `authors`. */
export function fieldErrors(details: readonly Detail[], say: (detail: Detail) => string): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const detail of details) errors[detail.field.replace(/\[\d+\].*$/, '')] ??= say(detail);
  return errors;
}
