import { beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';

const raw = vi.fn();
vi.mock('../session/session.svelte', () => ({ session: { api: { raw } } }));

const { Exporting } = await import('./exporting.svelte');

/** An answer that comes in parts, and is cut off after them if there is an error. */
function answer(parts: string[], error?: Error): Response {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part !== undefined) controller.enqueue(new TextEncoder().encode(part));
      else if (error) controller.error(error);
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'X-Total-Count': '5' } });
}

beforeEach(() => raw.mockReset());

test.each([
  ['csv', '/exports/books?format=csv'],
  ['spreadsheet', '/exports/books?format=csv&spreadsheet=true&separator=semicolon'],
  ['marcxml', '/exports/books?format=marcxml'],
] as const)('%s is the file that the library sends', async (format, path) => {
  raw.mockResolvedValueOnce(answer(['one', 'two']));
  const job = new Exporting();
  expect(await (await job.run(format, 'semicolon'))?.text()).toBe('onetwo');
  expect(raw.mock.calls[0]?.[0]).toBe(path);
  expect([job.total, job.bytes, job.busy]).toEqual([5, 6, false]);
});

test('a file that is cut off is no file, and the next one begins anew', async () => {
  const job = new Exporting();
  raw.mockResolvedValueOnce(answer(['one'], new TypeError('cut off')));
  expect(await job.run('csv', 'comma')).toBeUndefined();
  expect([job.problem?.kind, job.busy]).toEqual(['unreachable', false]);
  raw.mockResolvedValueOnce(answer(['two']));
  expect(await (await job.run('csv', 'comma'))?.text()).toBe('two');
  expect(job.problem).toBeUndefined();
});

test('an export that is refused or stopped gives no file', async () => {
  const job = new Exporting();
  raw.mockRejectedValueOnce(new Problem('forbidden', 'role_missing'));
  expect(await job.run('csv', 'comma')).toBeUndefined();
  expect(job.problem?.code).toBe('role_missing');
  raw.mockImplementationOnce((_path: string, { signal }: RequestInit) => new Promise((_, refuse) => signal?.addEventListener('abort', () => refuse(new DOMException('', 'AbortError')))));
  const stopped = job.run('csv', 'comma');
  job.stop();
  expect(await stopped).toBeUndefined();
  expect(job.problem).toBeUndefined();
});
