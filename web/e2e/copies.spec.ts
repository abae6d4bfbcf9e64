import { answered, core, everywhere, expect, signIn, test, type Locator, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

interface Copy { identifier: string; barcode?: string; shelf?: string; note?: string; state: string }
const copiesOf = async (stack: Stack, title: string): Promise<Copy[]> => (await stack.as('pparker', 'GET', `/books/${(await stack.book(title)).identifier}/copies`)).json() as Promise<Copy[]>;
const field = (page: Page, number: number): Locator => page.getByRole('textbox', { name: `Barcode of Copy ${number}`, exact: true });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** What a scanner does: it types, and presses Enter. */
async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
}

test('a new book has copies, which are numbered with a scanner', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), answered(409)); // numbers that are free, and one that is taken
  await signIn(page, 'pparker', '/books/new');
  await page.getByLabel('Title', { exact: true }).fill('Watchmen');
  // By hand: in Firefox, to fill in a number adds to what is there.
  const copies = page.getByLabel('Copies', { exact: true });
  const type = async (number: string): Promise<void> => {
    await copies.press('ControlOrMeta+a');
    await copies.pressSequentially(number);
  };
  await type('1000');
  await button(page, 'Save').click();
  await expect(copies).toHaveAccessibleDescription(/From 0 to 999\./);
  await type('3');
  await button(page, 'Save').click();
  await expect(heading(page, 'Watchmen')).toBeVisible();
  await field(page, 1).focus();
  await expect(page.getByText('Next free number: LIB-0001')).toBeVisible();
  await scan(page, 'W-0098');
  await expect(field(page, 2)).toBeFocused();
  await said(page, 'Saved as W-0098.');
  await scan(page, 'W-0099');
  await expect(field(page, 3)).toBeFocused();
  await expect(field(page, 2)).toHaveValue('W-0099');
  // The same label once more: back to the field, with the reason.
  await scan(page, 'W-0098');
  await expect(field(page, 3)).toHaveAccessibleDescription(/Another copy has this barcode/);
  await expect(field(page, 3)).toBeFocused();
  // The back of the book instead of the label.
  await scan(page, '9780930289232');
  await expect(field(page, 3)).toHaveAccessibleDescription(/looks like the ISBN/);
  await field(page, 3).fill('');
  await button(page, 'Use this number W-0100, Copy 3').click();
  await expect(field(page, 3)).toHaveValue('W-0100');
  await field(page, 3).press('Enter');
  await said(page, 'Saved as W-0100.');
  expect((await copiesOf(stack, 'Watchmen')).map((c) => c.barcode)).toEqual(['W-0098', 'W-0099', 'W-0100']);
  // Another copy, with the next number.
  await button(page, 'Add a copy').click();
  const form = page.getByRole('form', { name: 'Add a copy' });
  await form.getByRole('button', { name: 'Use this number W-0101' }).click();
  await form.getByLabel(/^Shelf/).fill('C 4');
  await button(page, 'Add a copy').click();
  await said(page, 'W-0101 was added.');
  await expect(field(page, 4)).toHaveValue('W-0101');
  await expect(form.getByLabel(/^Barcode/)).toBeFocused();
  // A copy without a number, and all of these numbered at once.
  await button(page, 'Add a copy').click();
  await said(page, 'Copy 5 was added.');
  await field(page, 5).focus();
  await button(page, 'Assign a number to 1 copy').click();
  await said(page, '1 copy now has a number.');
  await expect(field(page, 5)).toHaveValue('W-0102');
});

test('a copy is edited, lost, found and removed, unless somebody has it', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), answered(409), answered(412));
  const book = await stack.book('Homo faber');
  await stack.as('bwayne', 'POST', `/books/${book.identifier}/borrow`);
  await signIn(page, 'pparker', `/books/${book.identifier}`);
  const copy = (number: number): Locator => page.getByRole('listitem').filter({ hasText: `Copy ${number}` });
  await expect(copy(1)).toContainText('On loan to Bruce Wayne, due ');
  await button(page, 'Edit Copy 1').click();
  await copy(1).getByLabel('State').selectOption('Reference only');
  await copy(1).getByLabel('Shelf').fill('F 3');
  await copy(1).getByLabel('Note').fill('The cover is torn.');
  await button(page, 'Save').click();
  await expect(copy(1).getByRole('alert')).toContainText('This copy is on loan.');
  await copy(1).getByLabel('State').selectOption('Damaged');
  await button(page, 'Save').click();
  await said(page, 'Copy 1 has been saved.');
  await expect(button(page, 'Edit Copy 1')).toBeFocused();
  await expect(copy(1)).toContainText('Damaged');
  await expect(copy(1)).toContainText('The cover is torn.');
  await button(page, 'Edit Copy 1').click();
  await button(page, 'Remove Copy 1').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove copy' }).click();
  await said(page, 'This copy is on loan.');
  // It comes back elsewhere; the page gets the event, and the form is older than that.
  await stack.as('bwayne', 'POST', `/books/${book.identifier}/return`);
  await expect(copy(1)).not.toContainText('Bruce Wayne');
  const [now] = await copiesOf(stack, 'Homo faber');
  await stack.as('pparker', 'PUT', `/copies/${now?.identifier}`, { barcode: 'F-0001', state: 'damaged', shelf: 'F 4' });
  await expect(copy(1)).toContainText('F 4');
  await copy(1).getByLabel('Shelf').fill('F 5');
  await button(page, 'Save').click();
  await expect(copy(1).getByRole('alert')).toContainText('Somebody else has changed this copy');
  await button(page, 'Save').click();
  await said(page, 'F-0001 has been saved.');
  expect(await copiesOf(stack, 'Homo faber')).toMatchObject([{ barcode: 'F-0001', shelf: 'F 5', state: 'damaged' }]);
  await button(page, 'Edit F-0001').click();
  // The state is set in one way, whatever it becomes.
  for (const [state, shown] of [['Lost', 'Lost'], ['Can be lent', 'On the shelf']] as const) {
    await expect(copy(1).getByRole('form').getByRole('button')).toHaveText(['Save', 'Cancel', /^Remove/]);
    await copy(1).getByLabel('State').selectOption(state);
    await button(page, 'Save').click();
    await expect(copy(1).locator('.facts')).toContainText(shown);
    await expect(button(page, 'Edit F-0001')).toBeFocused();
    await button(page, 'Edit F-0001').click();
  }
  await button(page, 'Remove F-0001').click();
  await page.getByRole('dialog', { name: 'Remove F-0001?' }).getByRole('button', { name: 'Remove copy' }).click();
  await said(page, 'F-0001 was removed.');
  await expect(page.getByText('This book has no copies.')).toBeVisible();
});
