import { answered, core, everywhere, expect, fits, isForEverybody, look, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { borrow, heading, shelve, titles } from './support/elements';

/** A view in a state, and how to get there when one is signed in. */
interface View {
  name: string;
  who: 'bwayne' | 'pparker' | 'ckent';
  open: (page: Page, stack: Stack) => Promise<void>;
}

const id = async (stack: Stack, title: string): Promise<string> => (await stack.book(title)).identifier;
const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

const views: View[] = [
  { name: 'catalogue', who: 'bwayne', open: async (page, stack) => {
    await shelve(stack, 'Homo faber', 'F 3');
    await borrow(page, 'Clean Code').click();
    await expect(page.getByText('You have borrowed “Clean Code”.')).toBeVisible();
  } },
  { name: 'list of books', who: 'bwayne', open: async (page, stack) => {
    await shelve(stack, 'Clean Code', 'F 3');
    await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Homo faber')}/borrow`);
    await page.getByRole('radio', { name: 'List' }).check({ force: true });
    await expect(page.getByText('Shelf: F 3')).toBeVisible();
  } },
  { name: 'no match', who: 'bwayne', open: async (page) => {
    await page.getByRole('searchbox').fill('nothing-like-this');
    await expect(page.getByText('No book found')).toBeVisible();
  } },
  { name: 'book', who: 'bwayne', open: async (page) => {
    await page.getByRole('link', { name: 'Homo faber' }).click();
    await expect(heading(page, 'Homo faber')).toBeVisible();
  } },
  { name: 'account', who: 'bwayne', open: async (page) => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  } },
  { name: 'loans', who: 'bwayne', open: async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: /My loans/ }).click();
    await expect(heading(page, 'My loans')).toBeVisible();
  } },
  { name: 'loans of all kinds', who: 'bwayne', open: async (page, stack) => {
    const [mine, late, ready, waiting] = await Promise.all(['Clean Code', 'Design Patterns', 'Homo faber', "L'Étranger"].map((title) => id(stack, title)));
    await stack.as('bwayne', 'POST', `/books/${mine}/borrow`);
    await stack.as('bwayne', 'POST', `/books/${late}/borrow`);
    for (const book of [ready, waiting]) {
      await stack.as('bbanner', 'POST', `/books/${book}/borrow`);
      await stack.as('bwayne', 'POST', `/books/${book}/holds`);
    }
    await stack.as('bbanner', 'POST', `/books/${ready}/return`);
    await stack.as('bbanner', 'POST', `/books/${late}/holds`);
    await expect(page.getByRole('status').filter({ hasText: 'Ready for you until' })).toBeVisible();
    await isForEverybody(page, 'the catalogue with something ready');
    await page.clock.setFixedTime(Date.now() + 30 * 86_400_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))); // then the page looks at the clock
    await page.getByRole('navigation').getByRole('link', { name: /My loans/ }).click();
    await expect(page.getByText('2 days overdue').first()).toBeVisible();
    await expect(page.getByText('You are next')).toBeVisible();
  } },
  { name: 'history', who: 'bwayne', open: async (page, stack) => {
    await stack.as('bwayne', 'POST', `/books/${await id(stack, 'Homo faber')}/borrow`);
    await stack.as('bwayne', 'POST', `/books/${await id(stack, 'Homo faber')}/return`);
    await page.getByRole('navigation').getByRole('link', { name: /My loans/ }).click();
    await page.getByRole('link', { name: 'Books I have read' }).click();
    await expect(page.getByText('Returned today')).toBeVisible();
  } },
  { name: 'my account', who: 'bwayne', open: async (page) => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('link', { name: 'My account' }).click();
    await expect(page.getByRole('button', { name: 'Download my data' })).toBeVisible();
  } },
  { name: 'catalogue of a curator', who: 'pparker', open: async (page) => {
    await expect(page.getByRole('link', { name: 'Add a book' })).toBeVisible();
  } },
  { name: 'form with consoleErrors', who: 'pparker', open: async (page) => {
    await page.getByRole('link', { name: 'Add a book' }).click();
    await page.getByLabel(/^ISBN/).fill('978-0-13-235088-5');
    await save(page);
    await expect(page.getByText('This field is required.').first()).toBeVisible();
  } },
  { name: 'import', who: 'pparker', open: async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: 'Import' }).click();
    await expect(heading(page, 'Import books')).toBeVisible();
  } },
  { name: 'question', who: 'pparker', open: async (page) => {
    await page.getByRole('link', { name: 'Homo faber' }).click();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  } },
  { name: 'people', who: 'ckent', open: async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
    await expect(page.getByText('Bruce Banner').first()).toBeVisible();
  } },
  { name: 'form of a person', who: 'ckent', open: async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'Add a person' }).click();
    await save(page);
    await expect(page.getByText('This field is required.').first()).toBeVisible();
  } },
  { name: 'rules', who: 'bwayne', open: async (page, stack) => {
    await stack.as('ckent', 'PUT', '/policy', { timeZone: 'Europe/Berlin', closedWeekdays: ['saturday', 'sunday'], closedDates: ['2030-12-24', '2030-12-25', '2031-05-01'] });
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('link', { name: 'Lending rules' }).click();
    await expect(page.getByText(/^A book lent today is due on /)).toBeVisible();
  } },
  { name: 'form of the rules', who: 'ckent', open: async (page, stack) => {
    const soon = Array.from({ length: 5 }, (_, i) => new Date(Date.now() + (i + 2) * 86_400_000).toISOString().slice(0, 10));
    await stack.as('ckent', 'PUT', '/policy', { timeZone: 'Europe/Berlin', closedWeekdays: ['saturday', 'sunday'], closedDates: ['2020-12-24', ...soon] });
    await page.goto('/rules/edit');
    await page.getByLabel('Loan period in days').fill('too long');
    await save(page);
    await expect(page.getByText('A whole number from 0 to 3,650.')).toBeVisible();
  } },
  { name: 'statistics', who: 'pparker', open: async (page, stack) => {
    for (const title of ['Clean Code', 'Homo faber']) await stack.as('bwayne', 'POST', `/books/${await id(stack, title)}/borrow`);
    await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Clean Code')}/holds`);
    await page.getByRole('navigation').getByRole('link', { name: 'Statistics' }).click();
    await expect(page.getByRole('img', { name: /2 loans and 0 returns/ })).toBeVisible();
    await page.getByText('The figures as a table').click();
  } },
];

for (const { name, who, open } of views) {
  test(`${name}: accessible to everybody`, async ({ page, stack }) => {
    await signIn(page, who);
    await expect(titles(page)).toHaveCount(10);
    await open(page, stack);
    await look(page, name);
  });
}

test('what is seen without signing in: accessible to everybody', core, async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await look(page, 'welcome');
});

test('what goes wrong: accessible to everybody', async ({ page, context, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), noAnswer);
  await signIn(page, 'bwayne', '/books/new');
  await expect(page.getByText('You do not have access to this page')).toBeVisible();
  await look(page, 'forbidden');
  await page.goto('/books/00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('Not found')).toBeVisible();
  await look(page, 'missing');
  await page.goto(`/books/${await id(stack, 'Clean Code')}`);
  await expect(heading(page, 'Clean Code')).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText('You are offline').first()).toBeVisible();
  await look(page, 'offline');
});

test('where signing in cannot work, it says why: accessible to everybody', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/Cross-Origin-Opener-Policy header has been ignored/);
  // Plain HTTP beyond this machine has no cryptography.
  await page.route('http://library.example/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `http://127.0.0.1:${new URL(stack.web).port}${pathname}` }) });
  });
  await page.goto('http://library.example/loans');
  await expect(heading(page, 'This address is not secure')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in' })).toHaveCount(0);
  await look(page, 'insecure');
});

test('a session that has ended: accessible to everybody', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await page.clock.install();
  await signIn(page, 'bwayne');
  await page.route('**/token', (route) => route.fulfill({
    status: 400, headers: { 'Access-Control-Allow-Origin': '*' }, json: { error: 'invalid_grant' },
  }));
  await page.clock.fastForward(290_000);
  await page.getByRole('searchbox').fill('clean');
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await look(page, 'ended');
});

test('in German everything is German, numbers and lists, too', everywhere, async ({ visitor, stack }) => {
  for (let i = 0; i < 3; i++) await stack.as('pparker', 'POST', '/books', { title: `Band ${i}`, authors: ['A', 'B'] });
  const page = await visitor({ locale: 'de-AT' });
  await page.goto('/');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByLabel('Benutzername').fill('bwayne');
  await page.getByLabel('Passwort').fill('wayne');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page.getByRole('status').filter({ hasText: '13 Bücher' })).toBeVisible();
  await expect(page.getByText('A und B').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Ausleihen' }).first()).toBeVisible();
  await look(page, 'german');
});

test('the count can be read while a search is running', async ({ page }) => {
  await signIn(page, 'bwayne');
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/books\?.*q=clean/, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/books\?.*q=clean/);
  await page.getByRole('searchbox').fill('clean');
  await asked;
  await isForEverybody(page, 'while a search is running');
  answer();
  await expect(page.getByRole('status').filter({ hasText: 'clean' })).toBeVisible();
});

test('language and appearance are a choice that is kept', async ({ page }) => {
  await signIn(page, 'bwayne');
  const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await background();
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Katalog');
  expect(await background()).toBe(dark);
});

test('the focus stays in the page when what had it vanishes', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a card that reads its book again may come too late
  await signIn(page, 'bwayne');
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await borrow(page, 'Clean Code').press('Enter');
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect(borrow(page, 'Clean Code')).toBeFocused();
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(borrow(page, 'Clean Code')).toBeFocused();
  await stack.as('pparker', 'POST', '/books', { title: 'A newcomer' });
  await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
  await expect.poll(focused).toBe('Catalogue');
  await page.getByRole('searchbox').fill('nothing-like-this');
  await page.getByRole('button', { name: 'Show all books' }).press('Enter');
  await expect.poll(focused).toBe('Catalogue');
  // Somebody else is faster: the same button now reserves.
  await borrow(page, 'Homo faber').focus();
  const { identifier } = await stack.book('Homo faber');
  await stack.as('bbanner', 'POST', `/books/${identifier}/borrow`);
  await expect(page.getByRole('button', { name: 'Reserve Homo faber' })).toBeFocused();
  await stack.as('bbanner', 'POST', `/books/${identifier}/return`);
  await expect(borrow(page, 'Homo faber')).toBeFocused();
  // It is not lent any more: the button is gone, the book is not.
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${identifier}/copies`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/copies/${copy?.identifier}`, { state: 'reference' });
  await expect.poll(focused).toBe('Homo faber');
  await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await expect.poll(focused).toBe('Catalogue');
});

test('the skip link destroys nothing', async ({ page }) => {
  await signIn(page, 'pparker', '/import');
  await page.locator('input[type=file]').setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nGood\n') });
  await expect(page.getByRole('button', { name: 'Import 1 book' })).toBeVisible();
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await skip.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await expect(page.getByRole('button', { name: 'Import 1 book' })).toBeVisible();
  await page.goto('/books/new');
  const title = page.getByLabel('Title', { exact: true });
  await title.fill('Half a Thought');
  await skip.press('Enter');
  // Not even an address typed by hand that ends in it.
  await page.evaluate(() => (location.hash = 'content'));
  await page.goBack();
  await expect(title).toHaveValue('Half a Thought');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('the skip link leads past the menu', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await page.reload();
  await expect(titles(page)).toHaveCount(10);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
  expect(page.url()).not.toContain('Skip');
});

test('with text of twice the size everything still fits', async ({ visitor }) => {
  const page = await visitor({ viewport: { width: 640, height: 640 } });
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
  await fits(page, 'the catalogue with text of twice the size');
});

test('the account menu closes when the focus goes on, and stays open within', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await expect(page.getByRole('article')).not.toHaveCount(0);
  const menu = page.getByRole('button', { name: 'Sign out' });
  await page.getByRole('button', { name: /^Account of/ }).click();
  await expect(menu).toBeVisible();
  await menu.focus();
  await page.keyboard.press('Shift+Tab');
  await expect(menu).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(menu).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(menu).toBeHidden();
  expect(await page.evaluate(() => document.activeElement?.tagName), 'the focus went on').not.toBe('BODY');
});
