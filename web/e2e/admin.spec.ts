import { answered, core, everywhere, expect, look, signIn, test, type Page } from './support/fixtures';
import { heading, said } from './support/elements';

/** The row of somebody in the list of people. */
const row = (page: Page, name: string) => page.getByRole('row').or(page.getByRole('listitem')).filter({ hasText: name });

test('an admin sees everybody and finds somebody', core, async ({ page }) => {
  await signIn(page, 'ckent');
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(heading(page, 'People')).toBeFocused();
  for (const name of ['Bruce Wayne', 'Bruce Banner', 'Peter Parker', 'Clark Kent']) await expect(row(page, name)).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '5 people' })).toBeVisible();
  await page.getByRole('searchbox').fill('bann');
  await expect(row(page, 'Bruce Banner')).toBeVisible();
  await expect(row(page, 'Bruce Wayne')).toHaveCount(0);
  await page.getByRole('searchbox').fill('nobody-like-this');
  await expect(page.getByText('Nobody found')).toBeVisible();
});

test('an admin adds somebody, who is then known', everywhere, async ({ page, visitor }) => {
  await signIn(page, 'ckent', '/users');
  await page.getByRole('link', { name: 'Add a person' }).click();
  await expect(heading(page, 'Add a person')).toBeFocused();
  await page.getByLabel('E-mail address').fill('diana.prince@example.com');
  await page.getByLabel('First name').fill('Diana');
  await page.getByLabel('Last name').fill('Prince');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Diana Prince” was added.');
  await expect(row(page, 'Diana Prince')).toBeVisible();
  const diana = await visitor();
  await signIn(diana, 'dprince');
  await expect(heading(diana, 'Catalogue')).toBeVisible();
});

test('an admin makes a station, which is in no list of readers', async ({ page, stack }) => {
  await signIn(page, 'ckent', '/users/new');
  await page.getByLabel('E-mail address').fill('door@example.com');
  await page.getByLabel('First name').fill('Front');
  await page.getByLabel('Last name').fill('Door');
  await page.getByRole('checkbox', { name: /^Station/ }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Front Door” was added.');
  expect(await (await stack.as('ckent', 'GET', '/users?q=door')).json()).toHaveProperty('0.station', true);
  expect(await (await stack.as('pparker', 'GET', '/readers?q=door')).json()).toEqual([]);
});

test('what is wrong with a person is said at the field', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(400), answered(409));
  await signIn(page, 'ckent', '/users/new');
  const email = page.getByLabel('E-mail address');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.locator('[aria-invalid=true]').first()).toBeFocused();
  for (const field of ['E-mail address', 'First name', 'Last name']) await expect(page.getByLabel(field)).toHaveAttribute('aria-invalid', 'true');
  await email.fill('no address');
  await page.getByLabel('First name').fill('Bruce');
  await page.getByLabel('Last name').fill('Again');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(email).toHaveAccessibleDescription(/does not look like an e-mail address/);
  await email.fill('Bruce.Wayne@example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Somebody already has this e-mail address.').first()).toBeVisible();
  await expect(email).toHaveValue('Bruce.Wayne@example.com');
});

test('an admin edits somebody', core, async ({ page, stack }) => {
  await signIn(page, 'ckent', '/users');
  await row(page, 'Bruce Banner').getByRole('link', { name: 'Bruce Banner' }).click();
  await expect(heading(page, 'Edit person')).toBeFocused();
  await page.getByLabel('Last name').fill('Bannerman');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Bruce Bannerman” was saved.');
  const found = (await (await stack.as('ckent', 'GET', '/users?q=bannerman')).json()) as { roles: string[] }[];
  expect(found[0]?.roles).toEqual(['LIBRARY_USER']);
});

test('editing somebody keeps what the form does not show: language and reminders, and the card', async ({ page, stack }) => {
  const [before] = (await (await stack.as('ckent', 'GET', '/users?q=banner')).json()) as { identifier: string }[];
  const kept = { card: 'CARD-7', locale: 'de', reminders: false };
  await stack.as('ckent', 'PUT', `/users/${before?.identifier}`, { ...before, ...kept });
  await signIn(page, 'ckent', `/users/${before?.identifier}`);
  await page.getByLabel('Last name').fill('Bannerman');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Bruce Bannerman” was saved.');
  const after = await (await stack.as('ckent', 'GET', `/users/${before?.identifier}`)).json();
  expect(after).toMatchObject({ lastName: 'Bannerman', ...kept });
});

test('a card is scanned into the form, is one person’s alone, and finds the person', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  const wayne = ((await (await stack.as('ckent', 'GET', '/users?q=wayne')).json()) as { identifier: string }[])[0];
  await stack.as('ckent', 'PUT', `/users/${wayne?.identifier}`, { ...wayne, card: 'R0002' });
  await signIn(page, 'ckent', '/users');
  await page.getByRole('link', { name: 'Bruce Banner' }).click();
  const card = page.getByLabel(/^Card/);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  for (const [text, why] of [['R 1', /no spaces/], ['a/b', /no spaces/], ['x'.repeat(41), /At most 40 characters/]] as const) {
    await card.fill(text);
    await save.click();
    await expect(card).toHaveAccessibleDescription(why);
    await expect(card).toBeFocused();
  }
  await card.fill('');
  await page.keyboard.type('R0002');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Edit person'), 'the Enter of a scanner does not send the form').toBeVisible();
  await save.click();
  await expect(card).toHaveAccessibleDescription(/Somebody else has this card/);
  await expect(card).toBeFocused();
  await card.fill(' R0001 ');
  await save.click();
  await said(page, '“Bruce Banner” was saved.');
  await page.getByRole('searchbox').fill('r000');
  await expect(row(page, 'Bruce Wayne')).toBeVisible();
  await expect(row(page, 'Bruce Banner')).toContainText('R0001');
  await page.getByRole('button', { name: 'Scan a card' }).click();
  const scanned = page.getByRole('textbox', { name: 'Card' });
  await expect(scanned).toBeFocused();
  await page.keyboard.type('R0009');
  await page.keyboard.press('Enter');
  await expect(scanned).toHaveAccessibleDescription(/Nobody has the card “R0009”/);
  await page.keyboard.type('R0001');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Edit person')).toBeFocused();
  await expect(page.getByLabel('Last name')).toHaveValue('Banner');
  await page.getByLabel(/^Card/).fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(heading(page, 'People')).toBeFocused(); // the word about the first saving may still be there
  expect(await (await stack.as('ckent', 'GET', '/users?q=banner')).json()).not.toHaveProperty('0.card');
});

test('roles that come from the sign-in service are shown with the reason, and cannot be ticked', everywhere, async ({ page }) => {
  await signIn(page, 'ckent', '/users');
  await expect(row(page, 'Bruce Banner')).toBeVisible();
  await expect(page.getByText('Roles come from the sign-in service')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Roles' })).toHaveCount(0);
  await expect(row(page, 'Bruce Banner')).not.toContainText('Reader');
  await page.getByRole('link', { name: 'Bruce Banner' }).click();
  await expect(heading(page, 'Edit person')).toBeVisible();
  const roles = page.getByRole('group', { name: 'Roles' });
  await expect(roles).toContainText('Roles come from the sign-in service');
  await expect(roles).toContainText('Recorded here, but without effect: Reader.');
  await expect(roles.getByRole('checkbox')).toHaveCount(0);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.getByRole('group', { name: 'Rollen' })).toContainText('Rollen kommen vom Anmeldedienst.');
});

test('roles of the record are ticked, and count', async ({ page, stack, visitor }) => {
  await stack.reset('--authorities', 'local');
  await signIn(page, 'ckent', '/users');
  await expect(page.getByRole('columnheader', { name: 'Roles' })).toBeVisible();
  await expect(row(page, 'Bruce Banner')).toContainText('Reader');
  await page.getByRole('link', { name: 'Bruce Banner' }).click();
  await page.getByRole('checkbox', { name: /Librarian/ }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Bruce Banner” was saved.');
  const bruce = await visitor();
  await signIn(bruce, 'bbanner');
  await expect(bruce.getByRole('link', { name: 'Add a book' })).toBeVisible();
});

test('who edits oneself sees the new name at once', async ({ page }) => {
  await signIn(page, 'ckent', '/users');
  await page.getByRole('link', { name: 'Clark Kent' }).click();
  await page.getByLabel('Last name').fill('Lane');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: /Clark Lane/ })).toBeVisible();
});

test('removing asks, names the person, and is never for oneself', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await signIn(page, 'ckent', '/users');
  await expect(row(page, 'Clark Kent')).toContainText('You');
  await expect(row(page, 'Clark Kent').getByRole('button', { name: /Remove/ })).toHaveCount(0);
  await row(page, 'Bruce Banner').getByRole('button', { name: /^Remove/ }).click();
  const question = page.getByRole('dialog', { name: 'Remove Bruce Banner?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(page, 'Bruce Banner')).toBeVisible();
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await row(page, 'Bruce Banner').getByRole('button', { name: /^Remove/ }).click();
  await question.getByRole('button', { name: 'Remove person' }).click();
  await expect(page.getByText('This person still has books on loan.').first()).toBeVisible();
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/return`);
  await row(page, 'Bruce Banner').getByRole('button', { name: /^Remove/ }).click();
  await question.getByRole('button', { name: 'Remove person' }).click();
  await said(page, 'Bruce Banner was removed.');
  await expect(row(page, 'Bruce Banner')).toHaveCount(0);
});

test('a user who was removed sees that at the next step', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(401));
  await signIn(page, 'bbanner');
  await expect(page.getByRole('article').first()).toBeVisible();
  const users = (await (await stack.as('ckent', 'GET', '/users?q=banner')).json()) as { identifier: string }[];
  await stack.as('ckent', 'DELETE', `/users/${users[0]?.identifier}`);
  await page.getByRole('searchbox').fill('clean');
  await expect(page.getByText('The library does not know you yet').first()).toBeVisible();
});

test('people are for admins alone', async ({ page, visitor, stack }) => {
  const curator = await visitor();
  await Promise.all([signIn(page, 'bwayne', '/users'), signIn(curator, 'pparker', '/users')]);
  for (const one of [page, curator]) {
    await expect(one.getByText('You do not have access to this page')).toBeVisible();
    await expect(one.getByText('Bruce Banner')).toHaveCount(0);
    await expect(one.getByRole('link', { name: 'People' })).toHaveCount(0);
  }
  expect(stack.server.log).not.toMatch(/route=\/users status=200/);
});

test('people have a group, which is typed in the form, narrows the list, and stays in the address', async ({ page, stack, visitor }) => {
  await signIn(page, 'ckent', '/users');
  await row(page, 'Bruce Banner').getByRole('link').click();
  await page.getByLabel(/^Group/).fill('x'.repeat(61));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel(/^Group/)).toHaveAccessibleDescription(/At most 60 characters/);
  await page.getByLabel(/^Group/).fill(' 8b ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Bruce Banner” was saved.');
  await expect(row(page, 'Bruce Banner')).toContainText('8b');
  await page.getByRole('combobox', { name: 'Group' }).fill('8B');
  await said(page, '1 person');
  await expect(row(page, 'Bruce Wayne')).toHaveCount(0);
  await expect(page).toHaveURL(/\/users\?group=8B$/);
  await page.reload();
  await expect(row(page, 'Bruce Banner')).toBeVisible();
  await page.getByRole('combobox', { name: 'Group' }).fill('');
  await said(page, '5 people');
  // The desk sees it, too.
  const desk = await visitor();
  await signIn(desk, 'pparker', '/readers?group=8b');
  await said(desk, '1 reader');
  await row(desk, 'Bruce Banner').getByRole('link').click();
  await expect(desk.getByText('Group 8b')).toBeVisible();
  expect(await (await stack.as('ckent', 'GET', '/users?group=8b')).json()).toMatchObject([{ lastName: 'Banner', group: '8b' }]);
});

test('somebody is deactivated instead of removed, is found again, and reactivated', core, async ({ page, stack }) => {
  await signIn(page, 'ckent', '/users');
  await row(page, 'Bruce Banner').getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('dialog', { name: 'Remove Bruce Banner?' }).getByRole('button', { name: 'Deactivate instead' }).click();
  await said(page, 'Bruce Banner was deactivated.');
  await expect(row(page, 'Bruce Banner')).toContainText('Deactivated');
  await page.getByRole('checkbox', { name: 'Only deactivated people' }).check();
  await said(page, '1 person');
  await expect(row(page, 'Bruce Wayne')).toHaveCount(0);
  await look(page, 'deactivated people');
  await page.setViewportSize({ width: 1280, height: 800 });
  await row(page, 'Bruce Banner').getByRole('link').click();
  const access = page.getByRole('region', { name: 'Access' });
  await expect(access).toContainText('This person is deactivated');
  // What is typed in the form is not lost, and can be saved after it.
  await page.getByLabel('Last name').fill('Bannerman');
  await access.getByRole('button', { name: 'Reactivate' }).click();
  await said(page, 'Bruce Banner was reactivated.');
  await page.getByRole('button', { name: 'Undo' }).click();
  await said(page, 'Bruce Banner was deactivated.');
  await expect(access.getByRole('button', { name: 'Reactivate' })).toBeVisible();
  await look(page, 'a person who is deactivated');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(page, '“Bruce Bannerman” was saved.');
  expect(await (await stack.as('ckent', 'GET', '/users?q=bannerman')).json()).toMatchObject([{ active: false }]);
  await row(page, 'Bruce Bannerman').getByRole('button', { name: /^Reactivate/ }).click();
  await said(page, 'Bruce Bannerman was reactivated.');
  await expect(page.getByText('Nobody is deactivated')).toBeVisible();
});

test('who would come back is offered to be deactivated, and who is tied to an account can be untied', async ({ page, stack }) => {
  await stack.reset('--provision', 'login', '--bind-subject', 'on');
  await stack.as('bbanner', 'GET', '/me'); // the first one who comes with the address
  await signIn(page, 'ckent', '/users');
  await row(page, 'Bruce Banner').getByRole('button', { name: /^Remove/ }).click();
  const question = page.getByRole('dialog', { name: 'Remove Bruce Banner?' });
  await expect(question).toContainText('comes back with a new record at the next sign-in');
  await expect(question.getByRole('button', { name: 'Deactivate instead' })).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await row(page, 'Bruce Banner').getByRole('link').click();
  const access = page.getByRole('region', { name: 'Access' });
  await expect(access).toContainText('tied to one account');
  await access.getByRole('button', { name: 'Untie' }).click();
  await page.getByRole('dialog', { name: 'Untie Bruce Banner from the account?' }).getByRole('button', { name: 'Untie' }).click();
  await said(page, 'Bruce Banner is no longer tied to an account.');
  await expect(access.getByRole('button', { name: 'Untie' })).toHaveCount(0);
  expect(await (await stack.as('ckent', 'GET', '/users?q=banner')).json()).toMatchObject([{ bound: false }]);
});

test('the first admin of an empty library is told what to do, and which role is missing', async ({ page, stack }) => {
  const books = (await (await stack.as('pparker', 'GET', '/books?limit=1000')).json()) as { identifier: string }[];
  for (const { identifier } of books) await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await signIn(page, 'ckent');
  const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
  await expect(steps).toHaveCount(5);
  await expect(steps.first()).toContainText('Only librarians add and lend books.');
  await expect(steps.filter({ hasText: 'Add people' })).toContainText('Done');
  await steps.getByRole('link', { name: 'Set the time zone' }).click();
  await expect(page).toHaveURL(/\/rules\/edit$/);
});

test('the first steps stay after the first books, until the admin hides them', async ({ page, stack }) => {
  await signIn(page, 'ckent');
  await expect(page.getByRole('article').first()).toBeVisible();
  const steps = page.getByRole('region', { name: 'First steps' });
  const people = (await (await stack.as('ckent', 'GET', '/users?limit=1000')).json()) as { identifier: string; email: string }[];
  for (const { identifier, email } of people) if (!email.startsWith('clark')) await stack.as('ckent', 'DELETE', `/users/${identifier}`);
  await page.reload();
  await expect(steps.getByRole('listitem').filter({ hasText: 'Add books' })).toContainText('Done');
  await steps.getByRole('button', { name: 'Hide' }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect(steps).toHaveCount(0);
});
