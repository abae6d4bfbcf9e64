import { answered, expect, noAnswer, signIn, test } from './fixtures';
import { borrow, card, heading, said, titles } from './elements';

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
  await expect(page.getByRole('searchbox')).toHaveValue('clean');
  await page.route('**/events', (route) => route.abort()); // otherwise the page may find out by itself first
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

test('offline one is told, and the page recovers by itself', async ({ page, context, stack, consoleErrors }) => {
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

test('an error of the server is told with what helps to find it', async ({ page, stack, consoleErrors }) => {
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

test('a page of an edition that is gone comes with the new one', async ({ page, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await signIn(page, 'pparker');
  await page.route('**/assets/staff*', (route) => route.abort());
  await page.getByRole('link', { name: 'Import' }).click();
  await expect(page.getByText('The library does not answer').first()).toBeVisible();
  await page.unroute('**/assets/staff*');
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Try again' }).click();
  await reloaded;
  await expect(heading(page, 'Import books')).toBeVisible();
});

test('a browser that keeps nothing is told so', async ({ page, stack }) => {
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
  await expect(page.getByRole('heading', { name: 'This browser keeps nothing for this page' })).toBeVisible();
});
