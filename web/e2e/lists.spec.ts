import { readFileSync } from 'node:fs';
import { answered, everywhere, expect, fits, isForEverybody, look, rulesFor, signIn, test, type Locator, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

type Reader = 'bwayne' | 'bbanner';
const id = async (stack: Stack, title: string): Promise<string> => (await stack.book(title)).identifier;
const lend = async (stack: Stack, who: Reader, title: string): Promise<unknown> => stack.as(who, 'POST', `/books/${await id(stack, title)}/borrow`);
const reserve = async (stack: Stack, who: Reader, title: string): Promise<unknown> => stack.as(who, 'POST', `/books/${await id(stack, title)}/holds`);
const row = (page: Page, title: string): Locator => page.getByRole('row').filter({ has: page.getByRole('link', { name: title, exact: true }) });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const menu = (page: Page, name: string | RegExp): Locator => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const tab = (page: Page, name: string): Locator => page.getByRole('navigation', { name: 'Lending' }).getByRole('link', { name, exact: true });

test('a librarian sees who has what, renews, takes back and thinks better of it', everywhere, async ({ page, stack }) => {
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 1 }); // so that a renewal moves the due date
  await lend(stack, 'bwayne', 'Clean Code');
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 28 });
  await lend(stack, 'bbanner', 'Homo faber');
  await reserve(stack, 'bwayne', 'Homo faber');
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 29 }); // on the same day a renewal would not move the due date
  await signIn(page, 'pparker');
  await menu(page, 'Lending').click();
  await expect(heading(page, 'On loan')).toBeFocused();
  await said(page, '2 books are on loan');
  await expect(row(page, 'Clean Code')).toContainText('Bruce Wayne');
  await expect(row(page, 'Clean Code')).toContainText('Due ');
  await button(page, 'Renew “Clean Code”, Bruce Wayne').click();
  await said(page, '“Clean Code” has been renewed. It is now due ');
  await expect(row(page, 'Clean Code')).toContainText('1 renewal');
  await expect(row(page, 'Clean Code')).toContainText('Renew from ');
  // Somebody waits for the other one: it cannot be renewed, and is set aside when it comes back.
  await expect(row(page, 'Homo faber')).toContainText('Cannot be renewed');
  await expect(page.getByRole('row').last()).toContainText('Clean Code'); // it is due later now; a click before that would miss
  await button(page, 'Return “Clean Code”, Bruce Wayne').click();
  await said(page, '“Clean Code” has been returned.');
  await expect(row(page, 'Clean Code')).toHaveCount(0);
  await button(page, 'Undo').click();
  await said(page, '“Clean Code” is on loan to Bruce Wayne again.');
  await expect(row(page, 'Clean Code')).toContainText('1 renewal'); // the same loan, with its dates

  await button(page, 'Return “Homo faber”, Bruce Banner').click();
  await said(page, '“Homo faber” has been returned. Set it aside for Bruce Wayne until ');
  // What happens elsewhere is seen here.
  await lend(stack, 'bbanner', 'Design Patterns');
  await expect(row(page, 'Design Patterns')).toContainText('Bruce Banner');
  await said(page, '2 books are on loan');
});

test('reservations are fetched from the shelf, ticked off, cancelled', async ({ page, stack }) => {
  await lend(stack, 'bbanner', 'Homo faber');
  await reserve(stack, 'bwayne', 'Homo faber');
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${await id(stack, 'Homo faber')}/copies`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/copies/${copy?.identifier}`, { barcode: 'B-0007', shelf: 'F 3' });
  await signIn(page, 'pparker', '/lending/holds');
  await expect(page.getByRole('heading', { name: 'Nothing to fetch' })).toBeVisible();
  const show = (name: string): Promise<void> => page.getByRole('radio', { name, exact: true }).check();
  await show('Queue');
  await expect(row(page, 'Homo faber')).toContainText('Next');
  await show('To fetch');
  await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Homo faber')}/return`);
  await expect(row(page, 'Homo faber')).toContainText('F 3');
  await expect(row(page, 'Homo faber')).toContainText('B-0007');
  await said(page, '1 copy to fetch from the shelf');
  const tick = page.getByRole('checkbox', { name: 'Put aside “Homo faber”, Bruce Wayne' });
  await tick.check();
  await expect(row(page, 'Homo faber'), 'it stays in its place').toBeVisible();
  await show('Ready');
  await said(page, '1 copy is set aside');
  await expect(row(page, 'Homo faber')).toContainText('Bruce Wayne');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Ready' })).toBeChecked();
  await show('To fetch');
  await expect(page.getByRole('heading', { name: 'Nothing to fetch' })).toBeVisible();
  await show('Ready');
  await button(page, 'Cancel “Homo faber”, Bruce Wayne').click();
  const question = page.getByRole('dialog', { name: 'Cancel the reservation of “Homo faber”?' });
  await question.getByRole('button', { name: 'Keep it' }).click();
  await button(page, 'Cancel “Homo faber”, Bruce Wayne').click();
  await question.getByRole('button', { name: 'Cancel reservation' }).click();
  await said(page, 'The reservation of “Homo faber” has been cancelled.');
  await expect(page.getByRole('heading', { name: 'Nothing is set aside' })).toBeVisible();
  await show('Ended');
  await expect(row(page, 'Homo faber')).toContainText('Cancelled');
  await page.getByRole('checkbox', { name: 'Expired only' }).check();
  await expect(page.getByRole('heading', { name: 'No expired reservations' })).toBeVisible();
});

test('what one desk has fetched no other desk looks for', async ({ page, browser, stack }) => {
  for (const title of ['Homo faber', 'Clean Code']) {
    await lend(stack, 'bbanner', title);
    await reserve(stack, 'bwayne', title);
  }
  await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Homo faber')}/return`);
  await signIn(page, 'pparker', '/lending/holds');
  const other = await (await browser.newContext({ baseURL: new URL(page.url()).origin, reducedMotion: 'reduce' })).newPage();
  await signIn(other, 'pparker', '/lending/holds');
  await expect(row(other, 'Homo faber')).toBeVisible();
  const tick = page.getByRole('checkbox', { name: 'Put aside “Homo faber”, Bruce Wayne' });
  await tick.check();
  await expect(other.getByRole('heading', { name: 'Nothing to fetch' })).toBeVisible();
  await expect(tick, 'here it stays in its place').toBeChecked();
  await tick.click(); // not uncheck(): the list that is read after the first change may tick it once more
  await expect(row(other, 'Homo faber')).toBeVisible();
  // What comes back at a desk is nobody's to fetch.
  const [loan] = (await (await stack.as('pparker', 'GET', `/loans?book=${await id(stack, 'Clean Code')}`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'POST', `/loans/${loan?.identifier}/return`);
  await other.getByRole('radio', { name: 'Ready', exact: true }).check();
  await expect(row(other, 'Clean Code')).toBeVisible();
  await other.getByRole('radio', { name: 'To fetch', exact: true }).check();
  await expect(row(other, 'Homo faber')).toBeVisible();
  await expect(row(other, 'Clean Code')).toHaveCount(0);
  await other.context().close();
});

/** A library with a number of overdue loans, longest first, as the server would give them. */
async function manyOverdue(page: Page, total: number, groups: (string | undefined)[] = [undefined]): Promise<string[]> {
  const asked: string[] = [];
  /** 24 loans a day, each a minute before the next. */
  const dueAt = (place: number): string => new Date(Date.now() - (1 + Math.floor(place / 24)) * 86_400_000).toISOString().slice(0, 11) + `22:${59 - (place % 24)}:00Z`;
  const loans = Array.from({ length: total }, (_, i) => ({
    identifier: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    book: { identifier: `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`, title: i === 1 ? '=1+1' : `Volume ${total - i}`, authors: ['Ann Author'] },
    copy: { identifier: `20000000-0000-4000-8000-${String(i).padStart(12, '0')}`, barcode: String(i).padStart(5, '0') },
    user: { identifier: `30000000-0000-4000-8000-${String(i % 7).padStart(12, '0')}`, firstName: 'Zoë', lastName: `Reader ${6 - (i % 7)}`, group: groups[i % groups.length] },
    borrowedAt: '2026-01-01T10:00:00Z', dueAt: dueAt(total - 1 - i),
    renewals: 0, overdue: true, renewable: true,
  }));
  await page.route('**/loans?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const group = query.get('group')?.toLowerCase();
    const found = loans.filter(({ user }) => group === undefined || user.group?.toLowerCase() === group);
    asked.push(query.get('limit') ?? '');
    const from = Number(query.get('cursor') ?? 0);
    const to = from + Number(query.get('limit'));
    await route.fulfill({
      json: found.slice(from, to),
      headers: {
        'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Link, X-Total-Count', 'X-Total-Count': String(found.length),
        ...(to < found.length && { Link: `</library-server/loans?state=overdue&cursor=${to}>; rel="next"` }),
      },
    });
  });
  return asked;
}

test('overdue loans are narrowed to a class, sorted by class, and printed one class a page', async ({ page }) => {
  await manyOverdue(page, 12, ['10a', '9b', undefined, '9B']);
  await page.addInitScript(() => (window.print = () => undefined));
  await signIn(page, 'pparker', '/lending/overdue');
  await said(page, '12 loans are overdue');
  await expect(page.locator('tbody tr').first()).toContainText('10a');
  await page.getByLabel('Sort by').selectOption('Group');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['9b', '10a', 'Without a group']);
  await expect(page.getByRole('table', { name: 'Overdue, 9b' }).locator('tbody tr')).toHaveCount(6);
  await look(page, 'overdue by group');
  await page.setViewportSize({ width: 1280, height: 800 });
  const pages = async (): Promise<number> => (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  expect(await pages(), 'a page for each class').toBe(3);
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as spreadsheet').click()]);
  const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
  expect(lines[0]).toMatch(/,Renewals,Group$/);
  expect(lines[12]).toMatch(/,0,$/);
  await page.getByRole('combobox', { name: 'Group' }).fill('10A');
  await said(page, '3 loans are overdue');
  await expect(page).toHaveURL(/\?sort=group&group=10A$/);
  await page.reload();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['10a']);
  expect(await pages()).toBe(1);
  await page.getByRole('combobox', { name: 'Group' }).fill('7c');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Nobody in “7c” has anything overdue.')).toBeVisible();
});

test('more than a thousand overdue loans come in pages, and are sorted, printed and saved for a spreadsheet', async ({ page }) => {
  test.slow();
  const asked = await manyOverdue(page, 1_150);
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', String(document.querySelectorAll('tbody tr').length));
  });
  await signIn(page, 'pparker', '/lending/overdue');
  await said(page, '1,150 loans are overdue');
  const rows = page.locator('tbody tr');
  await expect(rows).toHaveCount(100);
  expect(new Set(asked), 'one page was read').toEqual(new Set(['100']));
  await expect(rows.first()).toContainText('48 days');
  await expect(page.getByText('Showing 100 of 1,150.')).toBeVisible();
  await button(page, 'Show more').click();
  await expect(rows).toHaveCount(200);
  await page.getByLabel('Sort by').selectOption('Shortest first');
  await expect(rows.first()).toContainText('Volume 1');
  await expect(rows).toHaveCount(100);
  await page.getByLabel('Sort by').selectOption('Reader');
  await expect(rows.first()).toContainText('Zoë Reader 0');
  await page.reload();
  await expect(page.getByLabel('Sort by')).toHaveValue('reader');
  await page.getByLabel('Sort by').selectOption('Title');
  await expect(rows.nth(1)).toContainText('Volume 1');
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as spreadsheet').click()]);
  expect(file.suggestedFilename()).toMatch(/^overdue-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
  expect(lines[0]).toBe('\ufeffReader,Title,Authors,Copy,Lent,Due,Days overdue,Renewals');
  expect(lines).toHaveLength(1_152);
  expect(lines.find((line) => line.includes('1+1')), 'no formula').toMatch(/^Zoë Reader 5,'=1\+1,Ann Author,"=""00001""",2026-01-01,\d{4}-\d\d-\d\d,48,0$/);
  await button(page, 'Print').click(); // all rows are drawn first
  await expect(page.locator('html')).toHaveAttribute('data-printed', '1150');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText(/^As of \w+day, /)).toBeVisible();
  await expect(button(page, 'Print')).toBeHidden();
  await expect(menu(page, 'Lending')).toBeHidden();
});

test('the page of a reader has loans, reservations and what was returned', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // at the end there is no such reader
  await lend(stack, 'bwayne', 'Clean Code');
  await lend(stack, 'bbanner', 'Homo faber');
  await reserve(stack, 'bwayne', 'Homo faber');
  await lend(stack, 'bwayne', 'Design Patterns');
  await stack.as('bwayne', 'POST', `/books/${await id(stack, 'Design Patterns')}/return`);
  await signIn(page, 'pparker', '/lending');
  await page.getByRole('link', { name: 'Bruce Wayne' }).click();
  await expect(heading(page, 'Bruce Wayne')).toBeFocused();
  const table = (name: string): Locator => page.getByRole('table', { name });
  await expect(table('On loan')).toContainText('Clean Code');
  await expect(table('Reservations')).toContainText('Homo faber');
  await expect(table('Returned')).toContainText('Design Patterns');
  await expect(page.getByText('The name is deleted from returned loans after 365 days.')).toBeVisible();
  await button(page, 'Return “Clean Code”, Bruce Wayne').click();
  await expect(table('Returned')).toContainText('Clean Code');
  await expect(page.getByText('No books on loan.')).toBeVisible();
  // Readers are found by their names; somebody who has nothing has a page as well.
  await tab(page, 'Readers').click();
  await expect(heading(page, 'Readers')).toBeFocused();
  await page.getByRole('searchbox', { name: 'Search readers' }).fill('park');
  await said(page, '1 reader');
  await page.getByRole('link', { name: 'Peter Parker' }).click();
  await expect(heading(page, 'Peter Parker')).toBeVisible();
  await page.reload();
  await expect(heading(page, 'Peter Parker')).toBeVisible();
  await expect(page.getByText('No earlier loans are on record.')).toBeVisible();
  await page.goto('/readers/00000000-0000-4000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'This reader does not exist' })).toBeVisible();
});

test('what is on loan is found by reader, title or barcode', async ({ page, stack }) => {
  await lend(stack, 'bwayne', 'Clean Code');
  await lend(stack, 'bbanner', 'Homo faber');
  const homo = await id(stack, 'Homo faber');
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${homo}/copies`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/copies/${copy?.identifier}`, { barcode: 'LIB-0042' });
  await signIn(page, 'pparker', '/lending');
  await expect(page.getByRole('status').filter({ hasText: '2 books are on loan' })).toBeVisible();
  const box = page.getByRole('searchbox', { name: 'Search loans' });
  for (const [words, title, other] of [['wayn', 'Clean Code', 'Homo faber'], ['faber', 'Homo faber', 'Clean Code'], ['lib-0042', 'Homo faber', 'Clean Code']] as const) {
    await box.fill(words);
    await expect(row(page, other)).toHaveCount(0);
    await expect(row(page, title)).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: '1 book is on loan' })).toBeVisible();
  }
  await page.reload();
  await expect(row(page, 'Homo faber')).toBeVisible();
  await expect(row(page, 'Clean Code')).toHaveCount(0);
  await box.fill('nobody');
  await expect(page.getByText('No loan found')).toBeVisible();
});

test('staff see what they have borrowed themselves, and renew it', async ({ page, stack, visitor }) => {
  const readers = (await (await stack.as('ckent', 'GET', '/users')).json()) as { identifier: string; lastName: string }[];
  const who = (name: string): string => readers.find((r) => r.lastName === name)?.identifier ?? '';
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 1 });
  for (const [name, title] of [['Parker', 'Clean Code'], ['Kent', 'Homo faber']] as const) {
    await stack.as('pparker', 'POST', '/loans', { user: who(name), book: await id(stack, title) });
  }
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 28 });
  await signIn(page, 'pparker');
  await menu(page, /My loans/).click();
  await expect(heading(page, 'My loans')).toBeFocused();
  await button(page, 'Renew Clean Code').click();
  await said(page, '“Clean Code” has been renewed');
  const admin = await visitor();
  await signIn(admin, 'ckent');
  await menu(admin, /My loans/).click();
  await expect(admin.getByText('Homo faber').first()).toBeVisible();
  await expect(admin.getByRole('button', { name: /^Renew/ })).toHaveCount(0);
});

test('a reader is found by the card, typed or scanned; a program is no reader', async ({ page, stack }) => {
  const wayne = ((await (await stack.as('ckent', 'GET', '/users?q=wayne')).json()) as { identifier: string }[])[0];
  await stack.as('ckent', 'PUT', `/users/${wayne?.identifier}`, { ...wayne, card: 'R0001' });
  await signIn(page, 'pparker', '/readers');
  await expect(page.getByRole('status').filter({ hasText: '4 readers' })).toBeVisible();
  await expect(page.getByRole('row', { name: /Library Client/ })).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search readers' }).fill('R0001');
  await expect(page.getByRole('status').filter({ hasText: '1 reader' })).toBeVisible();
  await expect(page.getByRole('row', { name: /Bruce Wayne/ })).toContainText('R0001');
  await page.getByRole('button', { name: 'Scan a card' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Scan a card' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('R0001');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Bruce Wayne')).toBeFocused();
  await expect(page.getByText('Card R0001')).toBeVisible();
});

test('admins see and do not change; readers see nothing of it', async ({ page, visitor, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await lend(stack, 'bwayne', 'Clean Code');
  await signIn(page, 'ckent');
  await menu(page, 'Lending').click();
  await expect(row(page, 'Clean Code')).toContainText('Bruce Wayne');
  await expect(page.getByText('To make changes, you need the role “Librarian”.')).toBeVisible();
  await expect(page.locator('main').getByRole('button')).toHaveText(['Save as spreadsheet']);
  await expect(tab(page, 'Readers')).toHaveCount(0);
  await page.getByRole('link', { name: 'Bruce Wayne' }).click();
  await expect(heading(page, 'Bruce Wayne')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Edit person' })).toBeVisible();
  await expect(page.locator('main').getByRole('button')).toHaveCount(0);
  await page.getByRole('link', { name: 'Clean Code' }).click();
  await expect(page.getByRole('heading', { name: 'Copies' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Copy 1' })).toContainText('On loan to Bruce Wayne, due');
  await expect(page.locator('section').getByRole('textbox')).toHaveCount(0);
  await page.goto('/readers');
  await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await page.goto('/readers/00000000-0000-4000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'This reader does not exist' })).toBeVisible();

  const reader = await visitor();
  await signIn(reader, 'bwayne', '/lending');
  await expect(reader.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await expect(menu(reader, 'Lending')).toHaveCount(0);
  await reader.goto(`/books/${await id(stack, 'Clean Code')}`);
  await expect(heading(reader, 'Clean Code')).toBeVisible();
  await expect(reader.getByRole('heading', { name: 'Copies' })).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the lists, copies and labels are for everybody, ${colorScheme}`, async ({ visitor, stack, consoleErrors }) => {
    test.slow();
    consoleErrors.expect(answered(404)); // a number that is free
    await lend(stack, 'bwayne', 'Clean Code');
    await lend(stack, 'bbanner', 'Homo faber');
    await reserve(stack, 'bwayne', 'Homo faber');
    await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Homo faber')}/return`);
    const page = await visitor({ colorScheme, viewport: { width: 1280, height: 800 } });
    await signIn(page, 'pparker');
    const check = async (what: string): Promise<void> => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await isForEverybody(page, `${what} at ${width}`, rulesFor(colorScheme));
      }
      await page.setViewportSize({ width: 320, height: 640 });
      await fits(page, what);
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    await menu(page, 'Lending').click();
    await expect(row(page, 'Clean Code')).toBeVisible();
    await check('what is on loan');
    await tab(page, 'Overdue').click();
    await expect(page.getByText('Nothing is overdue')).toBeVisible();
    await check('nothing is overdue');
    await tab(page, 'Reservations').click();
    await expect(row(page, 'Homo faber')).toBeVisible();
    await check('what is to fetch');
    await tab(page, 'Readers').click();
    await expect(page.getByRole('link', { name: 'Bruce Wayne' })).toBeVisible();
    await check('readers');
    await button(page, 'Scan a card').click();
    await expect(page.getByRole('textbox', { name: 'Card' })).toBeFocused();
    await check('a card to scan');
    await page.getByRole('link', { name: 'Bruce Wayne' }).click();
    await expect(heading(page, 'Bruce Wayne')).toBeVisible();
    await check('a reader');
    await page.getByRole('link', { name: 'Homo faber' }).click();
    await page.getByLabel('Barcode of Copy 1').fill('B-0001');
    await page.keyboard.press('Enter');
    await said(page, 'Saved as B-0001.');
    await page.getByRole('button', { name: 'Edit B-0001' }).click();
    await button(page, 'Add a copy').click();
    await page.getByRole('form', { name: 'Add a copy' }).getByLabel(/^Barcode/).fill('not good');
    await button(page, 'Add a copy').click();
    await expect(page.getByText(/no spaces/)).toBeVisible();
    await check('copies that are edited');
    await button(page, 'Print labels').click();
    await expect(heading(page, 'Labels')).toBeVisible();
    await page.getByText('Size', { exact: true }).click();
    await page.getByText('New numbers', { exact: true }).click();
    await page.getByText(/^On this sheet/).click();
    await expect(page.getByLabel('First number')).not.toHaveValue('');
    await check('labels');
  });
}

test('the staff finds copies by their filters, and saves lists as spreadsheets', async ({ page, stack }) => {
  const book = await id(stack, 'Clean Code');
  await stack.as('pparker', 'POST', `/books/${book}/copies`, { barcode: 'B-2', shelf: 'Z 9', note: '=1+1', state: 'damaged' });
  await lend(stack, 'bwayne', 'Clean Code');
  const saved = async (): Promise<[name: string, lines: string[]]> => {
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as spreadsheet').click()]);
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8').split('\r\n')];
  };
  await signIn(page, 'pparker', '/lending');
  await said(page, '1 book is on loan');
  const [name, loans] = await saved();
  expect(name).toMatch(/^loans-\d{4}-\d\d-\d\d\.csv$/);
  expect(loans[0]).toMatch(/^\ufeffidentifier,book\.identifier,book\.title,/);
  expect(loans).toHaveLength(3);
  await tab(page, 'Copies').click();
  await expect(heading(page, 'All copies')).toBeFocused();
  await expect(page.locator('tbody tr').filter({ hasText: 'Lent to Bruce Wayne' })).toHaveCount(1);
  await page.getByLabel('State').selectOption('Damaged');
  await said(page, '1 copy');
  await page.getByLabel('Never lent').check();
  await page.getByRole('textbox', { name: 'Shelf' }).fill('Z 9');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?state=damaged&shelf=Z\+9&neverLent=true$/);
  await expect(row(page, 'Clean Code')).toContainText('B-2');
  await look(page, 'all copies');
  const [, copies] = await saved();
  expect(copies).toHaveLength(3);
  expect(copies[1]).toContain(",B-2,Z 9,'=1+1,damaged,");
  await page.getByRole('textbox', { name: 'Shelf' }).fill('nowhere');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No copies found')).toBeVisible();
  await page.goto('/lending/holds');
  expect((await saved())[1][0]).toContain(',state,position,');
  await page.goto('/statistics');
  expect((await saved())[1][0]).toBe('\ufefffrom,loans,returns');
});
