// A certified OpenID client against the identity provider.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oidc from 'openid-client';
import { allow, arrived, launch, signIn, withPage } from './browser.js';

const { ISSUER, CALLBACK, WEB, SECRET } = process.env;
const redirects = { 'library-cli': CALLBACK, 'library-web': WEB, 'library-client': CALLBACK };

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

// discover reads the discovery document. Tokens are checked as far as the
// client can, signatures included.
async function discover(id, authentication) {
  const config = await oidc.discovery(new URL(ISSUER), id, undefined, authentication,
    { execute: [oidc.allowInsecureRequests] });
  oidc.enableNonRepudiationChecks(config);
  return config;
}

const confidential = () => discover('library-client', oidc.ClientSecretBasic(SECRET));

// codeFlow goes from the authorization request to the tokens.
async function codeFlow(page, config, username, password, scope = 'openid email profile') {
  const redirect_uri = redirects[config.clientMetadata().client_id];
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  await page.goto(oidc.buildAuthorizationUrl(config, {
    redirect_uri, scope, state: expectedState, nonce: expectedNonce, max_age: '3600',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256',
  }).href);
  await signIn(page, username, password);
  // The library's own browser client asks for no consent.
  const answer = redirect_uri === WEB ? await arrived(page) : await allow(page);
  return oidc.authorizationCodeGrant(config, answer,
    { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 3600, idTokenExpected: true });
}

const refused = (error) => (e) => e.error === error || assert.fail(`${e}; wanted ${error}`);

test('discovery names everything the client needs', async () => {
  const server = (await confidential()).serverMetadata();
  assert.equal(server.issuer, ISSUER);
  assert.ok(server.supportsPKCE());
  for (const name of ['authorization', 'token', 'userinfo', 'end_session', 'revocation', 'introspection']) {
    assert.ok(server[`${name}_endpoint`].startsWith(`${ISSUER}/`), name);
  }
});

for (const [id, authentication] of [
  ['library-cli', oidc.None()], ['library-web', oidc.None()],
  ['library-client', oidc.ClientSecretBasic(SECRET)], ['library-client', oidc.ClientSecretPost(SECRET)],
]) {
  test(`${id}: code with PKCE, userinfo, refresh`, () => withPage(browser, async (page) => {
    const config = await discover(id, authentication);
    const tokens = await codeFlow(page, config, 'bwayne', 'wayne', 'openid library_admin');
    const { sub, preferred_username } = tokens.claims();
    assert.equal(preferred_username, 'bwayne');
    assert.equal(tokens.scope.split(' ').includes('library_admin'), false);
    assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, sub)).email, 'bruce.wayne@example.com');
    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token);
    assert.notEqual(renewed.refresh_token, tokens.refresh_token);
    assert.equal(renewed.claims().sub, sub);
    await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token), refused('invalid_grant'));
    await assert.rejects(oidc.refreshTokenGrant(config, renewed.refresh_token), refused('invalid_grant'),
      'a refresh token was used twice, and its family lives on');
  }));
}

test('client credentials', async () => {
  const tokens = await oidc.clientCredentialsGrant(await confidential(), { scope: 'library_admin' });
  assert.equal(tokens.scope, 'library_curator email profile');
  assert.equal(tokens.refresh_token, undefined);
  const wrong = await discover('library-client', oidc.ClientSecretPost('wrong'));
  await assert.rejects(oidc.clientCredentialsGrant(wrong), refused('invalid_client'));
});

test('password', async () => {
  const config = await confidential();
  const tokens = await oidc.genericGrantRequest(config, 'password', { username: 'pparker', password: 'parker', scope: 'openid' });
  assert.equal(tokens.claims().email, 'peter.parker@example.com');
});

test('introspection and revocation', async () => {
  const config = await confidential();
  const tokens = await oidc.genericGrantRequest(config, 'password', { username: 'ckent', password: 'kent' });
  const info = await oidc.tokenIntrospection(config, tokens.access_token);
  assert.equal(info.active, true);
  assert.equal(info.username, 'ckent');
  assert.match(info.scope, /\blibrary_admin\b/);
  await oidc.tokenRevocation(config, tokens.refresh_token);
  for (const token of [tokens.access_token, tokens.refresh_token, 'nonsense']) {
    assert.deepEqual(await oidc.tokenIntrospection(config, token), { active: false });
  }
  await oidc.tokenRevocation(config, 'nonsense');
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token), refused('invalid_grant'));
});

test('logout ends the session and its tokens and comes back', () => withPage(browser, async (page) => {
  const config = await discover('library-web', oidc.None());
  const tokens = await codeFlow(page, config, 'bwayne', 'wayne');
  await page.goto(oidc.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token, post_logout_redirect_uri: WEB, state: 'bye',
  }).href);
  assert.equal(page.url(), `${WEB}?state=bye`);
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token), refused('invalid_grant'));
  await page.goto(oidc.buildAuthorizationUrl(config, {
    redirect_uri: WEB, scope: 'openid', prompt: 'none', code_challenge_method: 'S256',
    code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
  }).href);
  await assert.rejects(oidc.authorizationCodeGrant(config, new URL(page.url())), refused('login_required'));
}));
