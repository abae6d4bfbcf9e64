import type { BookKind } from './bookfields';
import { isLost, problemFrom, problemOf, wasAborted, type Problem } from './problem';
import { newRequest, type Answer, type Input, type Method, type PathWith } from './request';
import type { components } from './schema';

export type Book = components['schemas']['Book'];
export type BookInput = components['schemas']['BookInput'];
export type NewBookInput = components['schemas']['NewBookInput'];
export type BookOrder = components['schemas']['BookOrder'];
export type User = components['schemas']['User'];
export type UserInput = components['schemas']['UserInput'];
export type Me = components['schemas']['Me'];
export type Loan = components['schemas']['Loan'];
export type Hold = components['schemas']['Hold'];
export type Notice = components['schemas']['Notice'];
export type Policy = components['schemas']['Policy'];
export type Role = components['schemas']['Role'];
/** What became of one row of an import. */
export type ImportResult = components['schemas']['ImportResult'];
/** What became of a part of a file. */
export type TableImport = components['schemas']['TableImport'];

/** Where tokens come from. */
export interface Tokens {
  token(): Promise<string>;
  renew(): Promise<string>;
  /** Even a fresh token was refused. */
  refused(problem: Problem): void;
  /** What makes proofs, if the token is bound to a key. */
  proofs?(): Proofs | undefined;
}

export interface Proofs {
  /** A proof for one request with that token. */
  make(method: string, address: string, token: string): Promise<string>;
  /** Takes what an answer says about proofs. True if the request is worth another try. */
  learn(response: Response): boolean;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  total: number;
  /** More match than the total says. */
  inexact?: boolean;
  /** The cursor of the next page, if there is one. */
  next?: string;
  /** The words that were searched for in place of misspelt ones. */
  corrected?: string;
}

/** A record together with the tag that guards it against lost updates. */
export interface Tagged<T> {
  value: T;
  etag: string;
}

export interface BookQuery {
  q?: string;
  isbn?: string;
  fuzzy?: boolean;
  borrowed?: boolean;
  available?: boolean;
  sort?: BookOrder;
  author?: string;
  subject?: string[];
  language?: string;
  kind?: BookKind;
  series?: string;
  from?: number;
  to?: number;
}

/** The cursor in a `Link` header, which is relative to the server. */
export function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://server.invalid').searchParams.get('cursor') ?? undefined;
}

/** The library's API, with every answer that is no success thrown as a `Problem`. */
export class Api {
  constructor(
    private readonly base: string,
    private readonly tokens: Tokens,
    private readonly fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args),
    private readonly pause = 500,
  ) {}

  /** Sends with a token. One refused token is renewed once: the clocks may differ. */
  async #send(request: Request): Promise<Response> {
    const again = request.clone();
    const token = await this.tokens.token();
    let response = await this.#with(request, token);
    if (response.status !== 401 || !token) return response;
    if ((await refusal(response)).kind !== 'unregistered') {
      response = await this.#with(again, await this.tokens.renew());
      if (response.status !== 401) return response;
    }
    this.tokens.refused(await refusal(response));
    return response;
  }

  async #with(request: Request, token: string, tries = 1): Promise<Response> {
    if (!token) return this.fetch(request); // somebody who is not signed in reads a public catalogue
    const proofs = this.tokens.proofs?.();
    request.headers.set('Authorization', `${proofs ? 'DPoP' : 'Bearer'} ${token}`);
    if (!proofs) return this.fetch(request);
    const again = request.clone();
    request.headers.set('DPoP', await proofs.make(request.method, request.url, token));
    const response = await this.fetch(request);
    return proofs.learn(response) && tries < 3 ? this.#with(again, token, tries + 1) : response;
  }

  async books(query: BookQuery, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Book>> {
    return page(await this.ask('get', '/books', { query: { ...query, limit, cursor }, signal }));
  }

  async book(id: string, signal?: AbortSignal): Promise<Tagged<Book>> {
    return tagged(await this.ask('get', '/books/{id}', { path: { id }, signal }));
  }

  async addBook(body: NewBookInput): Promise<Book> {
    return (await this.ask('post', '/books', { body })).data;
  }

  async editBook(id: string, body: BookInput, etag: string): Promise<Book> {
    return (await this.ask('put', '/books/{id}', { path: { id }, header: { 'If-Match': etag }, body })).data;
  }

  async deleteBook(id: string): Promise<void> {
    await this.ask('delete', '/books/{id}', { path: { id } });
  }

  async borrow(id: string): Promise<Book> {
    return (await this.ask('post', '/books/{id}/borrow', { path: { id } })).data;
  }

  async giveBack(id: string): Promise<Book> {
    return (await this.ask('post', '/books/{id}/return', { path: { id } })).data;
  }

  async me(): Promise<Me> {
    return (await this.ask('get', '/me', {})).data;
  }

  async myBooks(): Promise<Book[]> {
    return (await this.ask('get', '/me/books', {})).data;
  }

  /** A request whose answer is no JSON, such as a stream. */
  async raw(path: string, init: RequestInit): Promise<Response> {
    return this.#request(new Request(this.base + path, init), (response) => response);
  }

  /** A request of the contract file, and its answer. What only some pages need is asked from there. */
  ask<M extends Method, P extends PathWith<M>>(method: M, path: P, input: Input<M, P>): Promise<Answered<Answer<M, P>>> {
    return this.#request(newRequest(this.base, method, path, input), async (response) => ({
      data: (response.status === 204 ? undefined : await response.json()) as Answer<M, P>,
      response,
    }));
  }

  /**
   * Sends a request and reads a success; everything else is thrown. A POST has a
   * key, under which the library does it once: when its answer is lost it is sent
   * again.
   */
  async #request<T>(request: Request, read: (response: Response) => T | Promise<T>): Promise<T> {
    const isPost = request.method === 'POST';
    if (isPost && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', crypto.randomUUID());
    for (let tries = 1; ; tries++) {
      const again = request.clone();
      try {
        const response = await this.#send(request);
        if (!response.ok) throw problemOf(response.status, await response.json().catch(() => undefined));
        return await read(response);
      } catch (thrown) {
        if (wasAborted(thrown)) throw thrown;
        const problem = problemFrom(thrown);
        if (!isPost || tries > 2 || !isLost(problem)) throw problem;
      }
      await new Promise((done) => setTimeout(done, this.pause * (tries + Math.random())));
      request = again;
    }
  }
}

export interface Answered<T> {
  data: T;
  response: Response;
}

async function refusal(response: Response): Promise<Problem> {
  return problemOf(401, await response.clone().json().catch(() => undefined));
}

export function page<T>({ data, response }: Answered<T[]>): Page<T> {
  const total = Number(response.headers.get('X-Total-Count') ?? data.length);
  const inexact = response.headers.has('X-Total-Count-Exact');
  const corrected = new URLSearchParams('q=' + (response.headers.get('X-Corrected-Query') ?? '')).get('q') || undefined;
  return { items: data, total, inexact, next: nextCursor(response.headers.get('Link')), corrected };
}

export function tagged<T>({ data, response }: Answered<T>): Tagged<T> {
  return { value: data, etag: response.headers.get('ETag') ?? '' };
}
