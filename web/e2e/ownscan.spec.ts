import { answered, core, everywhere, expect, fits, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { borrow, card, giveBack, heading, said } from './support/elements';

interface Copy {
  barcode?: string;
  loan?: { user: { lastName: string } };
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Label or ISBN' });
const first = (page: Page) => page.getByRole('status').getByRole('article');

async function type(page: Page, code: string): Promise<void> {
  await box(page).fill(code);
  await page.keyboard.press('Enter');
}

/** Adds a book with these copies and returns its identifier. */
async function shelve(stack: Stack, title: string, ...barcodes: string[]): Promise<string> {
  const isbn = title === 'Emma' ? '9780141439587' : undefined;
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, authors: ['Jane Austen'], copies: 0, isbn })).json()) as { identifier: string };
  for (const barcode of barcodes) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode });
  return identifier;
}

/** Tells who has which copy by the records. */
async function lent(stack: Stack, book: string): Promise<Record<string, string>> {
  const copies = (await (await stack.as('pparker', 'GET', `/books/${book}/copies`)).json()) as Copy[];
  return Object.fromEntries(copies.flatMap((c) => (c.loan ? [[c.barcode, c.loan.user.lastName]] : [])) as [string, string][]);
}

/** A browser that reads barcodes itself and sees these, one after the other; 'show' in the page brings the next. */
async function sees(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const canvas = document.createElement('canvas');
    const draw = canvas.getContext('2d');
    setInterval(() => draw?.fillRect(0, 0, 9, 9), 50); // a stream without pictures does not begin
    navigator.mediaDevices.enumerateDevices = async () => [{ kind: 'videoinput' } as MediaDeviceInfo];
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
    const seen = globalThis as unknown as { shown: string; BarcodeDetector: unknown };
    seen.shown = '';
    seen.BarcodeDetector = class {
      static getSupportedFormats = async (): Promise<string[]> => ['code_128', 'ean_13', 'qr_code'];
      detect = async (): Promise<{ rawValue: string }[]> => (seen.shown === '' ? [] : [{ rawValue: seen.shown }]);
    };
  });
}
const show = (page: Page, code: string): Promise<void> => page.evaluate((c) => void ((globalThis as unknown as { shown: string }).shown = c), code);

test('a label before the camera of a phone shows one card; the very copy is borrowed and given back', core, async ({ page, stack }) => {
  const book = await shelve(stack, 'Dracula', 'B-1', 'B-2', 'B-3');
  await page.setViewportSize({ width: 390, height: 844 });
  await sees(page);
  await signIn(page, 'bwayne', '/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Scan' }).click();
  await expect(heading(page, 'Scan')).toBeVisible();
  await show(page, 'B-2');
  await expect(first(page)).toContainText('Dracula');
  await expect(first(page).getByRole('button')).toHaveCount(1);
  await look(page, 'scan');
  await page.setViewportSize({ width: 390, height: 844 });
  await borrow(page, 'Dracula').click();
  await expect(first(page)).toContainText(/Yours until \w+, \d+\s\w+/);
  expect(await lent(stack, book)).toEqual({ 'B-2': 'Wayne' });
  await giveBack(page, 'Dracula').click();
  await expect(first(page)).toContainText('Returned. Thank you!');
  expect(await lent(stack, book)).toEqual({});

  // Another copy than that of the records is put right by itself.
  await stack.as('bwayne', 'POST', '/loans', { barcode: 'B-1' });
  await show(page, 'B-3');
  await expect(first(page)).toContainText('Yours until');
  await giveBack(page, 'Dracula').click();
  await expect(first(page)).toContainText('Returned. Thank you!');
  expect(await lent(stack, book)).toEqual({});
});

test('a scan says why there is nothing to do: unknown, lent, of several copies, at the desk', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), answered(409));
  const [reader] = await Promise.all([
    stack.as('ckent', 'POST', '/users', { firstName: 'Selina', lastName: 'Kyle', email: 'selina.kyle@example.org', roles: ['LIBRARY_USER'] }),
    shelve(stack, 'Dracula', 'B-1'), shelve(stack, 'Emma', 'E-1', 'E-2'),
  ]);
  const { identifier: user } = (await reader.json()) as { identifier: string };
  await signIn(page, 'bwayne', '/scan');
  await type(page, 'NOBODY-1');
  await expect(first(page)).toContainText('No book here has the label “NOBODY-1”.');
  await type(page, '978-0-14-143958-7');
  await expect(first(page)).toContainText('The library has several copies of this book. Scan the label on yours.');
  await expect(first(page).getByRole('button')).toHaveCount(0);
  await type(page, 'E-1');
  await expect(borrow(page, 'Emma')).toBeVisible();
  // Somebody was faster.
  await stack.as('pparker', 'POST', '/loans', { user, barcode: 'E-1' });
  await borrow(page, 'Emma').click();
  await expect(first(page).getByRole('alert')).toContainText('By the records somebody else has this copy of “Emma”. Take it to the desk.');
  await stack.as('pparker', 'POST', '/loans', { user, barcode: 'B-1' });
  await type(page, 'B-1');
  await expect(first(page)).toContainText('By the records somebody else has it. Take it to the desk.');
  await expect(first(page).getByRole('button')).toHaveCount(0);
  for (const width of [320, 412]) {
    await page.setViewportSize({ width, height: 700 });
    await fits(page, `scan at ${width} px`);
  }
});

test('what is scanned without a connection is done when it is back, also after a reload', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_/, answered(409)); // a reload can lose an answer
  const [book, emma] = await Promise.all([shelve(stack, 'Dracula', 'B-1', 'B-2'), shelve(stack, 'Emma', 'E-1')]);
  await signIn(page, 'bwayne', '/scan');
  await type(page, 'E-1');
  await expect(borrow(page, 'Emma')).toBeVisible();
  await page.context().setOffline(true);
  await type(page, 'B-2');
  await expect(page.getByRole('alert').filter({ hasText: 'waiting' })).toContainText('1 scan is waiting for a connection.');
  await page.getByRole('button', { name: 'Borrow B-2' }).click();
  await expect(first(page)).toContainText('You will borrow it as soon as the library answers.');
  await borrow(page, 'Emma').click();
  await expect(page.getByRole('alert').filter({ hasText: 'waiting' })).toContainText('2 scans are waiting for a connection.');
  await page.context().setOffline(false);
  await expect(first(page)).toContainText('Yours until');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect.poll(() => lent(stack, emma)).toEqual({ 'E-1': 'Wayne' });
  expect(await lent(stack, book)).toEqual({ 'B-2': 'Wayne' });

  await page.context().setOffline(true);
  await giveBack(page, 'Dracula').click();
  await expect(page.getByRole('alert').filter({ hasText: 'waiting' })).toContainText('1 scan is waiting for a connection.');
  await page.context().setOffline(false);
  await page.reload();
  await expect(first(page)).toContainText('Returned. Thank you!');
  expect(await lent(stack, book)).toEqual({});
});

test('of a book with several copies the reader is asked for the one in the hand', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  const [book] = await Promise.all([shelve(stack, 'Dracula', 'B-1', 'B-2', 'B-3'), shelve(stack, 'Emma', 'E-1')]);
  await signIn(page, 'bwayne', '/');
  await borrow(page, 'Dracula').click();
  const dialog = page.getByRole('dialog', { name: 'Which copy do you have?' });
  const number = dialog.getByRole('textbox', { name: 'Number on the label' });
  await look(page, 'which copy');
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const [code, why] of [['E-1', '“E-1” is the label of “Emma”.'], ['X-1', 'No book here has the label “X-1”.']] as const) {
    await number.fill(code);
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText(why);
  }
  await number.fill('B-2');
  await dialog.getByRole('button', { name: 'Borrow' }).click();
  await said(page, 'You have borrowed “Dracula”.');
  await expect(dialog).toHaveCount(0);
  await expect(card(page, 'Dracula')).toContainText('Yours');
  expect(await lent(stack, book)).toEqual({ 'B-2': 'Wayne' });
  await giveBack(page, 'Dracula').click();
  await expect(borrow(page, 'Dracula')).toHaveAttribute('aria-disabled', 'false');

  await borrow(page, 'Dracula').click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(borrow(page, 'Dracula')).toBeFocused();
  expect(await lent(stack, book)).toEqual({});
  await borrow(page, 'Dracula').click();
  await dialog.getByRole('button', { name: 'I don’t have it in my hand yet' }).click();
  await said(page, 'You have borrowed “Dracula”.');
  await expect.poll(async () => Object.values(await lent(stack, book))).toEqual(['Wayne']);
});
