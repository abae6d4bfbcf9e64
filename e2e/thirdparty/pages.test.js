// The pages of the identity provider in a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allow, arrived, fits, isForEverybody, launch, signIn, withPage } from './browser.js';

const { ISSUER, CALLBACK, WEB, SCREENSHOTS } = process.env;
const endpoint = (name) => `${ISSUER}/protocol/openid-connect/${name}`;
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

// request is the address of an authorization request.
function request(client, redirect, more = {}) {
  const query = new URLSearchParams({
    response_type: 'code', client_id: client, redirect_uri: redirect, scope: 'openid', state: 'a state',
    code_challenge: challenge, code_challenge_method: 'S256', ...more,
  });
  return `${endpoint('auth')}?${query}`;
}

// The client is on another site than the provider, so that nothing works only
// because both are on one.
const start = (more) => request('library-cli', CALLBACK, more);
const heading = (page, name) => page.getByRole('heading', { name }).waitFor();
// focused waits until the page has put the focus on a kind of element, which it
// does a moment after it has come.
const focused = (page, kind) => page.waitForFunction((tag) => document.activeElement?.localName === tag, kind);

// silently is the answer to a client that sends the browser to the provider and
// asks for no page in between.
async function silently(page, client = 'library-cli') {
  await page.goto(CALLBACK);
  await page.evaluate((url) => { location.href = url; }, request(client, CALLBACK, { prompt: 'none' }));
  await page.waitForURL(`${CALLBACK}?*`);
  return new URL(page.url()).searchParams;
}

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

test('a wrong password is explained', () => withPage(browser, async (page) => {
  await page.goto(start());
  await signIn(page, 'bbanner', 'not banner');
  const alert = page.getByRole('alert');
  assert.equal(await alert.textContent(), 'The user name or the password is not right.');
  assert.ok(await alert.evaluate((e) => e === document.activeElement), 'the focus is elsewhere');
  assert.equal(await page.getByLabel('User name').inputValue(), 'bbanner');
  assert.equal(await page.getByLabel('Password').inputValue(), '');
  await signIn(page, 'bbanner', 'banner');
  await heading(page, 'Allow access?');
}));

test('the keyboard alone leads from login to code', () => withPage(browser, async (page) => {
  await page.goto(start());
  await focused(page, 'input');
  await page.keyboard.type('bwayne');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wayne');
  await page.keyboard.press('Enter');
  await heading(page, 'Allow access?');
  await focused(page, 'button');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid', 'the focus cannot be seen');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${CALLBACK}?*`);
  const answer = new URL(page.url()).searchParams;
  assert.deepEqual([...answer.keys()].sort(), ['code', 'iss', 'session_state', 'state']);
  assert.equal(answer.get('state'), 'a state');
  assert.equal(answer.get('iss'), ISSUER);
}));

test('who denies consent goes back with the refusal, and is asked again', () => withPage(browser, async (page) => {
  await page.goto(start());
  await signIn(page, 'bwayne', 'wayne');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${CALLBACK}?*`);
  const answer = new URL(page.url()).searchParams;
  assert.equal(answer.get('error'), 'access_denied');
  assert.equal(answer.get('state'), 'a state');
  assert.ok(!answer.has('code'));
  await page.goto(start());
  await heading(page, 'Allow access?');
}));

test('an expired page says so and leads back to the login', () => withPage(browser, async (page, context) => {
  await page.goto(start());
  await context.clearCookies();
  await signIn(page, 'bwayne', 'wayne');
  await heading(page, 'This page has expired');
  await page.getByRole('link', { name: 'Start again' }).click();
  await signIn(page, 'bwayne', 'wayne');
  await heading(page, 'Allow access?');
  await context.clearCookies({ name: 'library_idp_session' }); // the login has ended meanwhile
  await page.getByRole('button', { name: 'Allow' }).click();
  await heading(page, 'This page has expired');
}));

test('going back after the login shows no page that does not work', () => withPage(browser, async (page) => {
  await page.goto(start());
  await signIn(page, 'bwayne', 'wayne');
  await allow(page);
  await page.goBack();
  await page.goBack();
  await page.waitForURL((url) => url.searchParams.has('code') || url.pathname.endsWith('/auth'));
  assert.equal(await page.getByText('expired').count(), 0);
}));

test('no script can read the cookies', () => withPage(browser, async (page, context) => {
  await page.goto(start());
  await signIn(page, 'bwayne', 'wayne');
  await heading(page, 'Allow access?');
  const cookies = await context.cookies();
  assert.deepEqual(cookies.map((c) => [c.name, c.httpOnly, c.sameSite, c.path]), ['browser', 'session'].map((name) =>
    [`library_idp_${name}`, true, 'Lax', new URL(ISSUER).pathname]));
  assert.equal(await page.evaluate(() => document.cookie), '');
}));

test('without a page there is a code only after login and consent, until the logout', () => withPage(browser, async (page) => {
  assert.equal((await silently(page)).get('error'), 'login_required');
  await page.goto(start());
  await signIn(page, 'bwayne', 'wayne');
  await heading(page, 'Allow access?');
  assert.equal((await silently(page)).get('error'), 'consent_required');
  await page.goto(start());
  await allow(page);
  // Any program on this machine could be at that address.
  assert.equal((await silently(page)).get('error'), 'consent_required');
  await page.goto(start());
  await heading(page, 'Allow access?');
  await page.goto(request('library-client', CALLBACK)); // this one has a secret
  await allow(page);
  assert.ok((await silently(page, 'library-client')).has('code'));
  await page.goto(endpoint('logout')); // any link could lead here, so it asks
  assert.ok((await silently(page, 'library-client')).has('code'));
  await page.goto(endpoint('logout'));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'You are signed out');
  assert.equal((await silently(page, 'library-client')).get('error'), 'login_required');
}));

test('the form policy lets a client send people on to another origin', () => withPage(browser, async (page) => {
  const onward = new URL('/onward', WEB).href; // redirects to the other site at once
  await page.goto(request('library-client', onward));
  await signIn(page, 'bwayne', 'wayne');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${new URL(CALLBACK).origin}/arrived`);
}));

test('a script in the web client gets, renews and revokes tokens, and logs out', () => withPage(browser, async (page) => {
  await page.goto(request('library-web', WEB));
  await signIn(page, 'bwayne', 'wayne');
  const code = (await arrived(page)).searchParams.get('code'); // its own client asks for no consent
  const fields = { client_id: 'library-web', redirect_uri: WEB, code_verifier: verifier };
  const done = await page.evaluate(async ([token, userinfo, revoke, code, fields]) => {
    const post = (url, form) => fetch(url, { method: 'POST', body: new URLSearchParams({ ...fields, ...form }) });
    const got = await (await post(token, { grant_type: 'authorization_code', code })).json();
    const me = await (await fetch(userinfo, { headers: { Authorization: `Bearer ${got.access_token}` } })).json();
    const renewed = await (await post(token, { grant_type: 'refresh_token', refresh_token: got.refresh_token })).json();
    const revoked = await post(revoke, { token: renewed.refresh_token });
    return { me, scope: renewed.scope, hint: renewed.id_token, revoked: revoked.status };
  }, [endpoint('token'), endpoint('userinfo'), endpoint('revoke'), code, fields]);
  assert.equal(done.me.email, 'bruce.wayne@example.com');
  assert.match(done.scope, /\blibrary_user\b/);
  assert.equal(done.revoked, 200);
  const query = new URLSearchParams({ id_token_hint: done.hint, post_logout_redirect_uri: WEB, state: 'bye' });
  await page.goto(`${endpoint('logout')}?${query}`);
  assert.equal(page.url(), `${WEB}?state=bye`);
}));

test('every page looks right, light and dark, on a phone and on a desk', () => withPage(browser, async (page, context) => {
  const check = async (name) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 780 });
        await fits(page, `${name} at ${width} px`);
        if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      }
      await isForEverybody(page, `${name}, ${colorScheme}`);
    }
  };
  await page.goto(start());
  await check('login');
  await page.getByText('Sample logins').click();
  await check('samples');
  await signIn(page, 'nobody', 'nothing');
  await page.getByRole('alert').waitFor();
  await check('wrong');
  await signIn(page, 'ckent', 'kent');
  await heading(page, 'Allow access?');
  await check('consent');
  await page.goto(endpoint('logout'));
  await check('logout');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'This page has expired');
  await check('expired');
  await page.goto(start({ redirect_uri: 'http://localhost/elsewhere' }));
  await check('refused');
}));

test('the pages speak German, and the tab has an icon that the policy allows', () => withPage(browser, async (page) => {
  await page.goto(start());
  assert.match(await page.locator('link[rel=icon]').getAttribute('href'), /^data:image\/svg/);
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor(); // as the browser is set
  await page.goto(start({ ui_locales: 'en' }));
  await heading(page, 'Sign in'); // as the client asks
  await page.goto(start({ ui_locales: 'de-AT en' }));
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 780 });
    await fits(page, `login in German at ${width} px`);
  }
  await isForEverybody(page, 'login in German');
  await page.getByLabel('Benutzername').fill('bwayne');
  await page.getByLabel('Passwort').fill('wayne');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await heading(page, 'Zugriff erlauben?');
  await isForEverybody(page, 'consent in German');
  await page.getByRole('button', { name: 'Erlauben' }).click();
  await arrived(page);
}, { locale: 'de-DE' }));
