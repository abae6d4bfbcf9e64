/** One event of a stream of server-sent events. */
export interface StreamEvent {
  type: string;
  data: string;
  id?: string;
}

/** Takes a stream apart, whatever the pieces in which it arrives. */
export class EventParser {
  #rest = '';
  #type = '';
  #data: string[] = [];
  #id: string | undefined;
  #began = false;
  /** How long to wait before coming back, if the server has said it. */
  retry: number | undefined;

  push(text: string): StreamEvent[] {
    if (!this.#began && text !== '') {
      this.#began = true;
      text = text.replace(/^\uFEFF/, '');
    }
    this.#rest += text;
    const events: StreamEvent[] = [];
    for (;;) {
      const end = /\r\n|\n|\r/.exec(this.#rest);
      // A CR at the very end may be the first half of a CR LF.
      if (!end || (end[0] === '\r' && end.index === this.#rest.length - 1)) return events;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = this.#line(line);
      if (event) events.push(event);
    }
  }

  #line(line: string): StreamEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id };
    const empty = this.#data.length === 0;
    this.#type = '';
    this.#data = [];
    return empty ? undefined : event;
  }
}

/** Opens the stream after a position; rejects if it cannot be had. */
export type Open = (lastEventId: string, signal: AbortSignal) => Promise<Response>;

export interface StreamHooks {
  event(event: StreamEvent): void;
  /** Called whenever the stream is there, and whenever it is not. */
  connected(yes: boolean): void;
  /** Whether to come back after this error. */
  retryAfter(thrown: unknown): boolean;
}

/** How long to wait before the nth try: longer every time, and not all clients at once. */
export function backoff(attempt: number, first = 2000, random = Math.random): number {
  const most = Math.min(first * 2 ** attempt, 60_000);
  return Math.round(most / 2 + (random() * most) / 2);
}

/** Follows a stream until it is stopped, across lost connections. */
export class EventStream {
  #position = '';
  #abort: AbortController | undefined;
  #first = 2000;

  constructor(
    private readonly open: Open,
    private readonly hooks: StreamHooks,
    private readonly silence = 45_000, // the server says something every 15 s
    private readonly answer = 20_000, // a server or a proxy that takes longer will not answer at all
  ) {}

  get running(): boolean {
    return this.#abort !== undefined;
  }

  start(): void {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    void this.#follow(abort.signal).finally(() => {
      if (this.#abort === abort) this.#abort = undefined;
    });
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Begins anew, for example because the network is back. */
  restart(): void {
    this.stop();
    this.start();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const one = new AbortController();
      const both = AbortSignal.any([signal, one.signal]);
      try {
        const response = await withTimeout(this.open(this.#position, both), one, this.answer);
        this.hooks.connected(true);
        attempt = 0;
        await this.#read(response, one);
      } catch (thrown) {
        if (signal.aborted) break;
        if (!one.signal.aborted && !this.hooks.retryAfter(thrown)) break;
      }
      if (signal.aborted) break;
      this.hooks.connected(false);
      await pause(backoff(attempt, this.#first), signal);
    }
  }

  async #read(response: Response, abort: AbortController): Promise<void> {
    if (!response.body) return;
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const received = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), this.silence);
    };
    try {
      for (received(); ; received()) {
        const { done, value } = await reader.read();
        if (done) return;
        for (const event of parser.push(value)) {
          if (event.id !== undefined) this.#position = event.id;
          this.hooks.event(event);
        }
        this.#first = Math.min(Math.max(parser.retry ?? 2000, 250), 30_000);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The answer, or an error if it takes too long. */
async function withTimeout<T>(wanted: Promise<T>, abort: AbortController, ms: number): Promise<T> {
  const timer = setTimeout(() => abort.abort(), ms);
  const late = new Promise<never>((_, no) => abort.signal.addEventListener('abort', () => no(abort.signal.reason), { once: true }));
  late.catch(() => undefined); // it may come when nobody waits for it any more
  return Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}

/** Waits, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });
}

/** A change of a book, as in the events. */
export interface Change {
  type: 'added' | 'edited' | 'deleted' | 'borrowed' | 'returned' | 'changed';
  identifier: string;
  borrowed: boolean;
  /** How many copies somebody who has no hold can borrow. */
  available: number;
}

const changes = ['added', 'edited', 'deleted', 'borrowed', 'returned', 'changed'];

/** What an event carries; nothing if it is no record. */
function dataOf(event: StreamEvent): Record<string, unknown> {
  try {
    return Object(JSON.parse(event.data)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The change of a book in an event, if there is one. */
export function changeOf(event: StreamEvent): Change | undefined {
  const { identifier, borrowed, available } = dataOf(event);
  if (!changes.includes(event.type) || typeof identifier !== 'string') return undefined;
  return { type: event.type as Change['type'], identifier, borrowed: borrowed === true, available: Number(available) };
}

/** The book of an event about a changed loan or hold of the reader. */
export function ownBookOf(event: StreamEvent): string | undefined {
  const { book } = dataOf(event);
  const { identifier } = Object(book) as { identifier?: unknown };
  return (event.type === 'loan' || event.type === 'hold') && typeof identifier === 'string' ? identifier : undefined;
}
