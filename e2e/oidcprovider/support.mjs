// A library and a proxy for these tests, which end with them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = process.env.LIBRARY ?? fileURLToPath(new URL('../../bin/library', import.meta.url));
export const secret = 'a secret of this test alone, which is long enough';
const folder = mkdtempSync(join(tmpdir(), 'library-oidc-provider-'));
const cleanUp = [() => rmSync(folder, { recursive: true, force: true })];
after(async () => {
  for (const end of cleanUp.reverse()) await end();
});

/** Listens on a free port, and ends with the test. */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => (server.closeAllConnections(), server.close()));
  return server.address().port;
}

/** The name of a new database. */
export const newDatabase = () => `sqlite:${join(folder, `${cleanUp.length}.db`)}`;

/** Starts a service behind the provider; the address of the API as it listens. */
export const startLibrary = async (issuer, ...settings) => (await startProcess(issuer, newDatabase(), ...settings)).api;

/** Starts a process of a service with that database: the address of the API, and how to kill it. */
export async function startProcess(issuer, database, ...settings) {
  const child = spawn(program, ['serve', '--addr', '127.0.0.1:0', '--management-addr', '127.0.0.1:0', '--issuer', issuer, '--database', database, '--sample-data', ...settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  cleanUp.push(kill);
  let log = '';
  return new Promise((found, failed) => {
    child.stderr.on('data', (text) => {
      log += text;
      const address = /msg=listening addr=(\S+)/.exec(log)?.[1];
      if (address) found({ api: `http://${address}/library-server`, kill });
    });
    child.once('exit', () => failed(new Error(`the library ended:\n${log}`)));
  });
}

/** A proxy that calls the service by another name than callers do, and by another path. */
export async function startProxy() {
  let backend;
  const posted = []; // logout tokens
  const port = await listen(createServer((asked, answer) => {
    const to = new URL(backend);
    const path = asked.url.replace(/^\/public/, to.pathname);
    const onward = request({ host: to.hostname, port: to.port, method: asked.method, path, headers: { ...asked.headers, host: to.host } }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    let form = '';
    asked.on('data', (text) => (form += text));
    asked.on('end', () => posted.push(...new URLSearchParams(form).getAll('logout_token')));
    asked.pipe(onward);
  }));
  return { url: `http://localhost:${port}/public`, posted, leadTo: (address) => (backend = address) };
}
