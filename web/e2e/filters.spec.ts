import { expect, look, type Page, signIn, test, type Stack } from './support/fixtures';
import { card, heading, titles } from './support/elements';

/** Three books with all that can be filtered by. */
async function shelf(stack: Stack): Promise<void> {
  await stack.as('pparker', 'POST', '/imports/books', [
    { title: 'The Machine', authors: ['Ada Lovelace'], language: 'en', published: 1843, subjects: ['Engines', 'Numbers'], series: 'Notes', volume: '1' },
    { title: 'Machine Dreams', authors: ['Ada Lovelace', 'Bob'], language: 'de', published: 1990, subjects: ['Engines'] },
    { title: 'A Dream of Numbers', authors: ['Eve'], published: 2001, subjects: ['Machines'], series: 'Notes', volume: '2' },
  ]);
}

const filter = (page: Page) => page.getByRole('form', { name: 'Filter the catalogue' });

test('the catalogue is filtered by subject, language, series and years, each of which can be removed', async ({ page, stack }) => {
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
  await page.getByRole('link', { name: 'Ada Lovelace' }).click();
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
  await order.selectOption('Latest year');
  await expect(titles(page)).toHaveText(['A Dream of Numbers', 'Machine Dreams', 'The Machine']);
  await order.selectOption('Earliest year');
  await expect(titles(page)).toHaveText(['The Machine', 'Machine Dreams', 'A Dream of Numbers']);
  await page.getByRole('searchbox').fill('978-0-13-235088-4');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Clean Code')).toBeVisible();
});

test('what is typed is answered with suggestions, which the keyboard reaches', async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne');
  await page.getByRole('searchbox').fill('love');
  const row = page.getByRole('group', { name: 'Suggestions' });
  await expect(row.getByRole('button')).toHaveText([/Author\s*Ada Lovelace/]);
  await look(page, 'suggestions');
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('ArrowDown');
  await expect(row.getByRole('button')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?author=Ada\+Lovelace$/);
  await expect(titles(page)).toHaveText(['Machine Dreams', 'The Machine']);
  await page.getByRole('searchbox').fill('clean');
  await row.getByRole('button', { name: 'Book Clean Code' }).click();
  await expect(heading(page, 'Clean Code')).toBeVisible();
});

test('a public catalogue is read by everybody, who sign in to borrow', async ({ page, stack }) => {
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
