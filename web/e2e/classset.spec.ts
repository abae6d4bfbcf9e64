import { answered, core, expect, look, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

const next = (page: Page) => page.getByRole('region', { name: 'Next', exact: true });
const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type a barcode' });
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
  }
}

/** Looks at the page, and goes on at its usual size. */
async function looked(page: Page, name: string): Promise<void> {
  await look(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/** Adds people to the class 7b, and returns their identifiers. */
async function people(stack: Stack, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const [firstName, lastName] = name.split(' ');
    const person = { firstName, lastName, email: `${firstName}.${lastName}@example.com`, group: '7b', roles: ['LIBRARY_USER'] };
    ids.push(((await (await stack.as('ckent', 'POST', '/users', person)).json()) as { identifier: string }).identifier);
  }
  return ids;
}

/** Adds a book with copies, and returns its identifier. */
async function set(stack: Stack, title: string, ...barcodes: string[]): Promise<string> {
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, copies: 0 })).json()) as { identifier: string };
  for (const barcode of barcodes) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode });
  return identifier;
}

const codes = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${String(i + 1).padStart(4, '0')}`);

/** Who has which copy, by the library. */
async function held(stack: Stack, book = ''): Promise<string[]> {
  const loans = (await (await stack.as('pparker', 'GET', `/loans?group=7b&limit=1000${book && `&book=${book}`}`)).json()) as { user: { lastName: string }; copy: { barcode: string } }[];
  return loans.map(({ user, copy }) => `${user.lastName} ${copy.barcode}`).sort();
}

/** Opens the page and begins with a class and perhaps a title, with the keyboard alone. */
async function began(page: Page, title = ''): Promise<void> {
  await signIn(page, 'pparker', '/lending/class');
  await expect(page.getByLabel('Class', { exact: true })).toBeFocused();
  await page.keyboard.type('7B');
  if (title) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(title);
    await page.getByRole('option', { name: title }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Enter');
  await expect(box(page)).toBeFocused();
}

test('a class set is lent with the keyboard alone: who is absent is left out, and a mistake is taken back', core, async ({ page, stack }) => {
  await people(stack, 'Cem Celik', 'Anna Abel', 'Dora Dietz', 'Ben Berg');
  const emma = await set(stack, 'Emma', ...codes('LIB', 5));
  await signIn(page, 'pparker', '/lending');
  await page.getByRole('navigation', { name: 'Lending' }).getByRole('link', { name: 'Class set' }).press('Enter');
  await expect(heading(page, 'Class set')).toBeVisible();
  await looked(page, 'classset-setup');
  await began(page, 'Emma');
  await expect(page.getByText('7b: Emma')).toBeVisible();
  await expect(page.getByText('5 free copies')).toBeVisible();
  await expect(next(page)).toContainText('Anna Abel');
  await expect(next(page)).toContainText('Then Ben Berg, Cem Celik, and Dora Dietz');
  await scan(page, 'LIB-0001');
  await expect(next(page)).toContainText('LIB-0001 is for Anna Abel.');
  await expect(next(page)).toContainText('Ben Berg');
  await page.keyboard.press('ArrowDown');
  await expect(next(page)).toContainText('Ben Berg is absent.');
  await scan(page, 'LIB-0003');
  await expect(next(page)).toContainText('LIB-0003 is for Cem Celik.');
  await page.keyboard.press('ArrowUp');
  await expect(next(page)).toContainText('LIB-0003 is taken back from Cem Celik.');
  await scan(page, 'LIB-0002', 'LIB-0001');
  await expect(page.getByRole('alert')).toContainText('LIB-0001 was scanned before. It is for Anna Abel.');
  await expect(row(page, 'Cem Celik')).toContainText('LIB-0002');
  await looked(page, 'classset-scanning');
  expect(await held(stack), 'nothing is lent yet').toEqual([]);

  // A reload keeps what was scanned. Ben comes late.
  await page.reload();
  await expect(next(page)).toContainText('Dora Dietz');
  await page.getByRole('button', { name: 'Make Ben Berg the next' }).press('Enter');
  await expect(next(page)).toContainText('Ben Berg gets the next copy.');
  await expect(box(page)).toBeFocused();
  await scan(page, 'LIB-0004');
  await expect(row(page, 'Ben Berg')).toContainText('LIB-0004');
  await page.keyboard.press('ArrowDown');
  await expect(next(page)).toContainText('Everybody had a turn');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: '3 copies were lent to 7b: Emma' })).toBeFocused();
  await expect(page.getByRole('region', { name: 'Without a copy' })).toContainText('Dora Dietz absent');
  expect(await held(stack, emma)).toEqual(['Abel LIB-0001', 'Berg LIB-0004', 'Celik LIB-0002']);
  await looked(page, 'classset-lent');
});

test('a copy that is lent meanwhile is named at its row, and everybody else keeps theirs', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await people(stack, 'Anna Abel', 'Ben Berg', 'Cem Celik');
  const emma = await set(stack, 'Emma', ...codes('LIB', 5));
  await set(stack, 'Faust', 'F-1');
  await began(page, 'Emma');
  await scan(page, 'F-1');
  await expect(page.getByRole('alert')).toContainText('Not F-1: it is a copy of another book.');
  await scan(page, 'X-9');
  await expect(page.getByRole('alert')).toContainText('Not X-9: no copy has this barcode.');
  await expect(next(page)).toContainText('Anna Abel');
  await scan(page, 'LIB-0001', 'LIB-0002', 'LIB-0003');
  await expect(next(page)).toContainText('Everybody had a turn');
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${emma}/copies`)).json() as { identifier: string; barcode: string }[]).filter(({ barcode }) => barcode === 'LIB-0002');
  const [wayne] = (await (await stack.as('pparker', 'GET', '/readers?q=wayne')).json()) as { identifier: string }[];
  await stack.as('pparker', 'POST', '/loans', { user: wayne!.identifier, copy: copy!.identifier });
  await page.keyboard.press('Control+Enter');
  await said(page, 'Nothing was lent: 1 copy cannot be. Scan another one, or lend the others.');
  await expect(row(page, 'Ben Berg')).toContainText('Not LIB-0002: it is on loan by the records. Return it first. Ben Berg needs another copy.');
  await expect(next(page)).toContainText('Ben Berg');
  expect(await held(stack)).toEqual([]);
  await looked(page, 'classset-refused');
  await scan(page, 'LIB-0005');
  await expect(next(page)).toContainText('LIB-0005 is for Ben Berg.');
  await expect(row(page, 'Ben Berg')).toHaveCount(1);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: '3 copies were lent' })).toBeVisible();
  expect(await held(stack)).toEqual(['Abel LIB-0001', 'Berg LIB-0005', 'Celik LIB-0003']);

  // More for the same class: who has the book is skipped from the beginning.
  await page.getByRole('button', { name: 'Lend more to this class' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Without a copy' })).toContainText('Anna Abel has the book');
  await expect(next(page)).toContainText('Everybody had a turn');
});

test('without a title each copy is its own, and who may not have one is skipped with the reason', async ({ page, stack }) => {
  const [anna] = await people(stack, 'Anna Abel', 'Ben Berg');
  await set(stack, 'Emma', 'E-1');
  await set(stack, 'Faust', 'F-1', 'F-2');
  const answer = await stack.as('pparker', 'GET', `/readers/${anna}`);
  await stack.as('pparker', 'PUT', `/readers/${anna}`, { ...((await answer.json()) as object), block: 'lost three books' });
  await began(page);
  await scan(page, 'F-1');
  await expect(next(page)).toContainText('Anna Abel is skipped: blocked.');
  await expect(next(page)).toContainText('F-1 is for Ben Berg.');
  await expect(row(page, 'Ben Berg')).toContainText('Faust');
  await scan(page, 'E-1');
  await expect(page.getByRole('alert')).toContainText('Nobody is left for E-1.');
  await page.getByLabel('Scan or type a barcode').press('Control+Enter');
  await expect(page.getByRole('heading', { name: '1 copy was lent to 7b' })).toBeVisible();
  expect(await held(stack)).toEqual(['Berg F-1']);
});

test('the list for the teacher has names, barcodes, days and room to sign', async ({ page, stack }) => {
  await people(stack, 'Ben Berg', 'Anna Abel');
  await set(stack, 'Emma', ...codes('LIB', 2));
  await signIn(page, 'pparker', '/lending/class');
  await page.getByLabel('Class', { exact: true }).fill('7b');
  await page.getByRole('combobox', { name: 'Title' }).fill('Emma');
  await page.getByRole('option', { name: 'Emma' }).click();
  const day = new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Due on').fill('2020-01-01');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('A day from today to ten years from now.')).toBeVisible();
  await page.getByLabel('Due on').fill(day);
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(box(page)).toBeFocused();
  await scan(page, 'LIB-0002', 'LIB-0001');
  await expect(next(page)).toContainText('Everybody had a turn');
  await page.getByRole('button', { name: 'Lend 2 copies' }).click();
  await expect(page.getByRole('button', { name: 'Print the list' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const list = page.locator('.class-list');
  await expect(list).toBeVisible();
  await expect(list.locator('p').first()).toHaveText('Class 7b: Emma');
  await expect(list.locator('thead')).toHaveText(/Name\s*Barcode\s*Due\s*Signature/);
  const shown = new Date(day).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
  await expect(list.locator('tbody tr').first()).toContainText(`Anna Abel`);
  await expect(list.locator('tbody tr').first()).toContainText('LIB-0002');
  await expect(list.locator('tbody tr').first()).toContainText(shown);
  await expect(page.getByRole('heading', { level: 1 })).toBeHidden();
  const sign = await list.locator('tbody tr').first().locator('td').last().boundingBox();
  expect(sign!.width).toBeGreaterThan(150);
  expect(sign!.height).toBeGreaterThan(30);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/classset-print.png` });
});

test('scans wait for a connection, and lending twice is lending once', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await people(stack, 'Anna Abel', 'Ben Berg');
  await set(stack, 'Emma', ...codes('LIB', 2));
  await began(page, 'Emma');
  await scan(page, 'LIB-0001');
  await expect(next(page)).toContainText('Ben Berg');
  await page.context().setOffline(true);
  await scan(page, 'LIB-0002');
  await said(page, 'The library does not answer.');
  await page.context().setOffline(false);
  await expect(next(page)).toContainText('Everybody had a turn');
  await page.context().setOffline(true);
  await page.keyboard.press('Control+Enter');
  await said(page, 'You are offline');
  await page.context().setOffline(false);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: '2 copies were lent' })).toBeVisible();
  expect(await held(stack)).toEqual(['Abel LIB-0001', 'Berg LIB-0002']);
});

test('in German a class set is a Klassensatz', async ({ page, stack }) => {
  await people(stack, 'Anna Abel');
  await set(stack, 'Emma', 'LIB-0001');
  await signIn(page, 'pparker', '/lending/class');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await page.keyboard.press('Escape');
  await expect(heading(page, 'Klassensatz')).toBeVisible();
  await page.getByLabel('Klasse', { exact: true }).fill('9z');
  await page.getByRole('button', { name: 'Beginnen' }).click();
  await expect(page.getByText('In „9z“ ist niemand.')).toBeVisible();
  await page.getByLabel('Klasse', { exact: true }).fill('7b');
  await page.getByRole('button', { name: 'Beginnen' }).click();
  await expect(page.getByRole('region', { name: 'Als Nächstes' })).toContainText('Anna Abel');
  await scan(page, 'LIB-0001');
  await looked(page, 'classset-german');
  await page.getByRole('button', { name: '1 Exemplar ausleihen' }).click();
  await expect(page.getByRole('heading', { name: '1 Exemplar ausgeliehen an 7b' })).toBeVisible();
});

const result = (page: Page) => page.getByRole('region', { name: 'Last scan', exact: true });

/** Lends a title to the class 7b without the page. */
async function lent(stack: Stack, book: string, ...barcodes: string[]): Promise<void> {
  await stack.as('pparker', 'POST', '/loans/batch', { book, group: '7b', barcodes });
}

/** Opens the page and begins to collect. */
async function collects(page: Page, title = ''): Promise<void> {
  await signIn(page, 'pparker', '/lending/class?do=collect');
  await expect(page.getByLabel('Class', { exact: true })).toBeFocused();
  await page.keyboard.type('7b');
  if (title) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(title);
    await page.getByRole('option', { name: title }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Enter');
  await expect(box(page)).toBeFocused();
}

test('a class brings its set back in any order: swaps are put right, and who is missing stays on the screen', core, async ({ page, stack }) => {
  await people(stack, 'Anna Abel', 'Ben Berg', 'Cem Celik', 'Dora Dietz');
  const emma = await set(stack, 'Emma', ...codes('LIB', 6));
  await lent(stack, emma, ...codes('LIB', 4));
  await collects(page, 'Emma');
  await expect(page.getByRole('heading', { name: 'Still missing (4)' })).toBeVisible();
  await looked(page, 'classset-collect');
  await scan(page, 'LIB-0003');
  await expect(result(page)).toContainText('Cem Celik');
  await expect(result(page)).toContainText('LIB-0003 is back: “Emma”.');
  await expect(result(page)).toContainText('3 copies are missing.');
  await expect(row(page, 'Cem Celik')).toHaveCount(0);
  await scan(page, 'X-9');
  await expect(page.getByRole('alert')).toContainText('No copy has the barcode X-9.');
  // Anna has taken another copy from the shelf, and so has Dora.
  await scan(page, 'LIB-0005');
  await expect(result(page)).toContainText('Nobody has it');
  await expect(page.getByRole('region', { name: 'Whose is it?' })).toContainText('LIB-0005');
  await looked(page, 'classset-swapped');
  await page.getByRole('button', { name: 'LIB-0005: Dora Dietz' }).press('Enter');
  await expect(result(page)).toContainText('Dora Dietz');
  await expect(result(page)).toContainText('Swapped');
  await expect(page.getByRole('region', { name: 'Whose is it?' })).toHaveCount(0);
  await expect(box(page)).toBeFocused();
  // What is left is known after a reload.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Still missing (2)' })).toBeVisible();
  await scan(page, 'LIB-0002', 'LIB-0006');
  await expect(result(page)).toContainText('Anna Abel');
  await expect(result(page)).toContainText('Swapped');
  await expect(result(page)).toContainText('Everything is back.');
  await expect(page.getByRole('heading', { name: 'Everything is back' })).toBeVisible();
  expect(await held(stack)).toEqual([]);
});

test('without a title the class collects what is scanned; what somebody waits for is set aside, and others are named', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await people(stack, 'Anna Abel', 'Ben Berg');
  const emma = await set(stack, 'Emma', ...codes('E', 3));
  const faust = await set(stack, 'Faust', 'F-1');
  await lent(stack, emma, 'E-0001', 'E-0002');
  await lent(stack, faust, 'F-1');
  const [wayne] = (await (await stack.as('pparker', 'GET', '/readers?q=wayne')).json()) as { identifier: string }[];
  const copies = (await (await stack.as('pparker', 'GET', `/books/${emma}/copies`)).json()) as { identifier: string; barcode: string }[];
  await stack.as('pparker', 'POST', '/loans', { user: wayne!.identifier, copy: copies.find(({ barcode }) => barcode === 'E-0003')!.identifier });
  await stack.as('bbanner', 'POST', `/books/${emma}/holds`);
  await collects(page);
  await expect(page.getByText('Scan a first copy.')).toBeVisible();
  await scan(page, 'E-0001');
  await expect(result(page)).toContainText('Set aside for Bruce Banner until');
  await expect(result(page)).toContainText('From Anna Abel.');
  await expect(page.getByRole('heading', { name: 'Still missing (1)' })).toBeVisible();
  await expect(row(page, 'Ben Berg')).toContainText('Emma');
  await scan(page, 'E-0003');
  await expect(result(page)).toContainText('Bruce Wayne is in no class.');
  await looked(page, 'classset-aside');
  await page.context().setOffline(true);
  await scan(page, 'E-0002', 'F-1');
  await said(page, 'The library does not answer.');
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Everything is back' })).toBeVisible();
  expect(await held(stack)).toEqual([]);
  await page.getByRole('button', { name: 'Another class' }).press('Enter');
  await page.getByLabel('Class', { exact: true }).fill('7b');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Nobody in “7b” has such a book on loan.')).toBeVisible();
});

test('thirty copies are lent and collected in less than five minutes, without a mouse', core, async ({ page, stack }) => {
  const family = (i: number): string => `Family${String.fromCharCode(65 + (i % 26))}${String.fromCharCode(65 + Math.floor(i / 26))}`;
  await people(stack, ...Array.from({ length: 30 }, (_, i) => `Kim ${family(i)}`));
  const barcodes = codes('LIB', 30);
  await set(stack, 'Emma', ...barcodes);
  await began(page, 'Emma');
  const start = Date.now();
  await scan(page, ...barcodes);
  await expect(next(page)).toContainText('Everybody had a turn');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: '30 copies were lent to 7b: Emma' })).toBeFocused();
  expect(await held(stack)).toHaveLength(30);
  await looked(page, 'classset-thirty');
  await page.getByRole('radio', { name: 'Lend' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByLabel('Class', { exact: true })).toHaveValue('7b');
  await expect(page.getByLabel('Class', { exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Still missing (30)' })).toBeVisible();
  await scan(page, ...barcodes.toReversed());
  await expect(page.getByRole('heading', { name: 'Everything is back' })).toBeVisible();
  expect(await held(stack)).toEqual([]);
  expect(Date.now() - start, 'milliseconds').toBeLessThan(300_000);
});
