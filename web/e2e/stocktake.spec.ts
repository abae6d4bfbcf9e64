import { answered, core, expect, isForEverybody, look, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

const result = (page: Page) => page.getByRole('region', { name: 'Last scan', exact: true });
const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type a barcode' });

async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.type(code, { delay: 10 });
    await page.keyboard.press('Enter');
  }
}

/** Looks at the page, and goes on at its usual size. */
async function looked(page: Page, name: string): Promise<void> {
  await look(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/** Adds a book with copies on a shelf, and returns the identifiers of these. */
async function shelve(stack: Stack, title: string, shelf: string, ...barcodes: (string | undefined)[]): Promise<string[]> {
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, copies: 0 })).json()) as { identifier: string };
  const ids: string[] = [];
  for (const barcode of barcodes) {
    const copy = (await (await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode, shelf })).json()) as { identifier: string };
    ids.push(copy.identifier);
  }
  return ids;
}

async function reader(stack: Stack, name: string): Promise<string> {
  const [found] = (await (await stack.as('pparker', 'GET', `/readers?q=${name}`)).json()) as { identifier: string }[];
  return found!.identifier;
}

async function stateOf(stack: Stack, copy: string): Promise<object> {
  return (await (await stack.as('pparker', 'GET', `/copies/${copy}`)).json()) as object;
}

/** Starts a stocktake without the page, and opens it. */
async function opened(page: Page, stack: Stack, ...shelves: string[]): Promise<string> {
  const { identifier } = (await (await stack.as('pparker', 'POST', '/stocktakes', { name: 'Novels', shelves })).json()) as { identifier: string };
  await signIn(page, 'pparker', `/lending/stocktakes/${identifier}`);
  await expect(box(page)).toBeFocused();
  return identifier;
}

test('a stocktake is started, scanned and closed with the keyboard alone', core, async ({ page, stack }) => {
  const [dracula] = await shelve(stack, 'Dracula', 'B 7', 'D-1');
  await shelve(stack, 'Emma', 'B 7', 'E-1');
  const [, travels] = await shelve(stack, 'Stiller', 'C 1', 'S-1', 'T-1');
  const [, stolen] = await shelve(stack, 'Ulysses', 'B 7', 'U-1', 'U-2');
  await signIn(page, 'pparker', '/lending/stocktakes');
  await expect(heading(page, 'Stocktaking')).toBeVisible();
  await expect(page.getByText('No stocktakes yet')).toBeVisible();
  await page.getByRole('button', { name: 'Start a stocktake' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Novels in November');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('4 copies')).toBeVisible();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page.getByText('1 shelf, 4 copies')).toBeVisible();
  await looked(page, 'stocktake-start');
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await page.keyboard.press('Enter');

  await expect(heading(page, 'Novels in November')).toBeVisible();
  await expect(page.getByText('0 of 4 seen')).toBeVisible();
  await expect(box(page)).toBeFocused();
  await scan(page, 'D-1');
  await expect(result(page)).toContainText('In its place');
  await expect(result(page)).toContainText('Dracula');
  await scan(page, 'D-1');
  await expect(result(page)).toContainText('Scanned before');
  await scan(page, 'NOBODY-1');
  await expect(page.getByRole('alert')).toContainText('No copy has the code “NOBODY-1”.');
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Belongs to shelf C 1');
  await expect(page.getByText('1 of 4 seen')).toBeVisible();
  await expect(page.getByRole('region', { name: /^Belongs elsewhere/ })).toContainText('Stiller');
  await expect(page.getByRole('region', { name: /^Unknown codes/ })).toContainText('NOBODY-1');
  await looked(page, 'stocktake-scan');

  // A copy that belongs here from now on.
  await page.getByRole('checkbox', { name: 'Copies of other shelves belong here from now on' }).focus();
  await page.keyboard.press('Space');
  await scan(page, 'E-1', 'T-1');
  await expect(result(page)).toContainText('Belongs to shelf B 7 from now on');
  expect(await stateOf(stack, travels!)).toMatchObject({ shelf: 'B 7' });
  await scan(page, 'U-1');
  await expect(page.getByText('3 of 4 seen')).toBeVisible();

  await page.getByRole('radio', { name: 'Not seen yet (1)' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('row', { name: 'Ulysses' })).toContainText('U-2');
  await looked(page, 'stocktake-remaining');
  await page.getByRole('button', { name: 'Close the stocktake' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('3 of 4 copies were seen. 1 can be marked as missing');
  await isForEverybody(page, 'the question before a stocktake is closed');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Close, mark 1 as missing' })).toBeFocused();
  await page.keyboard.press('Enter');
  await said(page, '1 copy is missing since then.');
  await expect(box(page)).toHaveCount(0);
  await looked(page, 'stocktake-closed');
  expect(await stateOf(stack, stolen!)).toMatchObject({ state: 'missing' });
  expect(await stateOf(stack, dracula!)).toMatchObject({ state: 'lendable' });
  await page.getByRole('link', { name: 'Stocktaking' }).click();
  await expect(page.getByRole('row', { name: 'Novels in November' })).toContainText('1 of 4');
  await looked(page, 'stocktakes');
});

test('what is lent, swapped, missing or set aside needs a hand', core, async ({ page, stack }) => {
  const [lent, other] = await shelve(stack, 'Dracula', 'B 7', 'D-1', 'D-2');
  const [claimed] = await shelve(stack, 'Emma', 'B 7', 'E-1');
  const [lost] = await shelve(stack, 'Stiller', 'B 7', 'S-1');
  const [bare] = await shelve(stack, 'Walden', 'B 7', undefined);
  const user = await reader(stack, 'wayne');
  for (const copy of [lent, claimed]) await stack.as('pparker', 'POST', '/loans', { user, copy });
  await stack.as('pparker', 'PUT', `/copies/${lost}`, { barcode: 'S-1', shelf: 'B 7', state: 'missing' });
  const loans = (await (await stack.as('pparker', 'GET', `/loans?user=${user}`)).json()) as { identifier: string; copy: { identifier: string } }[];
  await stack.as('pparker', 'POST', `/loans/${loans.find((l) => l.copy.identifier === claimed)!.identifier}/claim`);
  await opened(page, stack, 'B 7');
  await scan(page, 'D-1');
  await expect(result(page)).toContainText('On loan by the records');
  await expect(result(page)).toContainText('By the records Bruce Wayne has it.');
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Found again');
  await expect(result(page)).toContainText('It was missing since');
  await scan(page, 'E-1');
  await expect(result(page)).toContainText('End the loan below');
  await expect(page.getByRole('region', { name: 'Probably swapped' })).toContainText('Copy D-2 is not.');
  await looked(page, 'stocktake-hand');

  await page.getByRole('button', { name: /^Correct the records/ }).click();
  await said(page, 'The reader now has copy D-2 of “Dracula” by the records.');
  await expect(page.getByRole('region', { name: 'Probably swapped' })).toHaveCount(0);
  expect(await stateOf(stack, other!)).toMatchObject({ loan: { user: { lastName: 'Wayne' } } });
  await page.getByRole('button', { name: /^Returned on .*Emma/ }).click();
  await said(page, '“Emma” has been returned.');
  expect(await stateOf(stack, claimed!)).not.toHaveProperty('loan');

  // A copy without a barcode is ticked off.
  await page.getByRole('radio', { name: /^Not seen yet/ }).check({ force: true });
  await page.getByRole('button', { name: /^It is here .*Walden/ }).click();
  await expect(result(page)).toContainText('Walden');
  await expect(page.getByText('Everything was seen')).toBeVisible();
  expect(await stateOf(stack, bare!)).toHaveProperty('seenAt');
});

test('scans wait for a connection, and a file of a scanner counts once', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer, answered(409));
  await shelve(stack, 'Dracula', 'B 7', 'D-1', 'D-2', 'D-3', 'D-4');
  const id = await opened(page, stack, 'B 7', 'B 8');
  await page.context().setOffline(true);
  await scan(page, 'D-1', 'D-2');
  await expect(page.getByText('2 scans are waiting')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText('2 of 4 seen')).toBeVisible();

  const file = '\ufeffD-2\t2026-11-18 09:14:02\r\nD-3,09:14:05\r\nD-4\r\n\r\nX-9,2026-11-18 09:15\r\n';
  await page.getByLabel('File of a scanner').setInputFiles({ name: 'scans.txt', mimeType: 'text/plain', buffer: Buffer.from(file) });
  await expect(page.getByText('File: 4 of 4 codes')).toBeVisible();
  await expect(page.getByText('In its place: 2')).toBeVisible();
  await expect(page.getByText('4 of 4 seen')).toBeVisible();
  await looked(page, 'stocktake-file');
  expect(await (await stack.as('pparker', 'GET', `/stocktakes/${id}`)).json()).toMatchObject({ counts: { found: 4, again: 1, unknown: 1 }, remaining: 0 });

  // Somebody else closes it: a scan says so.
  await stack.as('pparker', 'POST', `/stocktakes/${id}/close`, { markMissing: false });
  await page.getByLabel('You stand at').selectOption('B 8');
  await box(page).focus();
  await scan(page, 'D-1');
  await expect(page.getByText('Closed on')).toBeVisible();
});

test('an admin who is no librarian looks at a stocktake, and changes nothing', async ({ page, stack }) => {
  await shelve(stack, 'Dracula', 'B 7', 'D-1');
  const { identifier } = (await (await stack.as('pparker', 'POST', '/stocktakes', { name: 'Novels', shelves: ['B 7'] })).json()) as { identifier: string };
  await signIn(page, 'ckent', '/lending/stocktakes');
  await page.getByRole('link', { name: 'Novels' }).click();
  await expect(heading(page, 'Novels')).toBeVisible();
  await page.getByRole('radio', { name: /^Not seen yet/ }).check({ force: true });
  await expect(page.getByRole('row', { name: 'Dracula' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(It is here|Close the|Delete)/ })).toHaveCount(0);
  await expect(box(page)).toHaveCount(0);
  expect(page.url()).toContain(identifier);
});

test('in a stocktake of everything, a copy is elsewhere for those who say where they stand', async ({ page, stack }) => {
  await shelve(stack, 'Dracula', 'B 7', 'D-1', 'D-2');
  const { identifier } = (await (await stack.as('pparker', 'POST', '/stocktakes', { name: 'All' })).json()) as { identifier: string };
  await signIn(page, 'pparker', `/lending/stocktakes/${identifier}`);
  await expect(box(page)).toBeFocused();
  await scan(page, 'D-1');
  await expect(result(page)).toContainText('In its place');
  await page.getByLabel('You stand at').fill('C 1');
  await page.keyboard.press('Enter');
  await box(page).focus();
  await scan(page, 'D-2');
  await expect(result(page)).toContainText('Belongs to shelf B 7');
});
