import { answered, core, expect, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { card, heading, said, titles } from './support/elements';

/** Three books with all that can be filtered by. */
async function shelf(stack: Stack): Promise<void> {
  await stack.as('pparker', 'POST', '/imports/books', [
    { title: 'The Machine', authors: ['Ada Lovelace'], language: 'en', published: 1843, subjects: ['Engines', 'Numbers'], series: 'Notes', volume: '1' },
    { title: 'Machine Dreams', authors: ['Ada Lovelace', 'Bob'], language: 'de', published: 1990, subjects: ['Engines'] },
    { title: 'A Dream of Numbers', authors: ['Eve'], published: 2001, subjects: ['Machines'], series: 'Notes', volume: '2' },
  ]);
}

const filter = (page: Page) => page.getByRole('form', { name: 'Filter the catalogue' });

test('the catalogue is filtered by subject, language, series and years, each of which can be removed', core, async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await filter(page).getByLabel('Subject').fill('engines');
  await filter(page).getByRole('button', { name: 'Apply' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams', 'The Machine']);
  await filter(page).getByLabel('Subject').fill('Numbers');
  await page.keyboard.press('Enter');
  await expect(titles(page)).toHaveText(['The Machine']);
  await expect(page).toHaveURL(/\?subject=engines&subject=Numbers$/);
  await page.getByRole('button', { name: 'Remove Subject: Numbers' }).click();
  await page.getByRole('button', { name: 'Remove Subject: engines' }).click();
  await filter(page).getByLabel('From year').fill('1950');
  await filter(page).getByLabel('To year').fill('1999');
  await filter(page).getByLabel('Language').selectOption('German');
  await filter(page).getByRole('button', { name: 'Apply' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams']);
  await expect(page.getByRole('button', { name: 'Remove Language: German' })).toBeVisible();
  await look(page, 'filters');
  await page.goBack();
  await expect(card(page, 'Clean Code')).toBeVisible();
});

test('authors, series and subjects of a book lead to the others', async ({ page, stack }) => {
  await shelf(stack);
  const { identifier } = await stack.book('The Machine');
  await signIn(page, 'bwayne', `/books/${identifier}`);
  await page.getByRole('link', { name: 'Notes' }).click();
  await expect(titles(page)).toHaveText(['A Dream of Numbers', 'The Machine']);
  await page.goto(`/books/${identifier}`);
  await page.getByRole('link', { name: 'Engines' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams', 'The Machine']);
  await page.goto(`/books/${identifier}`);
  await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams', 'The Machine']);
});

test('words are answered with the best first unless an order is chosen, and an ISBN with its book', async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne', '/?q=machine');
  await expect(titles(page)).toHaveText(['The Machine', 'Machine Dreams', 'A Dream of Numbers']);
  const order = page.getByRole('combobox', { name: 'Sort by' });
  await expect(order).toHaveValue('');
  await order.selectOption('Title, A–Z');
  await expect(titles(page)).toHaveText(['A Dream of Numbers', 'Machine Dreams', 'The Machine']);
  await order.selectOption('Year (newest first)');
  await expect(titles(page)).toHaveText(['A Dream of Numbers', 'Machine Dreams', 'The Machine']);
  await order.selectOption('Year (oldest first)');
  await expect(titles(page)).toHaveText(['The Machine', 'Machine Dreams', 'A Dream of Numbers']);
  await page.getByRole('searchbox').fill('978-0-13-235088-4');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Clean Code')).toBeVisible();
});

test('what is typed is answered with a list of suggestions, in which the arrow keys choose', async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne');
  await page.getByRole('searchbox').fill('love');
  const list = page.getByRole('listbox', { name: 'Suggestions' });
  const option = list.getByRole('option', { name: 'Ada Lovelace Author' });
  await expect(list.getByRole('option')).toHaveCount(1);
  await said(page, '1 suggestion: press the down arrow');
  await page.keyboard.press('ArrowDown');
  await expect(option).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('searchbox'), 'the focus stays in the box, which says what is chosen').toBeFocused();
  await expect(page.getByRole('searchbox')).toHaveAttribute('aria-activedescendant', (await option.getAttribute('id')) ?? '');
  await look(page, 'suggestions');
  await page.keyboard.press('ArrowDown');
  await expect(option, 'after the last entry comes the box').toHaveAttribute('aria-selected', 'false');
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(page.getByRole('searchbox'), 'Escape closes the list alone').toHaveValue('love');
  await page.keyboard.type('l');
  await expect(option).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?author=Ada\+Lovelace$/);
  await expect(titles(page)).toHaveText(['Machine Dreams', 'The Machine']);
  await page.getByRole('searchbox').fill('clean');
  await list.getByRole('option', { name: 'Clean Code Book' }).click();
  await expect(heading(page, 'Clean Code')).toBeVisible();
});

test('a public catalogue is read by everybody, who sign in to borrow', core, async ({ page, stack }) => {
  await stack.reset('--public-catalogue', '--web', '--web-addr', `127.0.0.1:${new URL(stack.web).port}`, '--web-api', stack.api);
  const asked: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/library-server/') && request.method() !== 'OPTIONS') asked.push(request.headers().authorization);
  });
  const { identifier } = await stack.book('Clean Code');
  await page.goto(`/books/${identifier}`);
  await expect(heading(page, 'Clean Code')).toBeVisible();
  await expect(page.getByText('Available', { exact: true })).toBeVisible();
  await look(page, 'public book');
  await page.goto('/?q=clean');
  await expect(titles(page)).toHaveText(['Clean Code']);
  await expect(page.getByRole('button', { name: /^(Borrow|Account)/ })).toHaveCount(0);
  await look(page, 'public catalogue');
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.every((authorization) => authorization === undefined)).toBe(true);
  // What is for readers still asks to sign in.
  await page.goto('/loans');
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await page.goto('/?q=clean');
  await page.getByRole('button', { name: 'Sign in to borrow' }).click();
  await expect(page.getByLabel('User name')).toBeVisible();
});

test('whoever cannot sign in still reads a public catalogue', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_FAILED|Failed to load/);
  await stack.reset('--public-catalogue', '--web', '--web-addr', `127.0.0.1:${new URL(stack.web).port}`, '--web-api', stack.api);
  await page.route('**/.well-known/openid-configuration', (route) => route.abort());
  await page.goto('/');
  await expect(titles(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Sign in to borrow' }).click();
  await said(page, 'It cannot be reached from this page.');
  await expect(titles(page).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in to borrow' })).toBeVisible();
});

test('/ reaches the search box from a radio button and a list box', async ({ page }) => {
  await signIn(page, 'bwayne');
  for (const control of [page.getByRole('radio', { name: 'Available' }), page.getByLabel('Sort by')]) {
    await control.focus();
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox')).toBeFocused();
  }
});

test('long words of a language do not cover the button beside them', async ({ page }) => {
  await signIn(page, 'bwayne');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await page.keyboard.press('Escape');
  for (const width of [384, 390, 411]) {
    await page.setViewportSize({ width, height: 800 });
    const [radios, sort] = await Promise.all([page.locator('.filters .pick label').last().boundingBox(), page.locator('.filters select').boundingBox()]);
    if (!radios || !sort) throw new Error('not shown');
    expect(sort.y >= radios.y + radios.height || sort.x >= radios.x + radios.width, `${width} px`).toBe(true);
  }
});

test('an address with bad filters says which ones, and goes on without them', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await signIn(page, 'bwayne', '/?from=abc&language=no%20language&show=available');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('This filter is not valid: From year “abc”. A year is a number from 1 to 9999.');
  await expect(alert).toContainText('This filter is not valid: Language “no language”.');
  await expect(page.getByText('That did not work')).toBeHidden();
  await alert.getByRole('button', { name: 'Search without it' }).click();
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect(page).toHaveURL(/\/\?show=available$/);
});
