import { describe, expect, test } from 'vitest';
import { Api, nextCursor } from './api';
import { importTable } from '../bookfile/parts';
import type { Problem } from './problem';

test.each<[string | null, string | undefined]>([
  [null, undefined],
  ['</library-server/books?cursor=abc&limit=2>; rel="next"', 'abc'],
  ['</library-server/books?limit=2&cursor=a%2Bb>; rel=next', 'a+b'],
  ['</library-server/books?cursor=abc>; rel="prev"', undefined],
  ['nonsense', undefined],
])('the next page of %j is at %j', (link, want) => expect(nextCursor(link)).toBe(want));

interface Asked {
  method: string;
  url: string;
  token: string | null;
  body: string;
  ifMatch: string | null;
  key: string | null;
}

function world(...answers: Response[]) {
  const asked: Asked[] = [];
  let renewed = 0;
  const tokens = { token: () => Promise.resolve('old'), renew: () => Promise.resolve(`new${++renewed}`), refused: (p: Problem) => void refused.push(p.kind) };
  const refused: string[] = [];
  const api = new Api('http://api.test/base', tokens, async (input) => {
    const r = input as Request;
    asked.push({ method: r.method, url: r.url, token: r.headers.get('Authorization'), body: await r.text(), ifMatch: r.headers.get('If-Match'), key: r.headers.get('Idempotency-Key') });
    const answer = answers.shift();
    if (!answer) throw new TypeError('Failed to fetch');
    return answer;
  }, 0);
  return { api, asked, refused };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

describe('requests', () => {
  test('a page of books with what was asked for, its total and the cursor', async () => {
    const { api, asked } = world(json([], 200, { 'X-Total-Count': '100000', Link: '</base/books?cursor=c2>; rel="next"' }));
    const page = await api.books({ q: 'go & co', borrowed: false, sort: '-created' }, 24, 'c1');
    expect(page).toEqual({ items: [], total: 100_000, inexact: false, next: 'c2' });
    expect(Object.fromEntries(new URL(asked[0]?.url ?? '').searchParams)).toEqual({ q: 'go & co', borrowed: 'false', sort: '-created', limit: '24', cursor: 'c1' });
    expect(asked[0]?.token).toBe('Bearer old');
  });

  test('the words that were searched for in place of misspelt ones', async () => {
    const { api } = world(json([], 200, { 'X-Corrected-Query': 'r%C3%B6mer+%26+co' }), json([], 200));
    expect((await api.books({ q: 'röner & co', fuzzy: true }, 24)).corrected).toBe('römer & co');
    expect((await api.books({ q: 'römer & co', fuzzy: true }, 24)).corrected).toBeUndefined();
  });

  test('what is not asked for is not sent', async () => {
    const { api, asked } = world(json([]));
    await api.books({}, 24);
    expect(asked[0]?.url).toBe('http://api.test/base/books?limit=24');
  });

  test('an edit carries the tag of what was read', async () => {
    const { api, asked } = world(json({ identifier: 'x' }, 200, { ETag: '"t1"' }), json({ identifier: 'x' }));
    const { etag } = await api.book('x');
    await api.editBook('x', { title: 'T' }, etag);
    expect(asked[1]).toMatchObject({ method: 'PUT', ifMatch: '"t1"', body: '{"title":"T"}' });
  });

  test('an import says whether it is meant', async () => {
    const { api, asked } = world(json({ results: [{ outcome: 'added' }] }));
    const part = { body: new TextEncoder().encode('title\nT\n'), part: 'last', line: 7, charset: 'utf-8' } as const;
    expect(await importTable(api, part, { update: true, dryRun: false })).toEqual({ results: [{ outcome: 'added' }] });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'http://api.test/base/imports/books?part=last&update=true&dryRun=false&line=7', body: 'title\nT\n' });
  });

  test('an import of people says how addresses are made', async () => {
    const { api, asked } = world(json({ results: [{ outcome: 'added' }] }));
    const part = { body: new TextEncoder().encode('account\nada\n'), part: 'last' } as const;
    await importTable(api, part, { what: 'users', update: false, dryRun: true, emailPattern: '{account}@school.example' });
    expect(asked[0]?.url).toBe('http://api.test/base/imports/users?part=last&update=false&dryRun=true&emailPattern=%7Baccount%7D%40school.example');
  });

  test('an answer without a body is fine', async () => {
    const { api } = world(new Response(null, { status: 204 }));
    await expect(api.deleteBook('x')).resolves.toBeUndefined();
  });
});

describe('a refused token', () => {
  test('is renewed once, and the request is repeated with its body', async () => {
    const { api, asked } = world(json({ code: 'expired' }, 401), json({ identifier: 'x' }, 201));
    await api.addBook({ title: 'T' });
    expect(asked.map((a) => [a.token, a.body])).toEqual([['Bearer old', '{"title":"T"}'], ['Bearer new1', '{"title":"T"}']]);
  });

  test('and refused again it is the end', async () => {
    const { api, asked, refused } = world(json({ code: 'expired' }, 401), json({ code: 'expired' }, 401));
    await expect(api.me()).rejects.toMatchObject({ kind: 'ended' });
    expect(asked).toHaveLength(2);
    expect(refused).toEqual(['ended']);
  });

  test('of somebody whom the library does not know is not renewed', async () => {
    const { api, asked, refused } = world(json({ code: 'unknown_user' }, 401));
    await expect(api.me()).rejects.toMatchObject({ kind: 'unregistered' });
    expect(asked).toHaveLength(1);
    expect(refused).toEqual(['unregistered']);
  });
});

describe('a POST', () => {
  const lost = (): Response => new Response('<html>', { status: 502 });
  const done = (): Response => json({ identifier: 'x' });

  test('has a key of its own for each thing that is done', async () => {
    const { api, asked } = world(done(), done(), json([]));
    await api.borrow('x');
    await api.borrow('x');
    await api.books({}, 1);
    expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[1]?.key).not.toBe(asked[0]?.key);
    expect(asked[2]?.key).toBe(null);
  });
  test.each([
    ['no answer at all', lost()],
    ['an outcome that nobody knows', json({ code: 'outcome_unknown' }, 503)],
    ['the first is still being done', json({ code: 'idempotency_key_in_use' }, 409)],
    ['an answer that is cut off', new Response('{"ident', { status: 200 })],
  ])('is sent again with the same key and body: %s', async (_, answer) => {
    const broken = new Proxy(answer, { get: (r, name) => (name === 'json' && r.ok ? () => Promise.reject(new TypeError('network error')) : (Reflect.get(r, name, r) as unknown)) });
    const { api, asked } = world(broken, done());
    await api.addBook({ title: 'T' });
    expect(asked.map((a) => a.body)).toEqual(['{"title":"T"}', '{"title":"T"}']);
    expect(asked[1]?.key).toBe(asked[0]?.key);
  });
  test('is sent three times at most', async () => {
    const { api, asked } = world(lost(), lost(), lost(), done());
    await expect(api.borrow('x')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(asked).toHaveLength(3);
  });
  test('is not sent again when it was refused, nor anything else when it was lost', async () => {
    const { api, asked } = world(json({ code: 'already_borrowed' }, 409), json({ code: 'overloaded' }, 503), lost(), lost());
    await expect(api.borrow('x')).rejects.toMatchObject({ code: 'already_borrowed' });
    await expect(api.borrow('x')).rejects.toMatchObject({ code: 'overloaded' });
    await expect(api.me()).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(api.deleteBook('x')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(asked).toHaveLength(4);
  });
});

describe('a problem', () => {
  test('a server that does not answer', async () => {
    await expect(world().api.me()).rejects.toMatchObject({ name: 'Problem', kind: 'unreachable' });
    await expect(world().api.raw('/events', {})).rejects.toMatchObject({ kind: 'unreachable' });
  });
  test('an answer that is no success, with or without a body', async () => {
    await expect(world(json({ code: 'already_borrowed', message: 'm' }, 409)).api.borrow('x')).rejects.toMatchObject({ kind: 'conflict', code: 'already_borrowed' });
    await expect(world(new Response('<html>', { status: 502 })).api.borrow('x')).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(world(json({ code: 'too_many_streams' }, 429)).api.raw('/events', {})).rejects.toMatchObject({ kind: 'busy' });
  });
  test('a request that was given up has its own error', async () => {
    const abort = new AbortController();
    abort.abort();
    const api = new Api('http://api.test', { token: () => Promise.resolve('t'), renew: () => Promise.resolve('t'), refused: () => undefined }, (r) => Promise.reject((r as Request).signal.reason));
    await expect(api.books({}, 1, undefined, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
