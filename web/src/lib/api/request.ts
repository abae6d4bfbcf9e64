import type { paths } from './schema';

export type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths of the contract file that have that method. */
export type PathWith<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];

type Operation<M extends Method, P extends keyof paths> = NonNullable<paths[P][M]>;
type JSONOf<T> = T extends { content: { 'application/json': infer V } } ? V : undefined;

type Body<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? { body: B } : O extends { requestBody?: { content: { 'application/json': infer B } } } ? { body?: B } : { body?: never };

/** What a request must and may carry. */
export type Input<M extends Method, P extends keyof paths> =
  Operation<M, P> extends infer O extends { parameters: object }
    ? Pick<O['parameters'], keyof O['parameters'] & ('path' | 'query' | 'header')> & Body<O> & { signal?: AbortSignal }
    : never;

/** What a success answers. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer R } ? JSONOf<R[keyof R & (200 | 201 | 204)]> : never;

interface Loose {
  path?: object;
  query?: object;
  header?: object;
  body?: unknown;
  signal?: AbortSignal;
}

/** The request for an operation of the contract file, which its types come from. */
export function newRequest(base: string, method: Method, path: string, { path: places = {}, query = {}, header = {}, body, signal }: Loose): Request {
  const given = (from: object): [string, string][] =>
    Object.entries(from).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, String(one)]));
  const at = given(places).reduce((text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)), path);
  const asked = new URLSearchParams(given(query)).toString();
  const headers = new Headers(given(header));
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return new Request(base + at + (asked && '?' + asked), { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
}
