// DPoP with a provider and a client that nobody here wrote: node's oidc-provider issues tokens that are
// bound to a key, and openid-client uses them, also behind a proxy with another host name.
// `make test-oidc-provider` builds the program and runs this.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Provider from 'oidc-provider';
import * as client from 'openid-client';

const program = process.env.LIBRARY ?? fileURLToPath(new URL('../../bin/library', import.meta.url));
const secret = 'a secret of this test alone, which is long enough';
const folder = mkdtempSync(join(tmpdir(), 'library-oidc-provider-'));
const cleanUp = [() => rmSync(folder, { recursive: true, force: true })];
after(async () => {
  for (const end of cleanUp.reverse()) await end();
});

/** Listens on a free port, and ends with the test. */
async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => (server.closeAllConnections(), server.close()));
  return server.address().port;
}

/** The provider: a program gets tokens for the library, with an e-mail address and a role in them. */
async function startProvider() {
  let handle = (_, answer) => answer.writeHead(503).end();
  const port = await listen(createServer((asked, answer) => handle(asked, answer)));
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'program', client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    scopes: ['library_user'],
    extraTokenClaims: () => ({ email: 'bruce.wayne@example.com' }),
    features: {
      dPoP: { enabled: true },
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'library_user', audience: 'library-service', accessTokenFormat: 'jwt', accessTokenTTL: 300 }),
      },
    },
  });
  handle = provider.callback();
  return issuer;
}

/** Starts a service behind the provider; the address of the API as it listens. */
async function startLibrary(issuer, ...settings) {
  const name = `sqlite:${join(folder, `${cleanUp.length}.db`)}`;
  const child = spawn(program, ['serve', '--addr', '127.0.0.1:0', '--management-addr', '127.0.0.1:0', '--issuer', issuer, '--database', name, '--sample-data', ...settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  cleanUp.push(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  let log = '';
  return new Promise((found, failed) => {
    child.stderr.on('data', (text) => {
      log += text;
      const address = /msg=listening addr=(\S+)/.exec(log)?.[1];
      if (address) found(`http://${address}/library-server`);
    });
    child.once('exit', () => failed(new Error(`the library ended:\n${log}`)));
  });
}

/** A proxy that calls the service by another name than callers do, and by another path. */
async function startProxy() {
  let backend;
  const port = await listen(createServer((asked, answer) => {
    const to = new URL(backend);
    const path = asked.url.replace(/^\/public/, to.pathname);
    const onward = request({ host: to.hostname, port: to.port, method: asked.method, path, headers: { ...asked.headers, host: to.host } }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }));
  return { url: `http://localhost:${port}/public`, leadTo: (address) => (backend = address) };
}

let issuer;
before(async () => {
  issuer = await startProvider();
});

/** Gets a token that is bound to a new key, for the library at an address. */
async function boundToken(resource) {
  const config = await client.discovery(new URL(issuer), 'program', secret, undefined, { execute: [client.allowInsecureRequests] });
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
  const tokens = await client.clientCredentialsGrant(config, { resource, scope: 'library_user' }, { DPoP });
  assert.equal(tokens.token_type.toLowerCase(), 'dpop');
  const ask = (address, method = 'GET') => client.fetchProtectedResource(config, tokens.access_token, new URL(address), method, null, new Headers(), { DPoP });
  return { ask, token: tokens.access_token };
}

/** Reads, lends and tries to steal. */
async function useLibrary(api, { ask, token }) {
  const books = await (await ask(`${api}/books?q=clean`)).json();
  assert.equal(books[0].title, 'Clean Code');
  const lent = await ask(`${api}/books/${books[0].identifier}/borrow`, 'POST');
  assert.equal(lent.status, 200);
  for (const scheme of ['Bearer', 'DPoP']) {
    const stolen = await fetch(`${api}/books`, { headers: { Authorization: `${scheme} ${token}` } });
    assert.equal(stolen.status, 401);
    assert.match(stolen.headers.get('WWW-Authenticate'), /DPoP /);
  }
}

test('bound tokens of oidc-provider open the library for openid-client', async () => {
  const api = await startLibrary(issuer, '--dpop', 'allowed');
  await useLibrary(api, await boundToken(api));
});

test('behind a proxy with another name, with nonces, found by the metadata', async () => {
  const proxy = await startProxy();
  proxy.leadTo(await startLibrary(issuer, '--dpop', 'required', '--dpop-nonce', '--resource-metadata', '--public-api-url', proxy.url));
  const found = await (await fetch(new URL('/.well-known/oauth-protected-resource/public', proxy.url))).json();
  assert.equal(found.resource, proxy.url);
  assert.deepEqual(found.authorization_servers, [issuer]);
  assert.equal(found.dpop_bound_access_tokens_required, true);
  await useLibrary(proxy.url, await boundToken(found.resource));
});

test('without --public-api-url a proxy with another name is in the way, and the answer says why', async () => {
  const proxy = await startProxy();
  proxy.leadTo(await startLibrary(issuer, '--dpop', 'required'));
  const { ask } = await boundToken(proxy.url);
  await assert.rejects(ask(`${proxy.url}/books`), (thrown) => {
    assert.match(JSON.stringify(thrown.cause ?? thrown.message), /invalid_dpop_proof/);
    return true;
  });
});
