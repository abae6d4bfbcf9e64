import type { Request } from '@playwright/test';
import { answered, core, expect, noAnswer, signIn, test, type Locator, type Page } from './support/fixtures';
import { borrow, card, heading, said, titles } from './support/elements';

test('while books are on their way, it says so', async ({ page, stack }) => {
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`${stack.api}/books?*`, async (route) => {
    await held;
    await route.continue();
  });
  await signIn(page, 'bwayne');
  await expect(page.getByText('Loading …').or(page.locator('[aria-busy=true]')).first()).toBeVisible();
  answer();
  await expect(titles(page)).toHaveCount(10);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
});

test('a server that is away is named, and a second try works', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await stack.server.stop();
  await page.getByRole('searchbox').fill('clean');
  await expect(page.getByText('The library does not answer').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible(); // the banner may come before
  await expect(page.getByRole('searchbox')).toHaveValue('clean');
  await page.route('**/events', (route) => route.abort()); // otherwise the page may learn it from an event first
  await stack.server.start();
  await stack.ready();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(titles(page)).toHaveText(['Clean Code']);
  await page.unroute('**/events');
  await expect(page.getByText('The library does not answer')).toHaveCount(0);
});

test('a tap that nobody answers is taken back', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'bwayne');
  await expect(borrow(page, 'Clean Code')).toBeVisible();
  await stack.server.stop();
  await borrow(page, 'Clean Code').click();
  await said(page, 'The library does not answer');
  await expect(borrow(page, 'Clean Code')).toBeVisible();
});

test('a server that is away at the start is named', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'bwayne');
  await stack.server.stop();
  await page.reload();
  await expect(page.getByText('The library does not answer').first()).toBeVisible();
  await stack.server.start();
  await stack.ready();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(titles(page)).toHaveCount(10);
});

test('offline, the page says so and recovers without a reload', core, async ({ page, context, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await context.setOffline(true);
  await expect(page.getByText('You are offline').first()).toBeVisible();
  await expect(titles(page), 'what was there is gone').toHaveCount(10);
  await borrow(page, 'Clean Code').click();
  await expect(borrow(page, 'Clean Code')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You are offline. What you see may be out of date.')).toHaveCount(0);
  await borrow(page, 'Clean Code').click();
  await expect.poll(async () => (await stack.book('Clean Code')).borrowed).toBe(true);
});

test('an error of the server is shown with what helps to find it', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(500));
  await page.route(`${stack.api}/books?*`, (route) => route.fulfill({
    status: 500,
    headers: { 'Access-Control-Allow-Origin': stack.web, 'Access-Control-Allow-Credentials': 'true' },
    json: { status: 500, code: 'internal', message: 'Internal Server Error', requestId: '0123456789abcdef' },
  }), { times: 1 });
  await signIn(page, 'bwayne');
  await expect(page.getByText('Something went wrong')).toBeVisible();
  await expect(page.getByText('0123456789abcdef')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(titles(page)).toHaveCount(10);
});

/** The server is upgraded while the page is open: it has another page now, and parts of the old one are gone. */
async function upgrade(page: Page, gone: string): Promise<() => Promise<void>> {
  const asksForPage = (request: Request): boolean => request.resourceType() === 'fetch';
  await page.route(`**/assets/${gone}`, (route) => route.fulfill({ status: 404, body: 'Not found.' }));
  await page.route((url) => url.port === new URL(page.url()).port, async (route) => {
    if (asksForPage(route.request())) await route.fulfill({ contentType: 'text/html', body: '<!doctype html><script type="module" src="/assets/app-newer.js"></script>' });
    else await route.fallback();
  });
  return () => page.unrouteAll();
}

const again = (page: Page): Locator => page.getByRole('button', { name: 'Reload' });

/** Loads the page again. */
async function reload(page: Page): Promise<void> {
  const loaded = page.waitForEvent('load');
  await again(page).click();
  await loaded;
}

test('a page that cannot be loaded says so, and loading again brings it', async ({ page, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'pparker');
  await page.route('**/assets/staff*', (route) => route.abort());
  await page.getByRole('link', { name: 'Import' }).click();
  await expect(heading(page, 'A part of this page could not be loaded')).toBeFocused();
  await page.unroute('**/assets/staff*');
  await reload(page);
  await expect(heading(page, 'Import books')).toBeVisible();
});

test('after an upgrade a page says that there is a new version', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await signIn(page, 'pparker');
  const done = await upgrade(page, 'staff*');
  await page.getByRole('link', { name: 'Import' }).click();
  await expect(heading(page, 'There is a new version of this page')).toBeVisible();
  await expect(page.getByText('does not answer')).toHaveCount(0);
  await done();
  await reload(page);
  await expect(heading(page, 'Import books')).toBeVisible();
});

test('who is signed in and cannot load what is inside reads it, and gets the page when it is loaded again', async ({ page, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await page.route('**/assets/inside*', (route) => route.abort());
  await signIn(page, 'bwayne');
  await expect(heading(page, 'A part of this page could not be loaded')).toBeVisible();
  await page.unroute('**/assets/inside*');
  await reload(page);
  await expect(card(page, 'Homo faber')).toBeVisible();
});

test('a button whose part cannot be loaded says so, and works when the page is loaded again', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await page.route('**/assets/own*', (route) => route.abort());
  await page.clock.install();
  await signIn(page, 'bwayne');
  const reserve = page.getByRole('button', { name: 'Reserve Homo faber' });
  await reserve.click();
  await said(page, 'A part of this page could not be loaded');
  await page.clock.fastForward(9500); // it stays, other than what is said in passing
  await said(page, 'A part of this page could not be loaded');
  await page.unrouteAll();
  await reload(page);
  await reserve.click();
  await said(page, 'Homo faber');
  await expect(card(page, 'Homo faber')).toContainText('Reserved');
});

test('what was typed survives an upgrade', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await signIn(page, 'pparker', '/books/new');
  await page.getByLabel('Title', { exact: true }).fill('Half a Thought');
  const done = await upgrade(page, 'de*');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await said(page, 'There is a new version of this page');
  await page.keyboard.press('Escape');
  await done();
  await reload(page);
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Half a Thought');
});

test('parts of a page that cannot be loaded are reported once, and nothing is loaded when nobody answers', async ({ page, context, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer, answered(404));
  await page.route('**/assets/{staff,lending}*', (route) => route.abort());
  await signIn(page, 'pparker', `/books/${(await stack.book('Homo faber')).identifier}`);
  await expect(heading(page, 'Homo faber')).toBeVisible();
  await said(page, 'A part of this page could not be loaded');
  await expect(again(page)).toHaveCount(1);
  await context.setOffline(true);
  await again(page).click();
  await said(page, 'You are offline');
  await expect(heading(page, 'Homo faber'), 'the page is still there').toBeVisible();
  await context.setOffline(false);
  await page.unrouteAll();
  await reload(page);
  await expect(page.getByRole('heading', { name: 'Copies' })).toBeVisible();
});

test('signing in with an old page shows that there is a new version', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  const done = await upgrade(page, 'oidc*');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('There is a new version of this page');
  await done();
  await reload(page);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('a language that cannot be loaded is reported in the one that is there', async ({ visitor, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  const page = await visitor({ locale: 'de-AT' });
  await page.route('**/assets/de-*', (route) => route.abort());
  await page.goto('/');
  await said(page, 'A part of this page could not be loaded');
  await page.unrouteAll();
  await reload(page);
  await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
});

test('a browser that stores nothing gets a message', async ({ page, stack }) => {
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    }
  });
  await page.goto(stack.web);
  await expect(page.getByRole('heading', { name: 'This browser blocks site data' })).toBeVisible();
});
