import { answered, everywhere, expect, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

const rules = (page: Page) => page.getByRole('region', { name: 'For some people and books' });
const trial = (page: Page) => page.getByRole('region', { name: 'What would have happened' });
const ask = (page: Page) => trial(page).getByRole('button', { name: 'Try with the last year' });
const fields = (page: Page, name: string) => rules(page).getByRole('group', { name, exact: true });
const outdated = (page: Page) => trial(page).getByText('Something was changed since. Try again.');

/** Bruce Wayne is a pupil and has three books. */
async function lend(stack: Stack): Promise<void> {
  const [wayne] = (await (await stack.as('ckent', 'GET', '/users?q=wayne')).json()) as { identifier: string }[];
  const record = (await (await stack.as('ckent', 'GET', `/users/${wayne?.identifier}`)).json()) as object;
  await stack.as('ckent', 'PUT', `/users/${wayne?.identifier}`, { ...record, category: 'pupil' });
  for (const title of ['Clean Code', 'Homo faber', 'Design Patterns']) await stack.as('bwayne', 'POST', `/books/${(await stack.book(title)).identifier}/borrow`);
}

const pupils = { name: 'Pupils', categories: ['pupil'], loanDays: 28 };

test('before they are saved, rules are tried with the last year', everywhere, async ({ page, stack }) => {
  await lend(stack);
  await stack.as('ckent', 'PUT', '/policy', { rules: [pupils] });
  await signIn(page, 'ckent', '/rules/edit');
  await ask(page).click();
  await said(page, 'Nothing would have been different.');
  await expect(trial(page)).toContainText(/Looked at 3 loans and 0 reservations since \d+ \w+ \d{4}\./);
  await page.getByRole('button', { name: 'Edit Pupils' }).click();
  await fields(page, 'Pupils').getByLabel('Loans per reader').fill('1');
  await expect(outdated(page)).toBeVisible();
  await fields(page, 'Pupils').getByLabel('Loan period in days').fill('14');
  await rules(page).getByRole('button', { name: 'Add a rule' }).click();
  await fields(page, 'New rule').getByLabel('Name of the rule').fill('More pupils');
  await fields(page, 'More pupils').getByRole('checkbox', { name: 'pupil' }).check();
  await fields(page, 'More pupils').getByLabel('Loan period in days').fill('7');
  await ask(page).press('Enter');
  await said(page, '2 loans of the last year would have been refused, all to “pupil”.');
  await expect(ask(page)).toBeFocused();
  await expect(outdated(page)).toHaveCount(0);
  await expect(trial(page).getByRole('status')).toContainText('Reason: the limit of the rule “Pupils”');
  await expect(trial(page).getByRole('status')).toContainText('1 loan would have been due earlier, by 14 days.');
  await expect(trial(page).getByRole('status')).toContainText('The rule “More pupils” never has an effect, because others come first: “Pupils”.');
  await trial(page).getByText('The latest refused loans').click();
  await expect(trial(page).getByText(/^\d+ \w+ \d{4}: Bruce Wayne, “(Clean Code|Homo faber|Design Patterns)”$/)).toHaveCount(2);
  const { rules: now } = (await (await stack.as('ckent', 'GET', '/policy')).json()) as { rules: object[] };
  expect(now, 'a trial changes nothing').toEqual([pupils]);
  // What was tried is what Save then sends.
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, 'The rules have been saved.');
  await expect(page.getByRole('listitem').filter({ hasText: /^Pupils/ })).toContainText('Everything for pupil: lent for 14 days, at most 1 at once.');
});

test('a trial of rules that are wrong shows where, and one that fails says why', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(400), answered(503));
  await stack.as('ckent', 'PUT', '/policy', { rules: [pupils, { name: 'Summer', categories: ['pupil'], until: '2099-07-02' }] });
  await signIn(page, 'ckent', '/rules/edit');
  await page.getByRole('button', { name: 'Edit Pupils' }).click();
  const days = fields(page, 'Pupils').getByLabel('Loan period in days');
  await days.fill('3651');
  await page.getByRole('button', { name: 'Edit Pupils' }).click();
  await expect(days).toHaveCount(0);
  let asked = 0;
  const answer = (status: number, json: object) => page.route('**/policy/trial', (route) => {
    asked++;
    return route.fulfill({ status, headers: { 'Access-Control-Allow-Origin': '*' }, json });
  });
  await answer(400, { status: 400, code: 'invalid', message: 'x', details: [{ field: 'rules[1].until', code: 'out_of_range', message: 'is in the past' }] });
  await ask(page).click();
  await expect(days).toBeFocused();
  expect(asked, 'nothing is asked while something is wrong').toBe(0);
  await days.fill('28');
  await ask(page).click();
  const until = fields(page, 'Summer').getByLabel('Due on this day at the latest');
  await expect(until).toBeFocused();
  await expect(until).toHaveAccessibleDescription(/This day is over\./);
  expect(asked).toBe(1);
  await until.fill('2099-07-03');
  await page.unroute('**/policy/trial');
  await answer(503, { status: 503, code: 'overloaded', message: 'x' });
  await ask(page).click();
  await expect(trial(page).getByRole('alert')).toBeVisible();
  await expect(heading(page, 'Edit the rules')).toBeVisible();
  // While it is asked the button says so, and what is typed counts.
  await page.unroute('**/policy/trial');
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route('**/policy/trial', async (route) => {
    await held;
    await route.continue();
  });
  await ask(page).click();
  await expect(trial(page).getByRole('button', { name: 'Trying …' })).toHaveAttribute('aria-disabled', 'true');
  await expect(trial(page).getByRole('alert')).toHaveCount(0);
  await until.fill('2099-07-04');
  go();
  await expect(outdated(page)).toBeVisible();
});

test('a trial in German: accessible to everybody', async ({ page, stack }) => {
  await lend(stack);
  await stack.as('ckent', 'PUT', '/policy', { maxLoans: 0, rules: [pupils] });
  await signIn(page, 'ckent', '/rules/edit');
  await page.evaluate(() => localStorage.setItem('library.language', 'de'));
  await page.reload();
  await page.getByRole('button', { name: 'Pupils bearbeiten' }).or(page.getByRole('button', { name: 'Bearbeiten Pupils' })).click();
  const group = page.getByRole('group', { name: 'Pupils', exact: true });
  await group.getByLabel('Ausleihen pro Person').fill('1');
  await group.getByRole('button', { name: 'Fertig' }).click();
  await page.getByRole('button', { name: 'Am letzten Jahr ausprobieren' }).click();
  await said(page, '2 Ausleihen des letzten Jahres wären abgelehnt worden, alle bei „pupil“.');
  await page.getByText('Die letzten abgelehnten Ausleihen').click();
  await page.getByRole('button', { name: 'Pupils nach unten' }).press('Alt+ArrowDown');
  await group.or(page.getByRole('button', { name: 'Regel hinzufügen' })).first().click();
  await look(page, 'trial of the rules');
});
