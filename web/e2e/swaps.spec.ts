import { answered, core, expect, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading } from './support/elements';

interface Copy {
  identifier: string;
  barcode?: string;
  loan?: { identifier: string; dueAt?: string; user: { lastName: string } };
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type' });
const result = (page: Page) => page.getByRole('region', { name: 'Desk', exact: true });
const log = (page: Page) => page.getByRole('region', { name: 'Earlier scans' }).getByRole('listitem');

async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.type(code, { delay: 10 });
    await page.keyboard.press('Enter');
  }
}

/** Presses Enter when the scan before it is long over: some scanners press it twice. */
async function confirm(page: Page): Promise<void> {
  await page.waitForTimeout(650);
  await page.keyboard.press('Enter');
}

async function enrol(stack: Stack, firstName: string, lastName: string, card: string): Promise<string> {
  const user = { firstName, lastName, card, email: `${firstName}.${lastName}@example.org`.toLowerCase(), roles: ['LIBRARY_USER'] };
  return ((await (await stack.as('ckent', 'POST', '/users', user)).json()) as { identifier: string }).identifier;
}

async function shelve(stack: Stack, title: string, ...barcodes: string[]): Promise<string> {
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, copies: 0 })).json()) as { identifier: string };
  for (const barcode of barcodes) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode, shelf: 'B 12' });
  return identifier;
}

/** Who has which copy by the records. */
async function lent(stack: Stack, book: string): Promise<Record<string, string>> {
  const copies = (await (await stack.as('pparker', 'GET', `/books/${book}/copies`)).json()) as Copy[];
  return Object.fromEntries(copies.flatMap((c) => (c.loan ? [[c.barcode, c.loan.user.lastName]] : [])) as [string, string][]);
}

async function atDesk(page: Page): Promise<void> {
  await signIn(page, 'pparker', '/desk');
  await expect(heading(page, 'Desk')).toBeVisible();
  await expect(box(page)).toBeFocused();
}

test('a copy that nobody has by the records comes back with one key, and undoing it is as before', core, async ({ page, stack }) => {
  const [kyle, book] = await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Dracula', 'B-1', 'B-2', 'B-3')]);
  await stack.as('pparker', 'POST', '/loans', { user: kyle, barcode: 'B-1' });
  await atDesk(page);
  await scan(page, 'B-2');
  await expect(result(page)).toContainText('Who brings it back?');
  await expect(result(page)).toContainText('It was not on loan? Back to shelf B 12.');
  await look(page, 'desk swapped');
  await page.setViewportSize({ width: 1280, height: 800 });
  await confirm(page);
  await expect(result(page)).toContainText('“Dracula” has been returned by Selina Kyle.');
  await expect(result(page)).toContainText('The records named another copy. That has been put right.');
  expect(await lent(stack, book)).toEqual({});
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“Dracula” is on loan to Selina Kyle again, as before.');
  expect(await lent(stack, book)).toEqual({ 'B-1': 'Kyle' });

  // Of several readers only the person at the desk knows the right one.
  const jordan = await enrol(stack, 'Hal', 'Jordan', 'R-2');
  await stack.as('pparker', 'POST', '/loans', { user: jordan, barcode: 'B-3' });
  await scan(page, 'B-2');
  await expect(page.getByRole('button', { name: /Returned by Selina Kyle.*Copy B-1/ })).toBeVisible();
  await confirm(page);
  await expect(page.getByRole('button', { name: /Returned by Selina Kyle/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(result(page)).toContainText('“Dracula” has been returned by Hal Jordan.');
  expect(await lent(stack, book)).toEqual({ 'B-1': 'Kyle' });
});

test('a copy that somebody else has by the records is lent with one key, and undoing it is as before', async ({ page, stack }) => {
  const [kyle, book] = await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Dracula', 'B-1', 'B-2'), enrol(stack, 'Hal', 'Jordan', 'R-2')]);
  await stack.as('pparker', 'POST', '/loans', { user: kyle, barcode: 'B-1' });
  await atDesk(page);
  await scan(page, 'R-2', 'B-1');
  await expect(result(page)).toContainText('By the records Selina Kyle has this copy of “Dracula”.');
  await look(page, 'desk whose');
  await page.setViewportSize({ width: 1280, height: 800 });
  await confirm(page);
  await expect(result(page)).toContainText('“Dracula” is now on loan to Hal Jordan.');
  expect(await lent(stack, book)).toEqual({ 'B-1': 'Jordan', 'B-2': 'Kyle' });
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“Dracula” is no longer on loan to Hal Jordan.');
  expect(await lent(stack, book)).toEqual({ 'B-1': 'Kyle' });

  // Two people with each other's copy: the one at the desk gives back what is in the hand.
  await stack.as('pparker', 'POST', '/loans', { user: (await (await stack.as('pparker', 'GET', '/readers?q=jordan')).json() as { identifier: string }[])[0]?.identifier, barcode: 'B-2' });
  await scan(page, 'B-1');
  await expect(page.getByRole('button', { name: /Returned by Hal Jordan/ })).toBeVisible();
  await confirm(page);
  await expect(result(page)).toContainText('“Dracula” has been returned by Hal Jordan.');
  expect(await lent(stack, book)).toEqual({ 'B-2': 'Kyle' });
});

test('a swap that comes to light when the library answers again needs a hand, and waits for it', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_/);
  const [kyle, book] = await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Dracula', 'B-1', 'B-2'), shelve(stack, 'Emma', 'E-1')]);
  await stack.as('pparker', 'POST', '/loans', { user: kyle, barcode: 'B-1' });
  await atDesk(page);
  await page.context().setOffline(true);
  await scan(page, 'B-2', 'E-1');
  await expect(page.getByText('2 scans are waiting')).toBeVisible();
  await page.context().setOffline(false);
  await expect(result(page)).toContainText('“Emma” is not on loan.');
  await expect(log(page).filter({ hasText: 'Dracula' })).toContainText('Who brings it back?');
  await page.reload();
  await page.getByRole('button', { name: 'Decide Dracula' }).click();
  await page.getByRole('button', { name: /Returned by Selina Kyle/ }).click();
  await expect(result(page)).toContainText('“Dracula” has been returned by Selina Kyle.');
  await expect(page.getByRole('button', { name: /^Decide/ })).toHaveCount(0);
  expect(await lent(stack, book)).toEqual({});
});

test('a book is reserved for the reader at the desk, and that is undone', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), answered(409));
  const [kyle, book] = await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Frankenstein', 'B-1'), enrol(stack, 'Hal', 'Jordan', 'R-2')]);
  await stack.as('pparker', 'POST', '/loans', { user: kyle, barcode: 'B-1' });
  await atDesk(page);
  const found = page.getByRole('button', { name: /^Frankenstein/ });
  const reserve = page.getByRole('button', { name: 'Reserve for Hal Jordan' });
  await scan(page, 'R-2', 'frankenstein');
  await found.click();
  await expect(result(page)).toContainText('No copy is free');
  await reserve.click();
  await expect(result(page)).toContainText('Reserved for Hal Jordan');
  await expect(result(page)).toContainText('“Frankenstein”, number 1 in the queue.');
  expect(await (await stack.as('pparker', 'GET', `/holds?book=${book}`)).json()).toMatchObject([{ user: { lastName: 'Jordan' }, state: 'waiting' }]);
  await scan(page, 'frankenstein');
  await found.click();
  await reserve.click();
  await expect(page.getByRole('alert')).toContainText('“Frankenstein” is already reserved for Hal Jordan.');
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“Frankenstein” is no longer reserved for Hal Jordan.');
  expect(await (await stack.as('pparker', 'GET', `/holds?book=${book}`)).json()).toEqual([]);
});
