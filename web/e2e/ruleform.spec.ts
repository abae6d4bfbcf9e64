import { answered, everywhere, expect, fits, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const rules = (page: Page) => page.getByRole('region', { name: 'For some people and books' });
const row = (page: Page, name: string) => rules(page).getByRole('listitem').filter({ has: page.locator('bdi').filter({ hasText: new RegExp(`^${name}$`) }) });
const fields = (page: Page, name: string) => rules(page).getByRole('group', { name, exact: true });
const faultOf = (page: Page, name: string) => row(page, name).getByText('This rule needs another look.');
const stored = async (stack: Stack): Promise<{ name: string }[]> => ((await (await stack.as('ckent', 'GET', '/policy')).json()) as { rules: { name: string }[] }).rules;

const three = [
  { name: 'Films', kinds: ['film'], loanDays: 3, renewals: 0 },
  { name: 'Guests', categories: ['guest'], maxLoans: 1 },
  { name: 'Summer', categories: ['pupil', 'Upper school'], until: '2099-07-02' },
];

async function open(page: Page, stack: Stack, some: object[]): Promise<void> {
  await stack.as('ckent', 'PUT', '/policy', { rules: some });
  await signIn(page, 'ckent', '/rules/edit');
  await expect(heading(page, 'Edit the rules')).toBeVisible();
}

test('a rule is added, moved and saved by keyboard alone', everywhere, async ({ page, stack }) => {
  await stack.as('ckent', 'POST', '/users', { email: 'anna@example.com', firstName: 'Anna', lastName: 'Abel', category: 'pupil' });
  await open(page, stack, three.slice(0, 2));
  await rules(page).getByRole('button', { name: 'Add a rule' }).focus();
  await page.keyboard.press('Enter');
  const added = fields(page, 'New rule');
  await expect(added.getByLabel('Name of the rule')).toBeFocused();
  await page.keyboard.type('Films of pupils');
  const now = fields(page, 'Films of pupils');
  // Categories in use are there to choose; another one is typed.
  await expect(now.getByRole('checkbox', { name: 'pupil', exact: true })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(now.getByRole('checkbox', { name: 'guest' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Upper school');
  await page.keyboard.press('Enter');
  await expect(now.getByRole('checkbox', { name: 'Upper school' })).toBeChecked();
  await now.getByRole('checkbox', { name: 'Films' }).focus();
  await page.keyboard.press('Space');
  await now.getByLabel('Loan period in days').focus();
  await page.keyboard.type('7');
  await now.getByRole('radio', { name: 'as otherwise' }).last().focus();
  await page.keyboard.press('ArrowRight');
  await expect(row(page, 'Films of pupils')).toContainText('Films for pupil and Upper school: may be lent, lent for 7 days.');
  await now.getByLabel('Loan period in days').press('Enter');
  await expect(now, 'Enter is done with the rule').toHaveCount(0);
  const edit = page.getByRole('button', { name: 'Edit Films of pupils' });
  await expect(edit).toBeFocused();
  await page.keyboard.press('Alt+ArrowUp');
  await said(page, 'Films of pupils is now in place 2.');
  await expect(edit).toBeFocused();
  const up = page.getByRole('button', { name: 'Move Films of pupils up' });
  await up.press('Enter');
  await expect(up, 'the focus stays').toBeFocused();
  await expect(up).toHaveAttribute('aria-disabled', 'true');
  await up.press('Enter');
  await save(page).press('Enter');
  await said(page, 'The rules have been saved.');
  expect(await stored(stack)).toEqual([{ name: 'Films of pupils', categories: ['pupil', 'Upper school'], kinds: ['film'], loanDays: 7, lend: true }, ...three.slice(0, 2)]);
  await expect(page.getByRole('listitem').filter({ hasText: 'Films of pupils' })).toContainText('lent for 7 days');
});

test('a rule is checked while it is typed, and what it lacks is said when somebody is done', async ({ page, stack }) => {
  await open(page, stack, three);
  await rules(page).getByRole('button', { name: 'Add a rule' }).click();
  const added = fields(page, 'New rule');
  await expect(added.locator('[aria-invalid=true]')).toHaveCount(0);
  await added.getByRole('button', { name: 'Done' }).click();
  await expect(added.getByLabel('Name of the rule')).toBeFocused();
  await expect(added.getByLabel('Name of the rule')).toHaveAccessibleDescription(/This field is required\./);
  await expect(added.getByText('Choose people or books.')).toBeVisible();
  await expect(added.getByText('A rule needs at least one of these.')).toBeVisible();
  await added.getByLabel('Name of the rule').fill('FILMS');
  const named = fields(page, 'FILMS');
  await expect(named.getByLabel('Name of the rule')).toHaveAccessibleDescription(/Another rule has this name\./);
  await named.getByLabel('Due on this day at the latest').fill('2020-01-01');
  await expect(named.getByLabel('Due on this day at the latest')).toHaveAccessibleDescription(/This day is over\./);
  await named.getByLabel('Renewals').fill('100');
  await expect(named.getByLabel('Renewals')).toHaveAccessibleDescription(/A whole number from 0 to 99\./);
  await save(page).click();
  await expect(page.getByText('One field needs another look.')).toBeVisible();
  await expect(named.getByLabel('Name of the rule')).toBeFocused();
  await expect(faultOf(page, 'Films')).toHaveCount(0);
  await expect(faultOf(page, 'FILMS')).toBeVisible();
  // Removed by mistake, and back.
  await row(page, 'FILMS').getByRole('button', { name: 'Remove FILMS' }).click();
  await expect(faultOf(page, 'FILMS')).toHaveCount(0);
  await expect(rules(page).getByRole('button', { name: 'Undo' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(faultOf(page, 'FILMS')).toBeVisible();
});

test('what the library alone finds wrong is at the rule that it means, also after it has moved', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await open(page, stack, three);
  await page.getByRole('button', { name: 'Move Summer up' }).click();
  await page.route('**/policy', (route) => route.request().method() !== 'PUT' ? route.continue() : route.fulfill({
    status: 400, headers: { 'Access-Control-Allow-Origin': '*' },
    json: { status: 400, code: 'invalid', message: 'x', details: [{ field: 'rules[1].until', code: 'out_of_range', message: 'is in the past' }] },
  }));
  await save(page).click();
  const until = fields(page, 'Summer').getByLabel('Due on this day at the latest');
  await expect(until).toBeFocused();
  await expect(until).toHaveAccessibleDescription(/This day is over\./);
  await expect(rules(page).getByText('This rule needs another look.')).toHaveCount(1);
  await page.getByRole('button', { name: 'Move Summer down' }).click();
  await expect(until).toHaveAccessibleDescription(/This day is over\./);
  await until.fill('2099-07-03');
  await expect(until).not.toHaveAttribute('aria-invalid', 'true');
  await page.unroute('**/policy');
  await save(page).click();
  await said(page, 'The rules have been saved.');
  expect(await stored(stack)).toEqual([...three.slice(0, 2), { ...three[2], until: '2099-07-03' }]);
});

test('rules that somebody else has changed meanwhile are compared as sentences', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412));
  await open(page, stack, three.slice(0, 1));
  await page.getByRole('button', { name: 'Edit Films' }).click();
  await fields(page, 'Films').getByLabel('Loan period in days').fill('5');
  await stack.as('ckent', 'PUT', '/policy', { rules: three.slice(1, 2) });
  await save(page).click();
  await expect(page.getByText('Somebody else has changed this meanwhile').first()).toBeVisible();
  const compared = page.getByRole('row', { name: /^For some people and books / }).getByRole('cell');
  await expect(compared).toHaveText([/^Films: Films for everybody: lent for 5 days, not renewed\.$/, /^Guests: Everything for guest: at most 1 at once\.$/]);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await said(page, 'The rules have been saved.');
  expect(await stored(stack)).toEqual([{ ...three[0], loanDays: 5 }]);
});

test('there are at most 50 rules', async ({ page, stack }) => {
  await open(page, stack, Array.from({ length: 50 }, (_, i) => ({ name: `Rule ${i}`, kinds: ['film'], loanDays: i })));
  await expect(rules(page).getByText('At most 50 rules.')).toBeVisible();
  await rules(page).getByRole('button', { name: 'Add a rule' }).click({ force: true });
  await expect(rules(page).getByRole('listitem')).toHaveCount(50);
});

test('the rules of a form: accessible to everybody, and narrow enough', async ({ page, stack }) => {
  await open(page, stack, [...three, { name: 'Donaudampfschifffahrtsgesellschaftskapitän', categories: ['Wolfeschlegelsteinhausenbergerdorff'], kinds: ['device', 'other'], lend: false }]);
  await page.getByRole('button', { name: 'Edit Films' }).click();
  await fields(page, 'Films').getByLabel('Renewals').fill('100');
  await rules(page).getByRole('button', { name: 'Add a rule' }).click();
  await fields(page, 'New rule').getByRole('button', { name: 'Done' }).click();
  await look(page, 'rules being edited');
  await page.setViewportSize({ width: 305, height: 640 });
  await fits(page, 'rules being edited');
});
