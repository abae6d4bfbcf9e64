// Logged out is logged out, with a provider that nobody here wrote: node's oidc-provider ends a session and posts
// a logout token to a library of two processes, one of which is killed in between.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import Provider from 'oidc-provider';
import * as client from 'openid-client';
import { listen, newDatabase, secret, startProcess, startProxy } from './support.mjs';

const callback = 'http://localhost:1/callback';
const clients = ['desk', 'another']; // the library takes the logout tokens of the first

async function startProvider(logoutAddress) {
  let handle = (_, answer) => answer.writeHead(503).end();
  const port = await listen(createServer((asked, answer) => handle(asked, answer)));
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: clients.map((client_id) => ({
      client_id, client_secret: secret, redirect_uris: [callback],
      backchannel_logout_uri: logoutAddress, backchannel_logout_session_required: true,
    })),
    scopes: ['openid', 'library_user'],
    fetch: (address, { dispatcher, ...options }) => fetch(address, options), // which would refuse addresses of this machine
    extraTokenClaims: (_, { sid }) => ({ email: 'bruce.wayne@example.com', sid }),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'http://library.example',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'library_user', audience: 'library-service', accessTokenFormat: 'jwt', accessTokenTTL: 300 }),
      },
    },
  });
  handle = provider.callback();
  return issuer;
}

/** A browser as far as these pages need one: it keeps cookies and follows redirects of the provider. */
class Browser {
  #cookies = new Map();

  async go(address, form) {
    const headers = { Cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') };
    const answer = await fetch(address, { method: form ? 'POST' : 'GET', body: form && new URLSearchParams(form), headers, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const to = answer.headers.get('Location');
    if (!to) return { address, page: await answer.text() };
    const next = new URL(to, address);
    return next.href.startsWith(callback) ? { address: next } : this.go(next);
  }
}

/** Somebody signs in with a client, in a session of their own. */
async function signIn(issuer, id) {
  const config = await client.discovery(new URL(issuer), id, secret, undefined, { execute: [client.allowInsecureRequests] });
  const browser = new Browser();
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const query = { redirect_uri: callback, scope: 'openid library_user', code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256' };
  let at = await browser.go(client.buildAuthorizationUrl(config, query));
  at = await browser.go(at.address, { prompt: 'login', login: 'bruce', password: 'x' });
  at = await browser.go(at.address, { prompt: 'consent' });
  const { access_token, id_token } = await client.authorizationCodeGrant(config, at.address, { pkceCodeVerifier });
  return {
    token: access_token,
    async signOut() {
      const { address, page } = await browser.go(client.buildEndSessionUrl(config, { id_token_hint: id_token }));
      const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page);
      await browser.go(new URL(`${new URL(address).pathname}/confirm`, address), { xsrf, logout: 'yes' });
    },
  };
}

const me = async (api, { token }) => (await fetch(`${api}/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
const post = async (api, logout_token) => (await fetch(`${api}/logout`, { method: 'POST', body: new URLSearchParams({ logout_token }) })).status;

/** Waits until a token is refused, and says how long it took. */
async function refused(api, session) {
  const began = performance.now();
  while ((await me(api, session)) !== 401) await new Promise((next) => setTimeout(next, 20));
  return performance.now() - began;
}

test('a session that ends at oidc-provider ends in every process, also when the one that was told is killed', async () => {
  const proxy = await startProxy();
  const issuer = await startProvider(`${proxy.url}/logout`);
  const start = [issuer, newDatabase(), '--logout', '--logout-audience', 'desk'];
  const [first, second] = [await startProcess(...start), await startProcess(...start)];
  const [ended, other, foreign] = [await signIn(issuer, 'desk'), await signIn(issuer, 'desk'), await signIn(issuer, 'another')];
  for (const { api } of [first, second]) for (const session of [ended, other, foreign]) assert.equal(await me(api, session), 200);

  proxy.leadTo(first.api);
  await ended.signOut();
  assert.equal(await me(first.api, ended), 401, 'at once where the provider posted');
  await first.kill();
  const took = await refused(second.api, ended);
  assert.ok(took < 2000, `${took} ms in the other process`);
  assert.equal(await me(second.api, other), 200);

  const [token] = proxy.posted;
  const [header, payload, signature] = token.split('.');
  const altered = JSON.parse(Buffer.from(payload, 'base64url'));
  altered.sid = JSON.parse(Buffer.from(other.token.split('.')[1], 'base64url')).sid;
  altered.jti = 'another';
  proxy.leadTo(second.api);
  await foreign.signOut();
  for (const [what, bad] of Object.entries({
    replayed: token,
    forged: [header, Buffer.from(JSON.stringify(altered)).toString('base64url'), signature].join('.'),
    'an access token': other.token,
    'for another client': proxy.posted[1],
  })) assert.equal(await post(second.api, bad), 400, what);
  for (const session of [other, foreign]) assert.equal(await me(second.api, session), 200, 'nothing has changed');

  const restarted = await startProcess(...start);
  assert.equal(await me(restarted.api, ended), 401, 'at the first request after a restart');
  assert.equal(await me(restarted.api, other), 200);
});
