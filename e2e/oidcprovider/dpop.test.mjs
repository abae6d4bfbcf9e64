// DPoP with a provider and a client that nobody here wrote: node's oidc-provider issues tokens that are
// bound to a key, and openid-client uses them, also behind a proxy with another host name.
// `make test-oidc-provider` builds the program and runs this.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { before, test } from 'node:test';
import Provider from 'oidc-provider';
import * as client from 'openid-client';
import { listen, secret, startLibrary, startProxy } from './support.mjs';

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
