import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Request } from '@playwright/test';
import { program } from './tools';

const realm = '/auth/realms/workshop';

/** What was started and still runs; it ends with us. */
const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** A part of the library that runs in a process of its own. */
class Part {
  #process: ChildProcess | undefined;
  log = '';
  /** How often it was started. */
  starts = 0;

  constructor(
    private readonly args: () => string[],
    private readonly folder: string,
  ) {}

  /** Starts it and waits until it says that it listens; the test has the bound. */
  async start(): Promise<void> {
    this.log = '';
    this.starts++;
    const child = spawn(program, this.args(), {
      cwd: this.folder,
      env: { HOME: this.folder, TMPDIR: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    children.add(child);
    child.once('exit', () => children.delete(child));
    await new Promise<void>((resolve, reject) => {
      const read = (text: Buffer): void => {
        this.log += text.toString();
        if (!/msg=listening|Ctrl-C stops it/.test(this.log)) return;
        // Callers get 503 until the database is open, where that takes long.
        if (this.log.includes('still being opened') && !/the database is open\b|Ctrl-C stops it/.test(this.log)) return;
        resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`library ${this.args().join(' ')} ended with ${code}:\n${this.log}`));
      });
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** Ends it at once, as a machine that loses its power does. */
  stop(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Lets it finish, as somebody does who keeps its files. */
  finish(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  get running(): boolean {
    return this.#process !== undefined;
  }
}

/**
 * Ports that are free now. All of them are held until the last is known. The system
 * gives none of these to an outgoing connection, nor to a program that asks for any port: a
 * server that is stopped and started again would not get its port back.
 */
async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  for (let tries = 0; held.length < count; tries++) {
    const server = createServer();
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const free = await new Promise<boolean>((tell) => server.once('error', () => tell(false)).listen(port, '127.0.0.1', () => tell(true)));
    if (free) held.push(server);
    else if (tries > 1000) throw new Error('there are no free ports');
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export interface Book {
  identifier: string;
  title: string;
  isbn?: string;
  description?: string;
  authors?: string[];
  borrowed?: boolean;
}

/**
 * The identity provider, the API and the browser client, each on a site of its
 * own: on one site, mistakes with cookies and origins do not show.
 */
export class Stack {
  readonly web: string;
  readonly api: string;
  readonly issuer: string;
  readonly provider: Part;
  readonly server: Part;
  readonly client: Part;
  /** The client once more, below a path; it starts when it is asked for. */
  readonly below: Part;
  readonly webBelow: string;
  #folder = mkdtempSync(join(tmpdir(), 'library-web-e2e-'));
  #databases = 0;
  #tokens = new Map<Login, { token: Promise<string>; until: number; provider: number }>();
  /** Settings of the server for the test at hand. */
  #more: string[] = [];

  private constructor(private readonly ports: { web: number; below: number; api: number; idp: number; management: number }) {
    this.web = `http://app.localhost:${ports.web}`;
    this.webBelow = `http://app.localhost:${ports.below}/a/library`;
    this.api = `http://api.localhost:${ports.api}/library-server`;
    this.issuer = `http://idp.localhost:${ports.idp}${realm}`;
    const idp = join(this.#folder, 'idp.json');
    writeFileSync(idp, JSON.stringify(this.#idpConfig()));
    this.provider = new Part(() => ['idp', '--addr', `127.0.0.1:${ports.idp}`, '--issuer', this.issuer, '--config', idp], this.#folder);
    this.server = new Part(
      () => [
        'serve', '--addr', `127.0.0.1:${ports.api}`, '--management-addr', `127.0.0.1:${ports.management}`,
        // Only browsers know every name below localhost.
        '--issuer', this.issuer, '--jwks-url', this.#here('idp', `${realm}/protocol/openid-connect/certs`),
        ...this.#more,
        '--client-origin', `${new URL(this.web).host},${new URL(this.webBelow).host}`, '--database', `sqlite:${this.#database()}`, '--sample-data',
      ],
      this.#folder,
    );
    this.client = new Part(
      () => ['web', '--addr', `127.0.0.1:${ports.web}`, '--issuer', this.issuer, '--api', this.api],
      this.#folder,
    );
    this.below = new Part(
      () => ['web', '--addr', `127.0.0.1:${ports.below}`, '--issuer', this.issuer, '--api', this.api, '--base-path', '/a/library'],
      this.#folder,
    );
  }

  /** Starts everything. Somebody else may take a port in the meantime, so it tries more than once. */
  static async start(): Promise<Stack> {
    for (let attempt = 1; ; attempt++) {
      const [web, below, api, idp, management] = (await freePorts(5)) as [number, number, number, number, number];
      const stack = new Stack({ web, below, api, idp, management });
      try {
        await Promise.all([stack.provider.start(), stack.client.start(), stack.server.start()]);
        await stack.ready();
        await stack.server.finish(); // what it leaves is the library with which each test begins
        return stack;
      } catch (problem) {
        await stack.stop();
        if (attempt === 3) throw problem;
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.provider, this.server, this.client, this.below].map((part) => part.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Everything runs, and the library has the sample books again and nothing else. */
  async reset(...settings: string[]): Promise<void> {
    await this.server.stop();
    const samples = join(this.#folder, this.#database(0));
    this.#databases++;
    // Other settings can make other samples. Without any, a copy saves most of the work of a start.
    if (settings.length === 0) copyFileSync(samples, join(this.#folder, this.#database()));
    await this.restart(...settings);
  }

  #database(n = this.#databases): string {
    return `library-${n}.db`;
  }

  /** Everything runs, with other settings and the same database. */
  async restart(...settings: string[]): Promise<void> {
    await this.server.stop();
    this.#more = settings;
    const servesClient = settings.includes('--web');
    if (servesClient) await this.client.stop(); // its address is wanted
    const others = [this.provider, this.client].filter((part) => !part.running && !(servesClient && part === this.client));
    await Promise.all([...others, this.server].map((part) => part.start()));
    await this.ready();
  }

  /** Waits until the server has the provider's keys. */
  async ready(): Promise<void> {
    for (;;) {
      const answer = await fetch(this.#here('management', '/readyz')).catch(() => undefined);
      if (answer?.ok) return;
      if (!this.server.running) throw new Error(`the server ended: ${await answer?.text()}\n${this.server.log}`);
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  #here(part: keyof Stack['ports'], path: string): string {
    return `http://127.0.0.1:${this.ports[part]}${path}`;
  }

  #idpConfig(): unknown {
    const config = JSON.parse(execFileSync(program, ['idp', '--print-config'], { encoding: 'utf8' })) as {
      users: object[];
      clients: { id: string; redirectUris: string[]; postLogoutRedirectUris: string[]; webOrigins: string[] }[];
    };
    for (const client of config.clients.filter((c) => c.id === 'library-web')) {
      client.redirectUris = [`${this.web}/`, `${this.webBelow}/`];
      client.postLogoutRedirectUris = client.redirectUris;
      client.webOrigins = [this.web, new URL(this.webBelow).origin];
    }
    config.users.push({
      username: 'dprince', password: logins.dprince, email: 'diana.prince@example.com', emailVerified: true,
      firstName: 'Diana', lastName: 'Prince', groups: ['library_user', 'library_curator', 'library_admin'],
    });
    config.users.push({
      username: stationLogin, password: logins[stationLogin], email: 'station.hall@example.com', emailVerified: true, firstName: 'Station', lastName: 'Hall', groups: [],
    });
    return config;
  }

  /** A token of somebody who sits elsewhere: asked for once, while it is good and the provider is the same. */
  #token(who: Login): Promise<string> {
    const known = this.#tokens.get(who);
    if (known && known.until > Date.now() && known.provider === this.provider.starts) return known.token;
    const form = new URLSearchParams({
      grant_type: 'password', client_id: 'library-client', client_secret: '9584640c-3804-4dcd-997b-93593cfb9ea7',
      username: who, password: logins[who],
    });
    const token = fetch(this.#here('idp', `${realm}/protocol/openid-connect/token`), { method: 'POST', body: form })
      .then(async (answer) => ((await answer.json()) as { access_token: string }).access_token);
    this.#tokens.set(who, { token, until: Date.now() + 120_000, provider: this.provider.starts });
    return token;
  }

  /** Calls the API as somebody who sits elsewhere. */
  async as(who: Login, method: string, path: string, body?: unknown): Promise<Response> {
    const token = await this.#token(who);
    const isPicture = body instanceof Uint8Array;
    const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': isPicture ? 'image/png' : 'application/json' }) };
    const done = await fetch(this.#here('api', `/library-server${path}`), { method, headers, body: isPicture ? new Uint8Array(body) : body === undefined ? undefined : JSON.stringify(body) });
    if (!done.ok) throw new Error(`${method} ${path} as ${who}: ${done.status} ${await done.text()}`);
    return done;
  }

  /** What a command of the terminal client prints for somebody. */
  async terminal(who: Login, ...args: string[]): Promise<Buffer> {
    const env = { HOME: this.#folder, TMPDIR: this.#folder, LIBRARY_SERVER: this.#here('api', '/library-server'), LIBRARY_TOKEN: await this.#token(who) };
    return (await promisify(execFile)(program, args, { env, cwd: this.#folder, encoding: 'buffer' })).stdout;
  }

  /** Lets a request of the page arrive at the API, whatever becomes of the answer. */
  async arrives(request: Request): Promise<void> {
    const { pathname, search } = new URL(request.url());
    const given = request.headers();
    const headers = Object.fromEntries(['authorization', 'content-type', 'idempotency-key'].flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
    const done = await fetch(this.#here('api', pathname + search), { method: request.method(), headers, body: request.postData() ?? undefined });
    if (!done.ok) throw new Error(`${request.method()} ${pathname}: ${done.status} ${await done.text()}`);
  }

  /** The sample book with that title. */
  async book(title: string): Promise<Book> {
    const books = (await (await this.as('ckent', 'GET', '/books')).json()) as Book[];
    const found = books.find((b) => b.title === title);
    if (!found) throw new Error(`there is no book ${title}`);
    return found;
  }
}

/** The sample logins, and somebody whom the provider knows and the library does not. */
export const logins = { bwayne: 'wayne', bbanner: 'banner', pparker: 'parker', ckent: 'kent', dprince: 'prince', station1: 'shelves' } as const;

/** The account of a station. */
export const stationLogin = 'station1';
export type Login = keyof typeof logins;
