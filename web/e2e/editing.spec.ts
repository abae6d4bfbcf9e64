import { answered, core, everywhere, expect, noAnswer, signIn, test, type Page } from './support/fixtures';
import { describeBook, heading, said, titles } from './support/elements';

// What happens to an edit while others, the network or the reader go on.
const title = (page: Page) => page.getByLabel('Title', { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

test('a book that was deleted meanwhile cannot be saved, and what was typed is still there', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}/edit`);
  await title(page).fill('Mine');
  await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await save(page).click();
  await expect(page.getByRole('alert').filter({ hasText: 'This has been deleted meanwhile' })).toBeFocused();
  await expect(title(page)).toHaveValue('Mine');
});

test('who edits what another has changed decides which to keep', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412));
  const { identifier } = await stack.book('Homo faber');
  for (const keep of [false, true]) {
    await (keep ? page.goto(`/books/${identifier}/edit`) : signIn(page, 'pparker', `/books/${identifier}/edit`));
    await expect(title(page)).toHaveValue(keep ? 'Theirs' : 'Homo faber');
    await title(page).fill('Mine');
    await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs' });
    if (keep) await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs again' });
    await save(page).click();
    await expect(page.getByText('Somebody else has changed this meanwhile').first()).toBeVisible();
    await expect(title(page)).toHaveValue('Mine');
    if (keep) {
      await page.getByRole('button', { name: 'Save my version' }).click();
      await said(page, '“Mine” was saved.');
      await stack.book('Mine');
    } else {
      await page.getByRole('button', { name: 'Use the newer version' }).click();
      await expect(title(page)).toHaveValue('Theirs');
      await stack.book('Theirs');
    }
  }
});

test('what was typed outlives a server that does not answer when it is to be saved over a newer version', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412), noAnswer);
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}/edit`);
  await title(page).fill('Mine');
  await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs' });
  await page.route(`**/books/${identifier}`, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
  await save(page).click();
  for (const name of ['Save my version', 'Use the newer version']) {
    await page.getByRole('button', { name }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'The library does not answer' })).toBeVisible();
    await expect(title(page)).toHaveValue('Mine');
  }
  await page.unroute(`**/books/${identifier}`);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await said(page, '“Mine” was saved.');
  await stack.book('Mine');
});

test('a late answer neither takes what is typed meanwhile nor moves who has left', async ({ page, stack }) => {
  await signIn(page, 'pparker', '/books/new');
  await title(page).fill('Slow');
  let answer = (): void => undefined;
  const asked = new Promise<void>((sent) =>
    page.route('**/books', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent();
      await new Promise<void>((go) => (answer = go));
      await route.continue();
    }),
  );
  await save(page).click();
  await asked;
  await expect(title(page)).toHaveAttribute('readonly');
  await page.getByRole('navigation').getByRole('link', { name: 'Catalogue', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Add a book' }).click();
  await title(page).fill('Another');
  answer();
  await said(page, '“Slow” was added.');
  await stack.book('Slow');
  await expect(heading(page, 'Add a book')).toBeVisible();
  await expect(title(page)).toHaveValue('Another');
  await page.getByRole('navigation').getByRole('link', { name: 'Catalogue', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
});

test('a lending meanwhile does not spoil an edit', async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}/edit`);
  await title(page).fill('Homo ludens');
  await stack.as('bbanner', 'POST', `/books/${identifier}/borrow`);
  await save(page).click();
  await said(page, '“Homo ludens” was saved.');
  expect((await stack.book('Homo ludens')).borrowed).toBe(true);
});

test('the newer version is compared field by field, and taking it can be undone', everywhere, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412));
  const { identifier, isbn } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}/edit`);
  await title(page).fill('Mine');
  await describeBook(page, 'Typed for an hour.');
  await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs', isbn, authors: ['Max Frisch', 'Somebody Else'] });
  await save(page).click();
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) }).getByRole('cell');
  await expect(row('Title')).toHaveText(['Mine', 'Theirs']);
  await expect(row('Authors')).toHaveText(['Max Frisch', /^Max Frisch\s+Somebody Else$/]);
  await expect(row('Description')).toHaveText(['Typed for an hour.', 'nothing']);
  await expect(row('ISBN'), 'the same in both').toHaveCount(0);
  await page.getByRole('button', { name: 'Use the newer version' }).click();
  await expect(title(page)).toHaveValue('Theirs');
  await expect(page.getByLabel(/^Description/)).toHaveValue('');
  await page.getByRole('button', { name: 'Back to my version' }).click();
  await expect(title(page)).toHaveValue('Mine');
  await expect(page.getByLabel(/^Description/)).toHaveValue('Typed for an hour.');
  await expect(row('Title')).toHaveText(['Mine', 'Theirs']);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await said(page, '“Mine” was saved.');
  expect(await stack.book('Mine')).toMatchObject({ description: 'Typed for an hour.', authors: ['Max Frisch'] });
});

test('mine is saved over the version that it was compared with, and over no newer one', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(412));
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}/edit`);
  await title(page).fill('Mine');
  await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs' });
  await save(page).click();
  await expect(page.getByRole('cell', { name: 'Theirs', exact: true })).toBeVisible();
  await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Theirs again' });
  await page.getByRole('button', { name: 'Save my version' }).click();
  await expect(page.getByRole('cell', { name: 'Theirs again', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Save my version' }).click();
  await said(page, '“Mine” was saved.');
});

test('what is said at a field goes away when it is corrected, and not before', everywhere, async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await signIn(page, 'pparker', '/books/new');
  await page.getByLabel(/^ISBN/).fill('1'.repeat(25));
  await save(page).click();
  await expect(page.getByText('2 fields need another look.')).toBeVisible();
  await page.getByLabel(/^ISBN/).fill('1'.repeat(24));
  await expect(page.getByLabel(/^ISBN/), 'still too long').toHaveAttribute('aria-invalid', 'true');
  await title(page).fill('Good');
  await expect(title(page)).not.toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('This field is required.')).toHaveCount(0);
  await expect(page.getByText('One field needs another look.')).toBeVisible();
  await page.getByLabel(/^ISBN/).fill('');
  await expect(page.getByText(/another look/)).toHaveCount(0);
});

test('after an edit, back leads to where the book was found, and the book is there once', everywhere, async ({ page }) => {
  await signIn(page, 'pparker', '/?q=homo');
  await page.getByRole('link', { name: 'Homo faber' }).click();
  for (const how of ['Save', 'Cancel']) {
    await page.getByRole('link', { name: /^Edit/ }).click();
    await expect(heading(page, 'Edit book')).toBeVisible();
    if (how === 'Save') await describeBook(page, 'Edited.');
    await page.getByRole('button', { name: how, exact: true }).or(page.getByRole('link', { name: how, exact: true })).click();
    await expect(heading(page, 'Homo faber')).toBeVisible();
  }
  await expect(page.getByText('Edited.')).toBeVisible();
  await page.goBack();
  await expect(heading(page, 'Catalogue')).toBeVisible();
  await expect(titles(page)).toHaveText(['Homo faber']);
});
