import { answered, core, everywhere, expect, signIn, test, type Page } from './support/fixtures';
import { card, describeBook, heading, said } from './support/elements';

const title = (page: Page) => page.getByLabel('Title', { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

test('a curator adds a book', everywhere, async ({ page, stack }) => {
  await signIn(page, 'pparker');
  await page.getByRole('link', { name: 'Add a book' }).click();
  await expect(heading(page, 'Add a book')).toBeFocused();
  await title(page).fill('  Structure and Interpretation  ');
  await page.getByLabel(/^Authors/).fill('Harold Abelson\n\nGerald Jay Sussman\n');
  await page.getByLabel(/^ISBN/).fill('0-262-51087-1');
  await expect(page.getByText('The check digit is correct.')).toBeVisible();
  await describeBook(page, 'The wizard book.\nWith two lines.');
  await save(page).click();
  await said(page, '“Structure and Interpretation” was added.');
  const book = await stack.book('Structure and Interpretation');
  expect(book).toMatchObject({ isbn: '0-262-51087-1', authors: ['Harold Abelson', 'Gerald Jay Sussman'], description: 'The wizard book.\nWith two lines.' });
  await page.goto('/?q=wizard');
  await expect(card(page, 'Structure and Interpretation')).toBeVisible();
});

test('what is wrong is said at the field, and the first one has the focus', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(400));
  await signIn(page, 'pparker', '/books/new');
  await save(page).click();
  await expect(title(page)).toBeFocused();
  await expect(title(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(title(page)).toHaveAccessibleDescription(/This field is required\./);
  await title(page).fill('x'.repeat(256));
  await save(page).click();
  await expect(title(page)).toHaveAccessibleDescription(/At most 255 characters\./);
  await title(page).fill('Good');
  await page.getByLabel(/^ISBN/).fill('978-0-13-235088-5');
  await expect(page.getByText('The check digit does not match.')).toBeVisible();
  await page.getByLabel(/^ISBN/).fill('123');
  await expect(page.getByText('An ISBN has 10 or 13 digits.')).toBeVisible();
  // What only the server finds is said at the field as well.
  await page.getByLabel(/^ISBN/).fill('1'.repeat(21));
  await save(page).click();
  await expect(page.getByLabel(/^ISBN/)).toHaveAttribute('aria-invalid', 'true');
});

test('what is wrong is said in the language of the reader', everywhere, async ({ page }) => {
  await signIn(page, 'pparker', '/books/new');
  await save(page).click();
  await expect(title(page)).toHaveAccessibleDescription(/This field is required\./);
  await describeBook(page, 'Typed before.');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.getByLabel('Titel', { exact: true })).toHaveAccessibleDescription(/Pflichtfeld\./);
  await expect(page.getByLabel(/^Beschreibung/)).toHaveValue('Typed before.');
});

test('a curator edits a book', core, async ({ page, stack }) => {
  await signIn(page, 'pparker');
  await page.getByRole('link', { name: 'Homo faber' }).click();
  await page.getByRole('link', { name: /^Edit/ }).click();
  await expect(heading(page, 'Edit book')).toBeFocused();
  await expect(title(page)).toHaveValue('Homo faber');
  await title(page).fill('Homo Faber');
  await describeBook(page, '');
  await save(page).click();
  await said(page, '“Homo Faber” was saved.');
  await expect(heading(page, 'Homo Faber')).toBeVisible();
  const book = await stack.book('Homo Faber');
  expect(book.description).toBeUndefined();
  expect(book.authors).toEqual(['Max Frisch']);
});

test('what is not saved is not left without a question', everywhere, async ({ page }) => {
  await signIn(page, 'pparker', '/books/new');
  const catalogue = page.getByRole('navigation').getByRole('link', { name: 'Catalogue', exact: true });
  await title(page).fill('Half a Thought');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await catalogue.click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(title(page)).toHaveValue('Half a Thought');
  expect(page.url()).toContain('/books/new');
  await catalogue.click();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(title(page)).toHaveValue('Half a Thought');
  await catalogue.click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(heading(page, 'Catalogue')).toBeVisible();
});

test('a form asks before it is left only if something was typed, also with the back button', async ({ page }) => {
  await signIn(page, 'pparker');
  await page.getByRole('link', { name: 'Add a book' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Catalogue', exact: true }).click();
  await expect(heading(page, 'Catalogue')).toBeVisible();
  await page.getByRole('link', { name: 'Add a book' }).click();
  await title(page).fill('Half a Thought');
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(title(page)).toHaveValue('Half a Thought');
  expect(page.url()).toContain('/books/new');
  await page.goBack();
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(heading(page, 'Catalogue')).toBeVisible();
});

test('closing the tab asks while something is not saved', async ({ page }) => {
  await signIn(page, 'pparker', '/books/new');
  await title(page).fill('Half a Thought');
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.accept();
});

test('deleting asks, names the book, and can be thought better of', everywhere, async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}`);
  await page.getByRole('button', { name: /^Delete/ }).click();
  const question = page.getByRole('dialog', { name: 'Delete “Homo faber”?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await stack.book('Homo faber');
  await page.getByRole('button', { name: /^Delete/ }).click();
  await question.getByRole('button', { name: 'Delete book' }).click();
  await said(page, '“Homo faber” was deleted.');
  await expect(heading(page, 'Catalogue')).toBeVisible();
  await expect(card(page, 'Homo faber')).toHaveCount(0);
  await expect(stack.book('Homo faber')).rejects.toThrow('there is no book');
});

test('a book on loan cannot be deleted, and the page says why', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  const { identifier } = await stack.book('Homo faber');
  await stack.as('bbanner', 'POST', `/books/${identifier}/borrow`);
  await signIn(page, 'pparker', `/books/${identifier}`);
  await expect(page.getByText('with Bruce Banner', { exact: true })).toBeVisible();
  const remove = page.getByRole('button', { name: /^Delete/ });
  if (await remove.isEnabled()) {
    await remove.click();
    await page.getByRole('button', { name: 'Delete book' }).click();
  }
  await expect(page.getByText('A book that is on loan cannot be deleted.').first()).toBeVisible();
  await stack.book('Homo faber');
});

test('a reader is offered nothing of this, and the address alone does not help', async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'bwayne', '/books/new');
  await expect(page.getByText('You do not have access to this page')).toBeVisible();
  await page.goto(`/books/${identifier}/edit`);
  await expect(page.getByText('You do not have access to this page')).toBeVisible();
  await page.goto(`/books/${identifier}`);
  await expect(heading(page, 'Homo faber')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Edit/ })).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await page.goto('/');
  await expect(card(page, 'Homo faber')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add a book' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0);
});
