import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backoff, changeOf, EventParser, EventStream, ownBookOf, type StreamEvent } from './events';

const all = (...pieces: string[]): StreamEvent[] => {
  const parser = new EventParser();
  return pieces.flatMap((p) => parser.push(p));
};

describe('a stream is taken apart', () => {
  test('into type, data and position', () => {
    expect(all('event: borrowed\nid: 7\ndata: {"a":1}\n\n')).toEqual([{ type: 'borrowed', id: '7', data: '{"a":1}' }]);
  });
  test('whatever the pieces', () => {
    const text = 'retry: 2000\r\n\r\nevent: ready\r\nid: p1\r\ndata: {}\r\n\r\n: keep-alive\r\n\r\ndata: a\r\ndata: b\r\n\r\n';
    const want = all(text);
    expect(want).toEqual([
      { type: 'ready', id: 'p1', data: '{}' },
      { type: 'message', id: 'p1', data: 'a\nb' },
    ]);
    expect(all(...text)).toEqual(want);
    for (let i = 1; i < text.length; i++) expect(all(text.slice(0, i), text.slice(i))).toEqual(want);
  });
  test('with lines of all kinds of ends', () => {
    expect(all('data: a\n\ndata: b\r\n\r\ndata: c\r\r\n').map((e) => e.data)).toEqual(['a', 'b', 'c']);
  });
  test('without comments, unknown fields and events without data', () => {
    expect(all(': hello\n\nevent: x\n\nfoo: bar\ndata: 1\n\n')).toEqual([{ type: 'message', id: undefined, data: '1' }]);
  });
  test('with one space after the colon, or none', () => {
    expect(all('data:a\ndata:  b\n\n')[0]?.data).toBe('a\n b');
  });
  test('and nothing is published before it is complete', () => expect(all('event: a\ndata: 1\n')).toEqual([]));
  test('and a byte order mark is no text', () => expect(all('\uFEFFdata: 1\n\n')).toHaveLength(1));
  test('the server says how long to wait', () => {
    const parser = new EventParser();
    parser.push('retry: 750\nretry: soon\n');
    expect(parser.retry).toBe(750);
  });
});

test.each<[string, string, unknown]>([
  ['borrowed', '{"identifier":"x","borrowed":true,"available":0}', { type: 'borrowed', identifier: 'x', borrowed: true, available: 0 }],
  ['deleted', '{"identifier":"x","borrowed":false,"available":1}', { type: 'deleted', identifier: 'x', borrowed: false, available: 1 }],
  ['changed', '{"identifier":"x","borrowed":false,"available":2}', { type: 'changed', identifier: 'x', borrowed: false, available: 2 }],
  ['loan', '{"identifier":"x"}', undefined],
  ['edited', 'null', undefined],
  ['ready', '{}', undefined],
  ['edited', 'no JSON', undefined],
  ['edited', '{"identifier":7}', undefined],
  ['another', '{"identifier":"x"}', undefined],
])('an event %s with %s', (type, data, want) => expect(changeOf({ type, data })).toEqual(want));

test.each<[string, string, string | undefined]>([
  ['loan', '{"identifier":"l","book":{"identifier":"x","title":"T"}}', 'x'],
  ['hold', '{"identifier":"h","book":{"identifier":"x","title":"T"},"state":"ready"}', 'x'],
  ['loan', '{"identifier":"l","book":{"title":"deleted"}}', undefined],
  ['loan', '{"identifier":"l"}', undefined],
  ['hold', 'null', undefined],
  ['hold', 'no JSON', undefined],
  ['edited', '{"identifier":"x","book":{"identifier":"x"}}', undefined],
])('an event %s with %s is about one’s own book %s', (type, data, want) => expect(ownBookOf({ type, data })).toBe(want));

test('each try waits longer, up to a minute, and clients do not come all at once', () => {
  expect(backoff(0, 2000, () => 1)).toBe(2000);
  expect(backoff(0, 2000, () => 0)).toBe(1000);
  expect(backoff(3, 2000, () => 1)).toBe(16_000);
  expect(backoff(30, 2000, () => 1)).toBe(60_000);
});

describe('a stream is followed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** An answer that ends after the text, or stays open until the signal. */
  const answer = (text: string, until?: AbortSignal): Response =>
    new Response(
      new ReadableStream({
        start(c) {
          c.enqueue(new TextEncoder().encode(text));
          if (!until) c.close();
          until?.addEventListener('abort', () => c.error(until.reason));
        },
      }),
    );

  function follow(answers: ((signal: AbortSignal) => Response | Promise<Response>)[], silence?: number) {
    const asked: string[] = [];
    const events: string[] = [];
    const links: boolean[] = [];
    const stream = new EventStream(
      (last, signal) => {
        asked.push(last);
        const next = answers.shift();
        return next ? Promise.resolve().then(() => next(signal)) : new Promise(() => undefined);
      },
      { event: (e) => events.push(e.data), connected: (yes) => links.push(yes), retryAfter: (e) => !(e as Error).message.includes('no') },
      silence,
    );
    stream.start();
    return { stream, asked, events, links };
  }

  test('it comes back after the last event', async () => {
    const f = follow([() => answer('id: p1\ndata: a\n\n'), () => answer('id: p2\ndata: b\n\n')]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(f.asked).toEqual(['', 'p1', 'p2']);
    expect(f.events).toEqual(['a', 'b']);
    expect(f.links).toEqual([true, false, true, false]);
    f.stream.stop();
  });

  test('it comes back after an error, and not after one that stays', async () => {
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    const f = follow([fail('oops'), fail('no'), () => answer('data: never\n\n')]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(f.asked).toHaveLength(2);
    expect(f.stream.running).toBe(false);
  });

  test('it gives up a connection that says nothing, and comes back', async () => {
    const f = follow([(signal) => answer('id: p1\ndata: a\n\n', signal), () => answer('data: b\n\n')], 1000);
    await vi.advanceTimersByTimeAsync(900);
    expect(f.asked).toEqual(['']);
    await vi.advanceTimersByTimeAsync(4000);
    expect(f.asked.slice(0, 2)).toEqual(['', 'p1']);
    expect(f.events).toEqual(['a', 'b']);
    f.stream.stop();
  });

  test('it gives up a server that does not answer at all, and comes back', async () => {
    let given: AbortSignal | undefined;
    const f = follow([(signal) => ((given = signal), new Promise<Response>(() => undefined)), () => answer('data: b\n\n')]);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(given?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(given?.aborted).toBe(true);
    expect(f.links.slice(0, 2)).toEqual([false, true]);
    expect(f.events).toEqual(['b']);
    f.stream.stop();
  });

  test('it ends when it is stopped, and can start again where it was', async () => {
    const f = follow([() => answer('id: p1\ndata: a\n\n'), () => answer('data: b\n\n')]);
    await vi.advanceTimersByTimeAsync(1);
    f.stream.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(f.asked).toEqual(['']);
    f.stream.start();
    await vi.advanceTimersByTimeAsync(1);
    expect(f.asked).toEqual(['', 'p1']);
    f.stream.stop();
  });
});
