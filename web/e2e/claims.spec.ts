import { answered, core, expect, isForEverybody, look, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading } from './support/elements';

const result = (page: Page) => page.getByRole('region', { name: 'Desk', exact: true });

/** Looks at the page, and goes on at its usual size. */
async function looked(page: Page, name: string): Promise<void> {
  await look(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code, { delay: 10 });
  await page.keyboard.press('Enter');
}

async function atDesk(page: Page): Promise<void> {
  await signIn(page, 'pparker', '/desk');
  await expect(page.getByRole('textbox', { name: 'Scan or type' })).toBeFocused();
}

/** A book with a copy, and the reader Bruce Wayne with a card. */
async function prepare(stack: Stack): Promise<{ copy: string; user: string }> {
  const book = (await (await stack.as('pparker', 'POST', '/books', { title: 'Stiller', copies: 0 })).json()) as { identifier: string };
  const copy = (await (await stack.as('pparker', 'POST', `/books/${book.identifier}/copies`, { barcode: 'S-1', shelf: 'B 12' })).json()) as { identifier: string };
  const [user] = (await (await stack.as('pparker', 'GET', '/readers?q=wayne')).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/readers/${user!.identifier}`, { card: 'CARD-W' });
  return { copy: copy.identifier, user: user!.identifier };
}

test('a missing copy is found by its scan, and a loan ends when the reader said so', core, async ({ page, stack }) => {
  const { copy } = await prepare(stack);
  await stack.as('pparker', 'PUT', `/copies/${copy}`, { barcode: 'S-1', shelf: 'B 12', state: 'missing' });
  await atDesk(page);
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('It was missing since');
  await looked(page, 'desk-missing');
  expect(await (await stack.as('pparker', 'GET', `/copies/${copy}`)).json()).toMatchObject({ state: 'lendable' });

  await scan(page, 'CARD-W');
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Lent until');
  await page.goto('lending');
  await page.getByRole('row', { name: 'Stiller' }).getByText('More').click();
  await looked(page, 'loans-more');
  await page.getByRole('button', { name: 'Said to be back “Stiller”, Bruce Wayne' }).click();
  await expect(page.getByRole('row', { name: 'Stiller' })).toContainText('Said to be back,');
  await page.getByRole('link', { name: 'Said to be back' }).click();
  await expect(heading(page, 'Said to be back')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Stiller' })).toContainText('B 12');
  await isForEverybody(page, 'claims');
  await looked(page, 'claims');

  await page.goto('desk');
  await expect(page.getByRole('textbox', { name: 'Scan or type' })).toBeFocused();
  await page.getByRole('button', { name: 'Done' }).click();
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Said to be back');
  await looked(page, 'desk-claimed');
  await result(page).getByRole('button', { name: 'Returned on' }).click();
  await expect(result(page)).toContainText('when the reader said so');
});

test('a librarian writes a note and a block, and the desk lends nothing', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await prepare(stack);
  await atDesk(page);
  await scan(page, 'CARD-W');
  const reader = page.getByRole('region', { name: 'Reader' });
  await reader.getByRole('button', { name: 'Edit card, block and note' }).click();
  await page.getByLabel('Block').fill('Two books are lost.');
  await page.getByLabel('Note').fill('Comes on Mondays.\nReads crime.');
  await isForEverybody(page, 'notes');
  await looked(page, 'desk-notes');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(reader).toContainText('Blocked: Two books are lost.');
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Bruce Wayne is blocked.');
  await looked(page, 'desk-blocked');
  await scan(page, 'CARD-W');
  await expect(result(page)).toContainText('Two books are lost.');
  await reader.getByRole('link', { name: 'Bruce Wayne' }).click();
  await expect(heading(page, 'Bruce Wayne')).toBeVisible();
  await expect(page.getByText('Comes on Mondays.')).toBeVisible();
  await looked(page, 'reader-blocked');
});

test('a receipt has what was lent on this visit', core, async ({ page, stack }) => {
  await prepare(stack);
  await atDesk(page);
  await page.evaluate(() => (window.print = () => undefined));
  await scan(page, 'CARD-W');
  await scan(page, 'S-1');
  await expect(result(page)).toContainText('Lent until');
  await looked(page, 'desk-receipt');
  await page.getByRole('button', { name: 'Print receipt' }).click();
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.receipt')).toHaveText(/Bruce Wayne.*Stiller\s*Copy S-1 · until/);
  await expect(page.getByRole('textbox')).toHaveCount(0);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/receipt.png` });
});

test('a librarian reserves a book for a reader on its page', async ({ page, stack }) => {
  const { copy, user } = await prepare(stack);
  const [banner] = (await (await stack.as('pparker', 'GET', '/readers?q=banner')).json()) as { identifier: string }[];
  await stack.as('pparker', 'POST', '/loans', { user: banner!.identifier, copy });
  const [loan] = (await (await stack.as('pparker', 'GET', `/loans?user=${banner!.identifier}`)).json()) as { book: { identifier: string } }[];
  await signIn(page, 'pparker', `/books/${loan!.book.identifier}`);
  await page.getByRole('button', { name: 'Reserve for a reader' }).click();
  await page.getByLabel('Name or card').fill('wayne');
  await page.getByRole('button', { name: 'Find' }).click();
  await looked(page, 'book-reserve');
  await page.getByRole('button', { name: 'Reserve for Bruce Wayne' }).click();
  await expect(page.getByText('Reserved for Bruce Wayne')).toBeVisible();
  expect(await (await stack.as('pparker', 'GET', `/holds?user=${user}`)).json()).toMatchObject([{ state: 'waiting', position: 1 }]);
});
