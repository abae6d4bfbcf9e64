import { core, expect, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { began, box, codes, held, looked, next, people, row, scan, set } from './support/classset';
import { said } from './support/elements';

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
