import createClient from 'openapi-fetch';
import type { components, paths } from './schema';
import { Problem, problemFrom, problemOf, wasAborted } from './problem';

export type Book = components['schemas']['Book'];
export type BookInput = components['schemas']['BookInput'];
export type BookOrder = components['schemas']['BookOrder'];
export type User = components['schemas']['User'];
export type UserInput = components['schemas']['UserInput'];
export type Me = components['schemas']['Me'];
export type Role = components['schemas']['Role'];
/** What became of one row of an import. */
export type ImportResult = components['schemas']['ImportResult'];

/** Where tokens come from. */
export interface Tokens {
  token(): Promise<string>;
  renew(): Promise<string>;
  /** Even a fresh token was refused. */
  refused(problem: Problem): void;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  total: number;
  /** The cursor of the next page, if there is one. */
  next?: string;
}

/** A record together with the tag that guards it against lost updates. */
export interface Tagged<T> {
  value: T;
  etag: string;
}

export interface BookQuery {
  q?: string;
  borrowed?: boolean;
  sort?: BookOrder;
}

/** The cursor in a `Link` header, which is relative to the server. */
export function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://server.invalid').searchParams.get('cursor') ?? undefined;
}

/** The library's API, with every answer that is no success thrown as a `Problem`. */
export class Api {
  readonly #client;

  constructor(
    private readonly base: string,
    private readonly tokens: Tokens,
    private readonly fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args),
  ) {
    this.#client = createClient<paths>({ baseUrl: base, fetch: (request) => this.send(request) });
  }

  /** Sends with a token. One refused token is renewed once: the clocks may differ. */
  private async send(request: Request): Promise<Response> {
    const again = request.clone();
    let response = await this.#with(request, await this.tokens.token());
    if (response.status !== 401) return response;
    if ((await refusal(response)).kind !== 'stranger') {
      response = await this.#with(again, await this.tokens.renew());
      if (response.status !== 401) return response;
    }
    this.tokens.refused(await refusal(response));
    return response;
  }

  #with(request: Request, token: string): Promise<Response> {
    request.headers.set('Authorization', `Bearer ${token}`);
    return this.fetch(request);
  }

  async books(query: BookQuery, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Book>> {
    return page(await sure(this.#client.GET('/books', { params: { query: { ...query, limit, cursor } }, signal })));
  }

  async book(id: string, signal?: AbortSignal): Promise<Tagged<Book>> {
    return tagged(await sure(this.#client.GET('/books/{id}', { params: { path: { id } }, signal })));
  }

  async addBook(body: BookInput): Promise<Book> {
    return (await sure(this.#client.POST('/books', { body }))).data;
  }

  async editBook(id: string, body: BookInput, etag: string): Promise<Book> {
    const params = { path: { id }, header: { 'If-Match': etag } };
    return (await sure(this.#client.PUT('/books/{id}', { params, body }))).data;
  }

  async deleteBook(id: string): Promise<void> {
    await sure(this.#client.DELETE('/books/{id}', { params: { path: { id } } }));
  }

  async borrow(id: string): Promise<Book> {
    return (await sure(this.#client.POST('/books/{id}/borrow', { params: { path: { id } } }))).data;
  }

  async giveBack(id: string): Promise<Book> {
    return (await sure(this.#client.POST('/books/{id}/return', { params: { path: { id } } }))).data;
  }

  async me(): Promise<Me> {
    return (await sure(this.#client.GET('/me'))).data;
  }

  async myBooks(): Promise<Book[]> {
    return (await sure(this.#client.GET('/me/books'))).data;
  }

  async users(q: string, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<User>> {
    const query = { q: q || undefined, limit, cursor };
    return page(await sure(this.#client.GET('/users', { params: { query }, signal })));
  }

  async user(id: string): Promise<Tagged<User>> {
    return tagged(await sure(this.#client.GET('/users/{id}', { params: { path: { id } } })));
  }

  async addUser(body: UserInput): Promise<User> {
    return (await sure(this.#client.POST('/users', { body }))).data;
  }

  async editUser(id: string, body: UserInput, etag: string): Promise<User> {
    const params = { path: { id }, header: { 'If-Match': etag } };
    return (await sure(this.#client.PUT('/users/{id}', { params, body }))).data;
  }

  async removeUser(id: string): Promise<void> {
    await sure(this.#client.DELETE('/users/{id}', { params: { path: { id } } }));
  }

  /** Adds many books at once, or says what would become of them. */
  async importBooks(body: BookInput[], query: { update: boolean; dryRun: boolean }, signal?: AbortSignal): Promise<ImportResult[]> {
    return (await sure(this.#client.POST('/imports/books', { params: { query }, body, signal }))).data;
  }

  /** A request whose answer is no JSON, such as a stream. */
  async raw(path: string, init: RequestInit): Promise<Response> {
    try {
      const response = await this.send(new Request(this.base + path, init));
      if (!response.ok) throw problemOf(response.status, await response.json().catch(() => undefined));
      return response;
    } catch (thrown) {
      if (wasAborted(thrown)) throw thrown;
      throw problemFrom(thrown);
    }
  }
}

async function refusal(response: Response): Promise<Problem> {
  return problemOf(401, await response.clone().json().catch(() => undefined));
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

async function sure<T>(asked: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  let answer;
  try {
    answer = await asked;
  } catch (thrown) {
    if (wasAborted(thrown)) throw thrown;
    throw thrown instanceof Problem ? thrown : problemFrom(thrown);
  }
  if (!answer.response.ok) throw problemOf(answer.response.status, answer.error);
  return { data: answer.data as T, response: answer.response };
}

function page<T>({ data, response }: { data: T[]; response: Response }): Page<T> {
  const total = Number(response.headers.get('X-Total-Count') ?? data.length);
  return { items: data, total, next: nextCursor(response.headers.get('Link')) };
}

function tagged<T>({ data, response }: { data: T; response: Response }): Tagged<T> {
  return { value: data, etag: response.headers.get('ETag') ?? '' };
}
