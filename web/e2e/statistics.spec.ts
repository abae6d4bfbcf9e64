import { answered, everywhere, expect, type Page, signIn, test } from './support/fixtures';
import { heading } from './support/elements';

const number = (page: Page, name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) }).getByRole('definition');

test('staff see how the library is used, and nobody else does', everywhere, async ({ page, stack, visitor }) => {
  const [code, homo] = await Promise.all([stack.book('Clean Code'), stack.book('Homo faber')]);
  for (let i = 0; i < 2; i++) {
    await stack.as('bwayne', 'POST', `/books/${code.identifier}/borrow`);
    await stack.as('bwayne', 'POST', `/books/${code.identifier}/return`);
  }
  await stack.as('bwayne', 'POST', `/books/${homo.identifier}/borrow`);
  await stack.as('bbanner', 'POST', `/books/${homo.identifier}/holds`);
  await signIn(page, 'pparker');
  await page.getByRole('navigation').getByRole('link', { name: 'Statistics' }).click();
  await expect(heading(page, 'Statistics')).toBeFocused();
  for (const [name, value] of [['books', '10'], ['copies to lend', '10'], ['on loan', '1'], ['overdue', '0'], ['waiting', '1'], ['set aside', '0']] as const) {
    await expect(number(page, name)).toHaveText(value);
  }
  const lending = page.getByRole('region', { name: 'Loans and returns per month' });
  await expect(lending.getByRole('img')).toHaveAccessibleName(/3 loans and 2 returns in this time\. Most loans: .* \(3\)\. The figures are in the table below\./);
  await lending.getByText('The figures as a table').click();
  const table = lending.getByRole('table');
  await expect(table.getByRole('row')).toHaveCount(14); // names, twelve months, sums
  await expect(table.getByRole('row').nth(12)).toContainText(/\d{4}32$/);
  await expect(table.getByRole('row').last()).toHaveText('Total32');
  const most = page.getByRole('table', { name: 'Most borrowed' });
  await expect(most.getByRole('row').nth(1)).toContainText(/^Clean Code .*2$/s);
  await expect(most.getByRole('row').nth(2)).toContainText('Homo faber');
  await expect(page.getByRole('table', { name: 'Queues' }).getByRole('row').nth(1).getByRole('cell')).toHaveText(['1', '0']);
  await expect(page.getByText('8 of 10 books have never been lent')).toBeVisible();
  await most.getByRole('link', { name: 'Clean Code' }).click();
  await expect(heading(page, 'Clean Code')).toBeVisible();
  await page.goBack();
  await expect(heading(page, 'Statistics')).toBeVisible();

  const reader = await visitor();
  await signIn(reader, 'bwayne', '/statistics');
  await expect(reader.getByText('You do not have access to this page')).toBeVisible();
  await reader.getByRole('button', { name: /^Account of/ }).click();
  await expect(reader.getByRole('link', { name: 'Statistics' })).toHaveCount(0);
});

test('the time is chosen, and is in the address', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await signIn(page, 'ckent', '/statistics?by=week&from=2026-01-01&to=2026-03-31');
  const plot = page.getByRole('img', { name: /^Loans and returns/ });
  await expect(plot).toHaveAccessibleName(/^Loans and returns per week, 1 January 2026 to 31 March 2026\. Nothing was lent or returned in this time\./);
  await expect(page.getByLabel('From')).toHaveValue('2026-01-01');
  await page.getByRole('radio', { name: 'Day', exact: true }).check({ force: true });
  await expect(plot).toHaveAccessibleName(/per day/);
  expect(new URL(page.url()).search).toBe('?by=day&from=2026-01-01&to=2026-03-31');
  await page.reload();
  await expect(plot).toHaveAccessibleName(/per day, 1 January 2026/);
  await page.getByLabel('To', { exact: true }).fill('2025-12-31');
  await expect(page.getByRole('alert').filter({ hasText: 'The last day is before the first.' })).toBeVisible();
  await expect(plot, 'what is shown is still good').toHaveAccessibleName(/1 January 2026 to 31 March 2026/);
  await page.getByLabel('From').fill('2020-01-01');
  await expect(page.getByRole('alert').filter({ hasText: 'more than 400 periods' })).toBeVisible();
  await page.getByRole('radio', { name: '12 weeks' }).check({ force: true });
  await expect(plot).toHaveAccessibleName(/per week/);
  await expect(page.getByRole('alert').filter({ hasText: 'periods' })).toHaveCount(0);
  await page.getByText('The figures as a table').click();
  await expect(page.getByRole('table', { name: 'Loans and returns per week' }).getByRole('row')).toHaveCount(14);
  await page.getByRole('radio', { name: '12 months' }).check({ force: true });
  await expect(plot).toHaveAccessibleName(/per month/);
  expect(new URL(page.url()).search).toBe('');
});

test('on paper there is no form, and the figures are there', async ({ page, stack }) => {
  const { identifier } = await stack.book('Clean Code');
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  await signIn(page, 'pparker', '/statistics');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await page.keyboard.press('Escape');
  const table = page.getByRole('table', { name: 'Loans and returns per month' });
  await expect(table).toBeHidden();
  const paper = await page.pdf(); // makes the page lay itself out for printing
  expect(paper.length).toBeGreaterThan(5000);
  await page.emulateMedia({ media: 'print' });
  await expect(table).toBeVisible();
  await expect(page.getByRole('img', { name: /^Loans and returns/ })).toBeVisible();
  await expect(page.getByLabel('From')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  expect(await heading(page, 'Statistics').evaluate((h) => getComputedStyle(h).color), 'dark letters on paper').toBe('rgb(33, 32, 28)');
});
