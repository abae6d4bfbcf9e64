import { answered, core, everywhere, expect, giveCredentials, isForEverybody, look, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading } from './support/elements';

interface Copy {
  identifier: string;
  barcode?: string;
  loan?: { user: { lastName: string } };
  hold?: { user: { lastName: string } };
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type' });
const result = (page: Page) => page.getByRole('region', { name: 'Desk', exact: true });
const reader = (page: Page) => page.getByRole('region', { name: 'Reader' });
const log = (page: Page) => page.getByRole('region', { name: 'Earlier scans' }).getByRole('listitem');

/** Types as a scanner does: fast, with Enter at the end, wherever the focus may be. */
async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.type(code, { delay: 10 });
    await page.keyboard.press('Enter');
  }
}

/** A book with one copy for each barcode. */
async function shelve(stack: Stack, title: string, barcodes: string[], more: { isbn?: string; shelf?: string; state?: string } = {}): Promise<string> {
  const { isbn, ...copy } = more;
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, isbn, copies: 0 })).json()) as { identifier: string };
  for (const barcode of barcodes) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode, ...copy });
  return identifier;
}

/** Somebody with a card. */
async function enrol(stack: Stack, firstName: string, lastName: string, card: string): Promise<string> {
  const user = { firstName, lastName, card, email: `${firstName}.${lastName}@example.org`.toLowerCase(), roles: ['LIBRARY_USER'] };
  return ((await (await stack.as('ckent', 'POST', '/users', user)).json()) as { identifier: string }).identifier;
}

/** Gives a sample user a card. */
async function giveCard(stack: Stack, email: string, card: string): Promise<string> {
  const [user] = (await (await stack.as('ckent', 'GET', `/users?q=${email}`)).json()) as { identifier: string }[];
  if (!user) throw new Error(`there is no ${email}`);
  await stack.as('ckent', 'PUT', `/users/${user.identifier}`, { ...user, card });
  return user.identifier;
}

async function copies(stack: Stack, book: string): Promise<Copy[]> {
  return (await (await stack.as('pparker', 'GET', `/books/${book}/copies`)).json()) as Copy[];
}

async function openLoans(stack: Stack): Promise<number> {
  return Number((await stack.as('pparker', 'GET', '/loans?limit=1')).headers.get('X-Total-Count'));
}

async function atDesk(page: Page): Promise<void> {
  await signIn(page, 'pparker', '/desk');
  await expect(heading(page, 'Desk')).toBeVisible();
  await expect(box(page)).toBeFocused();
}

test('a librarian’s morning: thirty books out and in again, without a mouse', async ({ page, stack }) => {
  test.slow(); // a morning is long
  const codes = Array.from({ length: 30 }, (_, i) => `M-${100 + i}`);
  const [books] = await Promise.all([
    Promise.all(codes.map((code, i) => shelve(stack, `Volume ${i + 1}`, [code], { shelf: `B ${i + 1}` }))),
    shelve(stack, 'The Wrong One', ['W-1']),
    enrol(stack, 'Selina', 'Kyle', 'R-1'),
    enrol(stack, 'Hal', 'Jordan', 'R-2'),
  ]);
  await atDesk(page);

  // Out: fifteen for each of two readers, and one by mistake. Nobody waits for an answer.
  await scan(page, 'R-1', ...codes.slice(0, 15), 'R-2', ...codes.slice(15), 'W-1');
  await expect(result(page)).toContainText('“The Wrong One” is now on loan to Hal Jordan.');
  await expect(result(page).getByText(/^Lent until \w+,\s\d+\s\w+/)).toBeVisible();
  await expect(reader(page)).toContainText('16 books');
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“The Wrong One” is no longer on loan to Hal Jordan.');
  await expect(reader(page)).toContainText('15 books');
  expect(await openLoans(stack)).toBe(30);
  await expect(box(page)).toBeFocused();

  // Somebody asks for one of them meanwhile.
  await stack.as('bbanner', 'POST', `/books/${books[6]}/holds`);

  // In: the reader goes, and the page is loaded again in the middle, while scans still wait.
  await page.keyboard.press('Escape');
  await expect(reader(page)).toContainText('Nobody');
  let asked = 0;
  await page.route('**/codes/**', (route) => (++asked > 4 ? undefined : route.continue()));
  await scan(page, ...codes.slice(0, 12));
  await expect(page.getByText('Processing 8 scans …')).toBeVisible();
  await page.unroute('**/codes/**');
  await page.reload();
  await expect(box(page)).toBeFocused();
  await expect.poll(() => openLoans(stack)).toBe(18);
  await scan(page, codes[6] as string);
  const slip = page.getByRole('button', { name: 'Print a slip' });
  await expect(result(page)).toContainText(/Set aside for Bruce Banner until \w+,\s\d+\s\w+/);
  await expect(slip).toBeVisible();
  await scan(page, ...codes.slice(12));
  await expect(result(page)).toContainText('Back to shelf B 30');
  await expect(result(page)).toContainText('“Volume 30” has been returned by Hal Jordan.');
  await expect.poll(() => openLoans(stack)).toBe(0);

  // Nothing was done twice, nothing was left out, and the list says so.
  await expect(log(page).filter({ hasText: 'Volume 12' }).first()).toContainText('Returned by Selina Kyle');
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  expect(kept).toContain('Volume 12');
  expect(kept).not.toMatch(/@|eyJ|token"/);
  await page.emulateMedia({ media: 'print' });
  await expect(heading(page, 'Desk')).toBeVisible();
});

test('at the desk a card, a barcode, a name and an ISBN do what they should', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a name is no code
  await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Dracula', ['B-1', 'B-2'], { isbn: '978-0-14-143984-6', shelf: 'Reading room' })]);
  await atDesk(page);
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('Back to Reading room');
  await expect(result(page)).toContainText('To lend it, scan the reader’s card first.');
  await scan(page, 'kyle');
  await expect(result(page)).toContainText('Now lending to Selina Kyle');
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('“Dracula” is now on loan to Selina Kyle.');
  await expect(reader(page)).toContainText('1 book');
  await scan(page, '9780141439846');
  await expect(page.getByRole('alert')).toContainText('Lent a moment ago');
  await page.keyboard.press('Escape');
  await expect(reader(page)).toContainText('Nobody');
  // One copy is here and one is lent: only the person at the desk knows which one this is.
  await scan(page, '978-0-14-143984-6');
  await expect(page.getByText('Whose copy of “Dracula” is it?')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('button', { name: /Selina Kyle.*Copy B-1/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(result(page)).toContainText('“Dracula” has been returned by Selina Kyle.');
  await expect(box(page)).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“Dracula” is on loan to Selina Kyle again');
  expect(await openLoans(stack)).toBe(1);
});

test('a title of one word is found, and so is a reader, but no program', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a word is no code
  await Promise.all([shelve(stack, 'Frankenstein', ['B-1'], { shelf: 'S 1' }), enrol(stack, 'Selina', 'Kyle', 'R-1')]);
  await atDesk(page);
  await scan(page, 'Frankenstein');
  await page.getByRole('region', { name: 'Which one is “Frankenstein”?' }).getByRole('button', { name: /Frankenstein/ }).click();
  await expect(result(page)).toContainText('Back to shelf S 1');
  await scan(page, 'R-1', 'frankenstein');
  await expect(page.getByText('Which one is “frankenstein”?')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('button', { name: /^Frankenstein/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(result(page)).toContainText('“Frankenstein” is now on loan to Selina Kyle.');
  await scan(page, 'Library Client');
  await expect(page.getByRole('alert')).toContainText('There is no barcode, card, ISBN, name or title like “Library Client”.');
});

test('what is refused says why, and what to do', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), answered(409));
  const [awaited, twins] = await Promise.all([
    shelve(stack, 'Awaited', ['B-1']),
    shelve(stack, 'Two of a Kind', ['B-3', 'B-4']),
    giveCard(stack, 'bruce.wayne', 'R-1'),
    shelve(stack, 'For the Reading Room', ['B-2'], { state: 'reference' }),
    shelve(stack, 'One Too Few', ['B-5']),
    shelve(stack, 'One More', ['B-6']),
    shelve(stack, 'Lost and Found', ['B-7'], { state: 'lost' }),
    enrol(stack, 'Selina', 'Kyle', 'R-2'),
  ]);
  await page.clock.install();
  await atDesk(page);
  await scan(page, 'NO-SUCH-CODE');
  await expect(page.getByRole('alert')).toContainText('There is no barcode, card, ISBN, name or title like “NO-SUCH-CODE”.');
  await scan(page, 'R-1', 'B-2');
  await expect(page.getByRole('alert')).toContainText('This is a reference copy of “For the Reading Room”.');
  await scan(page, 'B-7');
  await expect(page.getByRole('alert')).toContainText('is marked as lost');
  await expect(page.getByRole('link', { name: 'To the book' })).toBeVisible();
  await scan(page, 'B-3', 'B-4');
  await expect(page.getByRole('alert')).toContainText('Bruce Wayne already has another copy of “Two of a Kind”.');
  // A copy that stays in the house says so, whatever the reader has at home.
  const [, second] = await copies(stack, twins);
  await stack.as('pparker', 'PUT', `/copies/${second?.identifier}`, { barcode: 'B-4', state: 'reference' });
  await page.clock.fastForward(2100); // the same code at once is a scanner that reads twice
  await scan(page, 'B-4');
  await expect(page.getByRole('alert')).toContainText('This is a reference copy of “Two of a Kind”.');

  // Set aside for somebody: it is not lent to another. Undoing the return puts the hold back into the queue.
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('“Awaited” is now on loan to Bruce Wayne.');
  await stack.as('bbanner', 'POST', `/books/${awaited}/holds`);
  await page.keyboard.press('Escape');
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('Set aside for Bruce Banner until');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.slip')).toBeVisible();
  await expect(page.locator('.slip')).toContainText(/Set aside for\s*Bruce Banner\s*until \w+/);
  await expect(heading(page, 'Desk')).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await page.keyboard.press('Control+z');
  await expect(result(page)).toContainText('“Awaited” is on loan to Bruce Wayne again, as before.');
  expect((await copies(stack, awaited))[0]?.hold).toBeUndefined();
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('Set aside for Bruce Banner until');
  await scan(page, 'R-1', 'B-1');
  await expect(page.getByRole('alert')).toContainText('“Awaited” is set aside for Bruce Banner. Put it back');

  // Another reader's book: it comes back, and is lent to the one at the desk when it is scanned again.
  await page.clock.setFixedTime(await page.evaluate(() => Date.now())); // the next scans come at once, however slow the machine is
  await scan(page, 'R-2', 'B-3');
  await expect(result(page)).toContainText(/“Two of a Kind” has been returned by Bruce Wayne.\s*To lend it to Selina Kyle, scan it again./);
  await scan(page, 'B-3');
  await expect(page.getByRole('alert')).toContainText('Scanned twice'); // by a scanner: at once
  expect(await openLoans(stack)).toBe(0);

  // The rules: no more than one book, and none while something is overdue.
  const policy = (await (await stack.as('ckent', 'GET', '/policy')).json()) as object;
  await stack.as('ckent', 'PUT', '/policy', { ...policy, maxLoans: 1 });
  await scan(page, 'R-1', 'B-5', 'B-6');
  await expect(page.getByRole('alert')).toContainText('Bruce Wayne has reached the limit of loans. Return a book first.');
  await expect(log(page).filter({ hasText: 'One Too Few' })).toContainText('Lent to Bruce Wayne');
  expect((await copies(stack, awaited))[0]?.hold?.user.lastName).toBe('Banner');
});

test('two desks see each other, and neither undoes what the other went on with', async ({ page, visitor, stack }) => {
  await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Here and There', ['B-1']), shelve(stack, 'There', ['B-2'])]);
  const other = await visitor();
  await atDesk(page);
  await atDesk(other);
  await scan(page, 'R-1', 'B-1');
  await expect(result(page)).toContainText('“Here and There” is now on loan to Selina Kyle.');
  await expect(page.getByRole('button', { name: 'Undo Here and There' })).toBeVisible();
  await scan(other, 'R-1');
  await expect(reader(other)).toContainText('Here and There');
  await page.bringToFront();
  await scan(page, 'B-2');
  await other.bringToFront();
  await expect(reader(other)).toContainText('2 books');
  await other.keyboard.press('Escape');
  await scan(other, 'B-1');
  await expect(result(other)).toContainText('“Here and There” has been returned by Selina Kyle.');
  await page.bringToFront();
  await expect(log(page).filter({ hasText: 'Here and There' })).toContainText('Returned elsewhere since');
  await expect(page.getByRole('button', { name: 'Undo Here and There' })).toHaveCount(0);
  await expect(reader(page)).toContainText('1 book');
});

test('no scan is lost while the library does not answer, or when the session ends', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer, answered(400), answered(503));
  await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), ...['B-1', 'B-2', 'B-3', 'B-4'].map((code) => shelve(stack, `Book ${code}`, [code]))]);
  await atDesk(page);
  await scan(page, 'R-1');
  await expect(result(page)).toContainText('Now lending to Selina Kyle');

  await stack.server.stop();
  await scan(page, 'B-1', 'B-2');
  await expect(page.getByText('2 scans are waiting and will be processed when it is back.')).toBeVisible();
  await isForEverybody(page, 'the desk while the library is away');
  await expect(box(page)).toBeFocused();
  await stack.server.start();
  await stack.ready();
  await expect(result(page)).toContainText('“Book B-2” is now on loan to Selina Kyle.');
  expect(await openLoans(stack)).toBe(2);

  // The answer to a loan is lost on its way: it is not made twice.
  await page.route('**/loans', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await stack.arrives(route.request());
    await route.abort();
    await page.unroute('**/loans');
  });
  await scan(page, 'B-3');
  await expect(result(page)).toContainText('“Book B-3” is now on loan to Selina Kyle.');
  expect(await openLoans(stack)).toBe(3);

  // The session ends: the scan that finds out is kept, and so is one that comes while the dialog is there.
  await page.route('**/codes/**', (route) => route.fulfill({
    status: 401, headers: { 'Access-Control-Allow-Origin': stack.web, 'Access-Control-Allow-Credentials': 'true' }, json: { status: 401, code: 'invalid_token', message: 'over' },
  }));
  await page.route('**/token', (route) => route.fulfill({ status: 400, headers: { 'Access-Control-Allow-Origin': '*' }, json: { error: 'invalid_grant' } }));
  consoleErrors.expect(answered(401));
  await scan(page, 'B-4');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await scan(page, 'ZZZZ');
  await expect(dialog).toBeVisible();
  await page.unroute('**/codes/**');
  await page.unroute('**/token');
  consoleErrors.expect(answered(404));
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await expect(box(page).or(page.getByLabel('User name'))).toBeVisible();
  if (await page.getByLabel('User name').isVisible()) await giveCredentials(page, 'pparker');
  await expect(reader(page)).toContainText('Selina Kyle');
  await expect(page.getByRole('alert')).toContainText('name or title like “ZZZZ”');
  await expect(log(page).first()).toContainText('Book B-4');
  expect(await openLoans(stack)).toBe(4);

  // Who signs out leaves nothing behind.
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem('library.desk'))).toBeNull();
});

test('an hour at the desk: mistakes can be undone for a minute, and the focus comes back', core, async ({ page, stack }) => {
  await Promise.all([enrol(stack, 'Selina', 'Kyle', 'R-1'), shelve(stack, 'Dracula', ['B-1']), shelve(stack, 'Emma', ['B-2'])]);
  await page.clock.install();
  await atDesk(page);
  await scan(page, 'R-1', 'B-1', 'B-2');
  await expect(result(page)).toContainText('“Emma” is now on loan to Selina Kyle.');
  await page.clock.fastForward(30_000);
  await page.getByRole('button', { name: 'Undo Dracula' }).click();
  await expect(result(page)).toContainText('“Dracula” is no longer on loan to Selina Kyle.');
  await expect(log(page).filter({ hasText: 'Dracula' })).toContainText('Undone');
  await expect(page.getByRole('button', { name: 'Undo Dracula' })).toHaveCount(0);
  await expect(box(page)).toBeFocused();
  await page.clock.fastForward(31_000);
  await expect(page.getByRole('button', { name: /^Undo/ })).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('alert')).toContainText('Only the last minute can be undone.');
  expect(await openLoans(stack)).toBe(1);

  // Tab leads to everything, and typing leads back.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('checkbox', { name: 'Sound' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('checkbox', { name: 'Sound' })).not.toBeChecked();
  await expect(box(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Enter' })).toBeFocused();
  await page.clock.fastForward(3_600_000 - 61_000); // tokens come and go meanwhile
  await scan(page, 'B-2');
  await expect(page.getByRole('alert')).toContainText('Lent a moment ago');
  await page.keyboard.press('Escape');
  await scan(page, 'B-2');
  await expect(result(page)).toContainText('“Emma” has been returned');
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Sound' })).not.toBeChecked();

  // To a reader's page and back: the reader is still chosen.
  await scan(page, 'R-1');
  await reader(page).getByRole('link', { name: 'Selina Kyle' }).click();
  await expect(heading(page, 'Selina Kyle')).toBeVisible();
  await page.goBack();
  await expect(reader(page)).toContainText('Selina Kyle');
});

test('the desk: accessible to everybody', async ({ page, stack, consoleErrors }) => {
  test.slow(); // six states, each looked at four times
  consoleErrors.expect(answered(404));
  const [book] = await Promise.all([
    shelve(stack, 'A Portrait of the Artist as a Young Man', ['B-1', 'B-2'], { isbn: '9780142437346', shelf: 'B 12' }),
    shelve(stack, 'Dracula', ['B-3'], { shelf: 'B 12' }),
    giveCard(stack, 'bruce.wayne', 'R-1'),
    giveCard(stack, 'bruce.banner', 'R-2'),
  ]);
  await atDesk(page);
  const wide = (): Promise<void> => page.setViewportSize({ width: 1280, height: 800 });
  await look(page, 'desk empty');
  await wide();
  await scan(page, 'R-2', 'B-2', 'R-1', 'B-1', 'B-3');
  await expect(reader(page)).toContainText('2 books');
  await expect(reader(page)).toContainText('Dracula');
  await look(page, 'desk lent');
  await wide();
  await page.keyboard.press('Escape');
  await scan(page, '9780142437346');
  await expect(page.getByText('Whose copy of')).toBeVisible();
  await look(page, 'desk question');
  await wide();
  await page.keyboard.press('Escape');
  await enrol(stack, 'Diana', 'Prince', 'R-3');
  await stack.as('dprince', 'POST', `/books/${book}/holds`).catch(() => undefined);
  await scan(page, 'bruce');
  await expect(page.getByText('Which one is “bruce”?')).toBeVisible();
  await look(page, 'desk names');
  await wide();
  await page.keyboard.press('Escape');
  await scan(page, 'B-1');
  await expect(result(page)).toContainText('has been returned');
  await look(page, 'desk returned');
  await wide();
  await scan(page, 'X-99');
  await expect(page.getByRole('alert')).toContainText('name or title like “X-99”');
  await look(page, 'desk unknown');
});
