import type { BrowserContext, Request } from '@playwright/test';
import { answered, core, everywhere, expect, giveCredentials, noAnswer, pressSignIn as signIn, test, type Page } from './support/fixtures';
import { borrow, card, describeBook, giveBack, heading, said } from './support/elements';

const lifetime = 290; // seconds after which a token of 300 has to be renewed

/** Counts the requests for tokens. */
function renewals(page: Page): { count: number } {
  const seen = { count: 0 };
  page.on('request', (request) => {
    if (request.url().endsWith('/token') && request.postData()?.includes('grant_type=refresh_token')) seen.count++;
  });
  return seen;
}

/** Waits until nobody waits for a token: a renewal that a leap of the clock cuts off would leave a token that has been used. */
function noneIsRenewed(context: BrowserContext): () => Promise<void> {
  let waiting = 0;
  const count = (by: number) => (request: Request) => void (request.url().endsWith('/token') && (waiting += by));
  context.on('request', count(1));
  context.on('requestfinished', count(-1));
  context.on('requestfailed', count(-1));
  return () => expect.poll(() => waiting).toBe(0);
}

/** Ends the session at the provider, as its owner does elsewhere. */
async function signOutElsewhere(page: Page, issuer: string): Promise<void> {
  const elsewhere = await page.context().newPage();
  await elsewhere.goto(`${issuer}/protocol/openid-connect/logout`);
  await elsewhere.getByRole('button', { name: 'Sign out' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await elsewhere.close();
}

test('signing in leads back to the page that was asked for', async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'bwayne', `/books/${identifier}?from=a%20friend`);
  await expect(heading(page, 'Homo faber')).toBeVisible();
  expect(page.url()).toBe(`${stack.web}/books/${identifier}?from=a%20friend`);
});

test('a reload keeps session and page, without a token in any storage', everywhere, async ({ page, context, stack }) => {
  await signIn(page, 'bwayne', '/?q=program');
  for (let round = 0; round < 2; round++) {
    await expect(page.getByRole('article')).not.toHaveCount(0);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    expect(kept).not.toMatch(/eyJ|access_token|refresh_token|code=/);
    expect((await context.cookies(stack.web)).length).toBe(0);
    await page.reload();
    await expect(page.getByRole('searchbox')).toHaveValue('program');
    expect(page.url()).toBe(`${stack.web}/?q=program`);
  }
});

test('a duplicated tab has a session of its own, and neither ends the other', async ({ page, context, stack }) => {
  await context.clock.install();
  const renewed = noneIsRenewed(context);
  await signIn(page, 'bwayne', '/loans');
  const [copy] = await Promise.all([context.waitForEvent('page'), page.evaluate(() => void window.open(location.href))]);
  await expect(heading(copy, 'My loans')).toBeVisible();
  await context.clock.fastForward(lifetime * 1000);
  for (const tab of [copy, page, copy, page]) {
    await tab.getByRole('link', { name: 'Catalogue', exact: true }).first().click();
    await tab.getByRole('searchbox').fill(tab === page ? 'clean' : 'homo');
    await expect(tab.getByRole('article')).toHaveCount(1);
    await tab.getByRole('searchbox').fill('');
    await expect(tab.getByRole('article')).not.toHaveCount(1);
    await expect(tab.getByRole('dialog')).toHaveCount(0);
    await renewed();
    await context.clock.fastForward(lifetime * 1000);
  }
  expect(stack.provider.log).not.toContain('reuse');
});

test('a token that is about to expire is renewed once for all who wait', async ({ page, stack }) => {
  await page.clock.install();
  await signIn(page, 'bwayne');
  const seen = renewals(page);
  await borrow(page, 'Homo faber').click();
  await expect(card(page, 'Homo faber')).toContainText('Yours');
  expect(seen.count, 'renewed although the token was good').toBe(0);
  await page.clock.fastForward(lifetime * 1000);
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/token', async (route) => {
    await held;
    await route.continue();
  });
  for (const title of ['Clean Code', 'Design Patterns', 'Pride and Prejudice']) await borrow(page, title).click();
  answer();
  for (const title of ['Clean Code', 'Design Patterns', 'Pride and Prejudice']) {
    await expect.poll(async () => (await stack.book(title)).borrowed).toBe(true);
  }
  expect(seen.count).toBe(1);
});

test('a token that the server no longer takes is renewed, and the request goes through', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(401));
  await signIn(page, 'bwayne');
  const seen = renewals(page);
  await page.route('**/borrow', (route) => route.fulfill({
    status: 401,
    headers: { 'Access-Control-Allow-Origin': stack.web, 'Access-Control-Allow-Credentials': 'true' },
    json: { status: 401, code: 'invalid_token', message: 'Jwt expired' },
  }), { times: 1 });
  await borrow(page, 'Clean Code').click();
  await said(page, 'You have borrowed “Clean Code”.');
  expect(seen.count).toBe(1);
});

/** Some seconds later, for the page. Its timers do not go off: the event stream would ask for a token before anybody presses anything. */
async function later(page: Page, seconds: number): Promise<void> {
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + seconds * 1000);
}

test('an ended session is shown, and what was typed survives it', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await page.clock.install();
  await signIn(page, 'pparker', '/books/new');
  await page.getByLabel('Title', { exact: true }).fill('Half a Thought');
  await page.getByLabel(/^Authors/).fill('Somebody New\nSomebody Else');
  await describeBook(page, 'Typed for an hour.');
  await signOutElsewhere(page, stack.issuer);
  await later(page, lifetime);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await giveCredentials(page, 'pparker');
  await said(page, 'What you typed has been restored. It is not saved yet.');
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Half a Thought');
  await expect(page.getByLabel(/^Authors/)).toHaveValue('Somebody New\nSomebody Else');
  await expect(page.getByLabel(/^Description/)).toHaveValue('Typed for an hour.');
  await page.getByRole('button', { name: 'Save' }).click();
  await said(page, '“Half a Thought” was added.');
  expect((await stack.book('Half a Thought')).authors).toEqual(['Somebody New', 'Somebody Else']);
});

test('an ended session cannot be pushed aside with the escape key', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await page.clock.install();
  await signIn(page, 'bwayne');
  await signOutElsewhere(page, stack.issuer);
  await later(page, lifetime);
  await borrow(page, 'Clean Code').click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' }).getByRole('button', { name: 'Sign in again' });
  await expect(again).toBeVisible();
  for (let i = 0; i < 4; i++) await page.keyboard.press('Escape');
  await expect(again).toBeFocused();
  await again.click();
  await expect(page.getByLabel('User name')).toBeVisible();
});

test('another person does not get what the last one had typed', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await page.clock.install();
  await stack.as('ckent', 'POST', '/users', { email: 'diana.prince@example.com', firstName: 'Diana', lastName: 'Prince', roles: ['LIBRARY_CURATOR'] });
  await signIn(page, 'pparker', '/books/new');
  await page.getByLabel('Title', { exact: true }).fill('A Secret');
  await signOutElsewhere(page, stack.issuer);
  await later(page, lifetime);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await giveCredentials(page, 'dprince');
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('');
});

test('a new tab is signed in as well, and asks once whether it is', async ({ page, context, stack }) => {
  await signIn(page, 'bwayne', '/loans');
  const tab = await context.newPage();
  await tab.goto('/?q=clean');
  await expect(card(tab, 'Clean Code')).toBeVisible();
  expect(tab.url()).toBe(`${stack.web}/?q=clean`);
  await tab.close();
  await signOutElsewhere(page, stack.issuer);
  for (const asks of [1, 0]) {
    const next = await context.newPage();
    let asked = 0;
    next.on('request', (request) => (asked += Number(request.url().includes('prompt=none'))));
    await next.goto('/');
    await expect(next.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(asked).toBe(asks);
    await next.close();
  }
});

test('who signs out at the provider is asked to sign in at the next reload', async ({ page, stack }) => {
  await signIn(page, 'bwayne', '/loans');
  await signOutElsewhere(page, stack.issuer);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveCredentials(page, 'bwayne');
  await expect(heading(page, 'My loans')).toBeVisible();
});

test('who denies consent is back at the beginning', async ({ page }) => {
  // The provider asks for consent to its own client only with prompt=consent.
  await page.route('**/protocol/openid-connect/auth?*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('prompt', 'consent');
    return route.continue({ url: url.href });
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill('bwayne');
  await page.getByLabel('Password').fill('wayne');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
});

test('an answer that nobody asked for leads nowhere', async ({ page, stack }) => {
  for (const query of ['?code=x&state=https://evil.example/', '?error=login_required&state=//evil.example']) {
    await page.goto('/' + query);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    await expect.poll(() => page.url()).toBe(`${stack.web}/`);
  }
});

test('going back after signing in does not go in circles', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne', '/loans');
  await page.goBack();
  await page.goForward().catch(() => undefined);
  await expect(page.getByRole('button', { name: 'Sign in' }).or(heading(page, 'My loans')).or(heading(page, 'Catalogue')).first()).toBeVisible();
});

test('after a reload, back leads to the page before', async ({ playwright, launchOptions, contextOptions, baseURL, locale, consoleErrors, stack }) => {
  // As in everyday browsers, which keep the pages that one leaves as they were.
  const browser = await playwright.chromium.launch({ ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  const context = await browser.newContext({ ...contextOptions, baseURL, locale });
  consoleErrors.watch(context);
  const page = await context.newPage();
  await signIn(page, 'bwayne');
  await page.getByRole('link', { name: 'Homo faber' }).click();
  await page.getByRole('navigation').getByRole('link', { name: /My loans/ }).click();
  await expect(heading(page, 'My loans')).toBeVisible();
  const steps = await page.evaluate(() => history.length);
  await page.reload();
  await expect(heading(page, 'My loans')).toBeVisible();
  expect(await page.evaluate(() => history.length), 'the detour is in the history').toBe(steps);
  await page.evaluate(() => void setTimeout(() => history.back())); // which may end the page before it answers
  await expect(heading(page, 'Homo faber')).toBeVisible();
  expect(page.url()).toContain(`${stack.web}/books/`);
  await browser.close();
});

test('without the provider the page says so and offers to try again', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await page.goto('/loans');
  await stack.provider.stop();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await said(page, 'The sign-in service does not answer');
  await stack.provider.start();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveCredentials(page, 'bwayne');
  await expect(heading(page, 'My loans')).toBeVisible();
});

test('a reload without the provider says so and loses nothing', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'bwayne', '/loans');
  await stack.provider.stop();
  await page.reload();
  await said(page, 'The sign-in service does not answer');
  expect(page.url()).toBe(`${stack.web}/loans`);
  await stack.provider.start();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveCredentials(page, 'bwayne');
  await expect(heading(page, 'My loans')).toBeVisible();
});

test('a good token is enough while the provider is away, and an old one is not', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await page.clock.install();
  await signIn(page, 'bwayne');
  await stack.provider.stop();
  await borrow(page, 'Clean Code').click();
  await said(page, 'You have borrowed “Clean Code”.');
  await page.clock.fastForward(lifetime * 1000);
  await giveBack(page, 'Clean Code').click();
  await said(page, 'The sign-in service does not answer');
  await expect(card(page, 'Clean Code')).toContainText('Yours');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a person who is not in the library sees whom to ask', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(401));
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveCredentials(page, 'dprince');
  await expect(heading(page, 'The library does not know you yet')).toBeVisible();
  await stack.as('ckent', 'POST', '/users', { email: 'diana.prince@example.com', firstName: 'Diana', lastName: 'Prince', roles: ['LIBRARY_USER'] });
  await page.reload();
  await expect(heading(page, 'Catalogue')).toBeVisible();
});
