import { everywhere, expect, pressSignIn as signIn, test, type Page } from './support/fixtures';
import { heading } from './support/elements';

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** Everything that the page holds, seen or not: texts, fields, and what the tab keeps. */
const held = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const typed = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].map((field) => field.value);
    return [document.title, document.body.textContent, ...typed, ...Object.values(sessionStorage), location.href].join('\n');
  });

test('signing out ends the session here and at the provider', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne', '/loans');
  await signOut(page);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await page.goto('/loans');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByLabel('User name')).toBeVisible();
});

test('signing out in one tab leaves nothing to read in the others', everywhere, async ({ page, context, stack }) => {
  test.slow(); // six pages, each with a way to the provider and back
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'ckent', '/users?q=banner');
  await expect(page.getByText('bruce.banner@example.com')).toBeVisible();
  const tabs: [string, string, (tab: Page) => Promise<void>][] = [
    ['a list', '/users', (tab) => expect(tab.getByText('bruce.banner@example.com')).toBeVisible()],
    ['a question', '/users', async (tab) => {
      await tab.getByRole('button', { name: 'Remove Bruce Banner' }).click();
      await expect(tab.getByRole('dialog', { name: 'Remove Bruce Banner?' })).toBeVisible();
    }],
    ['a form with a draft', '/users/new', async (tab) => {
      await tab.getByLabel('Last name').fill('Banner the Second');
      await tab.getByLabel('E-mail address').fill('second.banner@example.com');
    }],
    ['a book', `/books/${identifier}`, (tab) => expect(heading(tab, 'Homo faber')).toBeVisible()],
  ];
  const others: [string, Page][] = [];
  for (const [name, path, act] of tabs) {
    const tab = await context.newPage();
    await tab.goto(path);
    await act(tab);
    others.push([name, tab]);
  }
  await signOut(page);
  for (const [name, tab] of others) {
    await expect(tab.getByRole('button', { name: 'Sign in' }), name).toBeVisible();
    expect(await held(tab), name).not.toMatch(/banner|kent|faber|@example/i);
    await expect(tab.getByRole('dialog'), name).toHaveCount(0);
  }
  const later = await context.newPage();
  await later.goto('/');
  await expect(later.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('while a slow provider signs somebody out, the page is empty already', async ({ page }) => {
  await signIn(page, 'ckent', '/users');
  await expect(page.getByText('bruce.banner@example.com')).toBeVisible();
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route('**/revoke', async (route) => {
    await held;
    await route.continue();
  });
  await signOut(page);
  await expect(page.getByText('bruce.banner@example.com')).toHaveCount(0);
  await expect(page.getByText('Clark Kent')).toHaveCount(0);
  go();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('a page that the browser brings back shows nothing of who has signed out meanwhile', everywhere, async ({ page, context }) => {
  await signIn(page, 'bwayne');
  const asleep = await context.newPage();
  // A page that is asleep does not get messages of other tabs.
  await asleep.addInitScript(() => Object.defineProperty(globalThis, 'BroadcastChannel', { value: class { postMessage(): void {} } }));
  await asleep.goto('/');
  await expect(heading(asleep, 'Catalogue')).toBeVisible();
  const wake = (): Promise<void> => asleep.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await wake();
  await expect(heading(asleep, 'Catalogue')).toBeVisible();
  await signOut(page);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expect(heading(asleep, 'Catalogue')).toBeVisible();
  await wake();
  await expect(asleep.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await held(asleep)).not.toMatch(/wayne|faber/i);
});

test('signing out revokes the refresh token', async ({ page }) => {
  await signIn(page, 'bwayne');
  const revoked = page.waitForRequest((request) => request.url().endsWith('/revoke') && request.method() === 'POST');
  await signOut(page);
  expect((await revoked).postData()).toContain('token_type_hint=refresh_token');
});
