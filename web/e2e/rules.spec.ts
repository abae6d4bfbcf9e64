import { answered, awayFromMidnight, everywhere, expect, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

interface Loan {
  identifier: string;
  dueAt?: string;
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const means = (page: Page) => page.getByRole('region', { name: 'What this means' }).first();
const policy = async (stack: Stack): Promise<Record<string, unknown>> => (await (await stack.as('bwayne', 'GET', '/policy')).json()) as Record<string, unknown>;

/** A day as the page says it, in a time zone. */
function say(instant: string, timeZone: string): string {
  const at = new Date(instant);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : ('numeric' as const);
  const part = (options: Intl.DateTimeFormatOptions): string => new Intl.DateTimeFormat('en-GB', { timeZone, ...options }).format(at);
  return `${part({ weekday: 'long' })}, ${part({ day: 'numeric', month: 'long', year })}`;
}

const inDays = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);

test('everybody reads the rules, and only admins change them', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('link', { name: 'Lending rules' }).click();
  await expect(heading(page, 'Lending rules')).toBeFocused();
  await expect(page.getByText(/^A book lent today is due on \w+, \d+ \w+( \d+)?, and can be renewed twice\. A copy set aside today is kept until /)).toBeVisible();
  await expect(page.getByText('Past loans', { exact: false }).or(page.getByText('The reader’s name is deleted from a loan 365 days after the return.'))).toBeVisible();
  await expect(page.getByRole('link', { name: 'Edit the rules' })).toHaveCount(0);
  await page.goto('/rules/edit');
  await expect(page.getByText('You do not have access to this page')).toBeVisible();
});

test('the sentence says what the library then does', async ({ page, stack }) => {
  await awayFromMidnight('Pacific/Auckland');
  // There are no mails yet, so the form does not mention them, and leaves what is on record.
  await stack.as('ckent', 'PUT', '/policy', { dueSoonDays: 9, overdueDays: [2, 14] });
  await signIn(page, 'ckent', '/rules');
  await page.getByRole('link', { name: 'Edit the rules' }).click();
  await expect(heading(page, 'Edit the rules')).toBeFocused();
  await expect(page.getByRole('main')).not.toContainText(/remind/i);
  const lead = means(page).getByText(/^(A book lent|Books are lent) /).first(); // the same is read out after a pause
  await page.getByLabel('Loan period in days').fill('0');
  await expect(lead).toHaveText(/^Books are lent without a due date\./);
  await page.getByLabel('Loan period in days').fill('10');
  await page.getByLabel('Renewals').fill('1');
  await expect(lead).toHaveText(/, and can be renewed once\./);
  await page.getByLabel('Days a copy is kept for pick-up').fill('4');
  await page.getByRole('checkbox', { name: 'Sunday' }).check();
  await page.getByRole('checkbox', { name: 'Saturday' }).check();
  await expect(page.getByRole('checkbox', { name: /^Readers can borrow books themselves/ })).toBeChecked();
  await page.getByRole('checkbox', { name: /^Readers can return books themselves/ }).uncheck();
  await expect(means(page)).toContainText('Books are returned at the desk.');
  await page.getByLabel('Time zone').fill('auckland');
  await page.getByLabel('Time zone').press('Tab');
  await expect(page.getByLabel('Time zone')).toHaveValue('Pacific/Auckland');
  await expect(page.getByText(/It is \w+ \d\d:\d\d there\.|It is \w+, \d\d:\d\d there\./)).toBeVisible();
  // Closed on the very days on which both would end.
  await page.getByLabel('First day').fill(inDays(3));
  await page.getByLabel('Last day').fill(inDays(12));
  await page.getByRole('button', { name: 'Close these days' }).click();
  await expect(page.getByText('10 of 400 dates')).toBeVisible();
  await page.getByRole('radio', { name: 'Keep the name' }).check({ force: true });
  await expect(means(page)).toContainText('Closed every Saturday and Sunday.');
  const sentence = await lead.innerText();
  await save(page).click();
  await said(page, 'The rules have been saved.');
  await expect(heading(page, 'Lending rules')).toBeVisible();
  await expect(page.getByText(sentence)).toBeVisible();
  const now = await policy(stack);
  expect(now).toMatchObject({ loanDays: 10, renewals: 1, holdDays: 4, timeZone: 'Pacific/Auckland', closedWeekdays: ['saturday', 'sunday'], dueSoonDays: 9, overdueDays: [2, 14], selfBorrow: true, selfReturn: false });
  expect(now).not.toHaveProperty('historyDays');

  const { identifier } = await stack.book('Clean Code');
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  const [loan] = (await (await stack.as('bwayne', 'GET', '/loans')).json()) as Loan[];
  expect(sentence).toContain(`due on ${say(loan?.dueAt ?? '', 'Pacific/Auckland')}, and`);
  await stack.as('bbanner', 'POST', `/books/${identifier}/holds`);
  await stack.as('pparker', 'POST', `/loans/${loan?.identifier}/return`);
  const [hold] = (await (await stack.as('bbanner', 'GET', '/holds')).json()) as { state: string; until?: string }[];
  expect(hold?.state).toBe('ready');
  expect(sentence).toContain(`is kept until ${say(hold?.until ?? '', 'Pacific/Auckland')}.`);
});

test('closed days are chosen with the keyboard, and listed as ranges', everywhere, async ({ page, stack }) => {
  await stack.as('ckent', 'PUT', '/policy', { closedDates: ['2020-12-24', '2020-12-25'] });
  await signIn(page, 'ckent', '/rules/edit');
  const grid = page.getByRole('grid');
  const month = (): Promise<string> => page.locator('#calendar-month').innerText();
  await expect(page.getByText('2 days are past.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove past days' }).press('Enter');
  await expect(page.getByText('No closing days yet.')).toBeVisible();
  // From the button before the calendar, Tab leads to one day: today.
  await page.getByRole('button', { name: 'Next month' }).focus();
  await page.keyboard.press('Tab');
  await expect(grid.locator('td:focus')).toHaveAttribute('aria-current', 'date');
  const first = await month();
  await page.keyboard.press('PageDown');
  expect(await month()).not.toBe(first);
  await page.keyboard.press('PageUp');
  expect(await month()).toBe(first);
  await page.keyboard.press('Shift+PageDown');
  await page.keyboard.press('Home');
  await expect(grid.locator('td:focus')).toHaveAttribute('aria-label', /^Monday, /);
  await page.keyboard.press('Space');
  await expect(grid.locator('td:focus')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Edit the rules'), 'Enter does not send the form').toBeVisible();
  const list = page.getByRole('group', { name: 'List of closing days' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(list.getByRole('listitem')).toContainText(/^Monday, .* to Tuesday, /);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await list.getByRole('button', { name: /^Open again Monday/ }).press('Enter');
  await expect(list.getByRole('button'), 'the focus goes on').toBeFocused();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  // A range that is none.
  await page.getByLabel('First day').fill('2031-07-20');
  await page.getByLabel('Last day').fill('2031-07-10');
  await page.getByRole('button', { name: 'Close these days' }).click();
  await expect(page.getByText('Enter a first day, and a last day that is not before it.')).toBeVisible();
  await page.getByLabel('Last day').fill('2039-07-20');
  await page.getByRole('button', { name: 'Close these days' }).click();
  await expect(page.getByText('At most 400 dates.')).toBeVisible();
  await page.getByLabel('Last day').fill('2031-08-02');
  await page.getByLabel('Last day').press('Enter');
  await expect(list).toContainText('Sunday, 20 July 2031 to Saturday, 2 August 2031');
  await save(page).click();
  await said(page, 'The rules have been saved.');
  expect((await policy(stack)).closedDates).toHaveLength(15);
  await expect(page.getByText('Sunday, 20 July 2031 to Saturday, 2 August 2031 (14 days)')).toBeVisible();
});

test('what is wrong is said at its field, what is typed is not lost, and a newer version is compared', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412), answered(400));
  await signIn(page, 'ckent', '/rules/edit');
  const loanDays = page.getByLabel('Loan period in days');
  await loanDays.fill('3651');
  await page.getByLabel('Time zone').fill('Gotham City');
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']) await page.getByRole('checkbox', { name: day }).check();
  await save(page).click();
  await expect(page.getByText('3 fields need another look.')).toBeVisible();
  await expect(loanDays).toBeFocused();
  await expect(loanDays).toHaveAccessibleDescription(/A whole number from 0 to 3,650\./);
  await expect(page.getByLabel('Time zone')).toHaveAccessibleDescription(/There is no such time zone/);
  await expect(page.getByText('At least one day of the week must be open.')).toBeVisible();
  await loanDays.fill('14');
  await expect(loanDays).not.toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('checkbox', { name: 'Monday' }).uncheck();
  await page.getByLabel('Time zone').fill('UTC');
  // Leaving asks first.
  await page.getByRole('navigation').getByRole('link', { name: 'Catalogue' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Keep editing' }).click();
  // What the library alone finds wrong is at the field, too.
  await page.route('**/policy', (route) => route.request().method() !== 'PUT' ? route.continue() : route.fulfill({
    status: 400, headers: { 'Access-Control-Allow-Origin': '*' },
    json: { status: 400, code: 'invalid', message: 'x', details: [{ field: 'holdDays', code: 'out_of_range', least: 1, limit: 60, message: 'x' }] },
  }));
  await save(page).click();
  await expect(page.getByText('Days a copy is kept for pick-up is not a whole number from 1 to 60')).toBeVisible();
  await page.unroute('**/policy');
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 21, closedDates: ['2030-12-24', '2030-12-25'] });
  await save(page).click();
  await expect(page.getByText('Somebody else has changed this meanwhile').first()).toBeVisible();
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) }).getByRole('cell');
  await expect(row('Loan period in days')).toHaveText(['14', '21']);
  await expect(row('Closed dates')).toHaveText(['nothing', 'Tuesday, 24 December 2030 to Wednesday, 25 December 2030']);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await said(page, 'The rules have been saved.');
  expect(await policy(stack)).toMatchObject({ loanDays: 14, closedDates: [] });
});

test('the page of a book says until when this reader could keep it', async ({ page, stack, consoleErrors }) => {
  await stack.as('ckent', 'PUT', '/policy', { rules: [{ name: 'Short', kinds: ['book'], loanDays: 3 }] });
  const book = await stack.book('Clean Code');
  const could = page.getByText(/^You could keep it until /);
  const read = page.getByText('Available', { exact: true });
  await signIn(page, 'bwayne', `/books/${book.identifier}`);
  const { dueAt } = (await (await stack.as('bwayne', 'GET', `/policy/effective?book=${book.identifier}`)).json()) as { dueAt: string };
  await expect(could).toHaveText(`You could keep it until ${say(dueAt, 'UTC')}.`);
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 0 });
  const asked = page.waitForResponse(/policy\/effective/);
  await page.reload();
  await asked;
  await expect(read).toBeVisible();
  await expect(could).toHaveCount(0);
  consoleErrors.expect(answered(500));
  await page.route('**/policy/effective?*', (route) => route.fulfill({ status: 500 }));
  const failed = page.waitForResponse(/policy\/effective/);
  await page.reload();
  await failed;
  await expect(read).toBeVisible();
  await expect(could).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('rules for some people and books are sentences in their order', async ({ page, stack }) => {
  await stack.as('ckent', 'PUT', '/policy', { rules: [{ name: 'Films', kinds: ['film'], categories: ['pupil'], loanDays: 3 }, { name: 'Devices', kinds: ['device'], lend: false }] });
  await signIn(page, 'bwayne', '/rules');
  await expect(page.getByRole('heading', { name: 'For some people and books' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: /for pupil|for everybody/ })).toHaveText([/^Films\s*Films for pupil: lent for 3 days\.$/, /^Devices\s*Devices for everybody: not lent\.$/]);
});
