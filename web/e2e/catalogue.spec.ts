import { answered, core, everywhere, expect, noAnswer, signIn, test } from './support/fixtures';
import { borrow, card, heading, titles } from './support/elements';

test('the catalogue shows every book with its authors, and whether it can be had', everywhere, async ({ page, stack }) => {
  await stack.as('bwayne', 'POST', `/books/${(await stack.book('Clean Code')).identifier}/borrow`);
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await signIn(page, 'bwayne');
  await expect(heading(page, 'Catalogue')).toBeVisible();
  await expect(titles(page)).toHaveText([
    'Clean Code', 'Design Patterns', 'Designing Data-Intensive Applications', 'Homo faber', 'L\'Étranger', 'OAuth 2 in Action',
    'Pride and Prejudice', 'The C Programming Language', 'The Go Programming Language', 'The Mythical Man-Month',
  ]);
  await expect(page.getByRole('status').filter({ hasText: '10 books' })).toBeVisible();
  await expect(card(page, 'Clean Code')).toContainText('Yours');
  await expect(card(page, 'Homo faber')).toContainText('On loan');
  await expect(borrow(page, 'Design Patterns')).toBeVisible();
  await expect(card(page, 'Design Patterns')).toContainText(/Erich Gamma, Richard Helm, Ralph Johnson,? and John Vlissides/);
});

test('a search finds while it is typed, counts what it finds, and is in the address', everywhere, async ({ page, stack }) => {
  await page.clock.install();
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().startsWith(`${stack.api}/books?`)) asked.push(request.url());
  });
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000); // it is typed at once, however slow the machine is
  await page.getByRole('searchbox').pressSequentially('kernighan prog');
  await page.clock.resume();
  await expect(titles(page)).toHaveText(['The C Programming Language', 'The Go Programming Language']);
  await expect(page.getByRole('status').filter({ hasText: '2 books for “kernighan prog”' })).toBeVisible();
  expect(asked.length, 'a request per letter').toBeLessThan(8);
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('kernighan prog');
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('kernighan prog');
  await expect(titles(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(titles(page)).toHaveCount(10);
  expect(new URL(page.url()).search).toBe('');
});

test('an ISBN is found with and without hyphens, old and new', async ({ page }) => {
  await signIn(page, 'bwayne');
  for (const isbn of ['978-0-13-235088-4', '9780132350884', '0132350882', '0-13-235088-2', '978 0 13 235088 4']) {
    await page.getByRole('searchbox').fill(isbn);
    await expect(titles(page), isbn).toHaveText(['Clean Code']);
    await page.getByRole('searchbox').fill('');
    await expect(titles(page)).toHaveCount(10);
  }
});

test('a slow answer to an older question does not replace a newer one', async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  let answerOld = (): void => {};
  const held = new Promise<void>((resolve) => (answerOld = resolve));
  await page.route(`${stack.api}/books?q=homo*`, async (route) => {
    await held;
    await route.continue().catch(() => undefined); // nobody may want it any more
  });
  const old = page.waitForEvent('requestfailed', (request) => request.url().includes('q=homo'));
  await Promise.all([page.waitForRequest(/q=homo/), page.getByRole('searchbox').fill('homo')]);
  await page.getByRole('searchbox').fill('clean');
  await expect(titles(page)).toHaveText(['Clean Code']);
  await old; // given up
  answerOld();
  await expect(titles(page)).toHaveText(['Clean Code']);
});

test('a search without a match says so and leads back', async ({ page }) => {
  await signIn(page, 'bwayne', '/?q=nothing-like-this');
  await expect(page.getByText('No book found')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '0 books' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all books' }).or(page.getByRole('link', { name: 'Show all books' })).click();
  await expect(titles(page)).toHaveCount(10);
});

test('an empty library says so', async ({ page, stack }) => {
  const books = (await (await stack.as('pparker', 'GET', '/books')).json()) as { identifier: string }[];
  for (const { identifier } of books) await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await signIn(page, 'bwayne');
  await expect(page.getByText('The shelves are still empty')).toBeVisible();
});

test('filter and order are kept in the address', everywhere, async ({ page, stack }) => {
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await signIn(page, 'bwayne');
  await page.getByRole('radio', { name: 'On loan' }).check({ force: true });
  await expect(titles(page)).toHaveText(['Homo faber']);
  await page.getByRole('radio', { name: 'Available' }).check({ force: true });
  await expect(titles(page)).toHaveCount(9);
  await page.getByLabel('Sort by').selectOption({ label: 'Title, Z–A' });
  await expect(titles(page).first()).toHaveText('The Mythical Man-Month');
  await page.reload();
  await expect(titles(page).first()).toHaveText('The Mythical Man-Month');
  await expect(titles(page)).toHaveCount(9);
  await expect(page.getByRole('radio', { name: 'Available' })).toBeChecked();
});

test('a long list comes page by page', core, async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 120 }, (_, i) => ({ title: `Volume ${String(i).padStart(3, '0')}` })));
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(60);
  await expect(page.getByText('60 of 130')).toBeVisible();
  await page.getByRole('button', { name: 'Show more books' }).click();
  await expect(titles(page)).toHaveCount(120);
  await page.getByRole('button', { name: 'Show more books' }).click();
  await expect(titles(page)).toHaveCount(130);
  await expect(page.getByRole('button', { name: 'Show more books' })).toHaveCount(0);
  expect(new Set(await titles(page).allTextContents()).size).toBe(130);
});

test('the page of a book says everything about it, and back leads to the same list', core, async ({ page }) => {
  await signIn(page, 'bwayne', '/?q=language');
  await page.getByRole('link', { name: 'The Go Programming Language' }).click();
  await expect(heading(page, 'The Go Programming Language')).toBeFocused();
  await expect(page).toHaveTitle('The Go Programming Language – Library');
  await expect(page.getByText('978-0-13-419044-0')).toBeVisible();
  await expect(page.getByText('by people who were there')).toBeVisible();
  await expect(page.getByText('Brian W. Kernighan').first()).toBeVisible();
  await page.getByRole('button', { name: 'Borrow The Go Programming Language' }).click();
  await expect(page.getByText('Yours', { exact: true })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('language');
  await expect(card(page, 'The Go Programming Language')).toContainText('Yours');
});

test('addresses of books and pages that do not exist say so', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await signIn(page, 'bwayne', '/books/00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('Not found')).toBeVisible();
  await page.goto('/nowhere');
  await expect(page.getByText('There is no such page')).toBeVisible();
  await page.getByRole('link', { name: 'To the catalogue' }).click();
  await expect(heading(page, 'Catalogue')).toBeFocused();
});

test('the slash key leads to the search, but not while somebody types', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await page.keyboard.type('a/b');
  await expect(page.getByRole('searchbox')).toHaveValue('a/b');
});

test('“← Catalogue” leads to the search and the place that one came from', everywhere, async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 55 }, (_, i) => ({ title: `Volume ${String(i).padStart(3, '0')}` })));
  await signIn(page, 'bwayne', '/?q=volume&sort=-title');
  await expect(titles(page)).toHaveCount(55);
  const link = page.getByRole('link', { name: 'Volume 003', exact: true });
  await link.scrollIntoViewIfNeeded();
  const top = await page.evaluate(() => scrollY);
  expect(top).toBeGreaterThan(0);
  await link.click();
  await page.getByRole('link', { name: '← Catalogue' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('volume');
  await expect(titles(page).first()).toHaveText('Volume 054');
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(top);
  // From a page further on, it is the search all the same.
  await link.click();
  await page.getByRole('navigation').getByRole('link', { name: 'My loans' }).click();
  await page.goBack();
  await page.getByRole('link', { name: '← Catalogue' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('volume');
});

test('the count is about the words that it is for', async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  await expect(page.getByText('10 books', { exact: true })).toBeVisible();
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`${stack.api}/books?q=homo*`, async (route) => {
    await held;
    await route.continue();
  });
  await Promise.all([page.waitForRequest(/q=homo/), page.getByRole('searchbox').fill('homo')]);
  await expect(page.getByText('10 books', { exact: true })).toBeVisible();
  await expect(page.getByText('for “homo”')).toHaveCount(0);
  answer();
  await expect(page.getByText('1 book for “homo”')).toBeVisible();
});

test('“Show” shows the book that has arrived, wherever it belongs in the list', everywhere, async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 100 }, (_, i) => ({ title: `Volume ${i}` })));
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(60);
  for (const title of ['Zebra', 'Zoo']) {
    const show = page.getByRole('button', { name: 'Show', exact: true });
    await expect(async () => {
      if (!(await show.isVisible())) await stack.as('pparker', 'POST', '/books', { title });
      await show.click({ timeout: 3000 });
    }).toPass();
    await expect(titles(page).first()).toHaveText(title);
    await expect(titles(page).first()).toBeInViewport();
    await expect(page.getByText(/ha(s|ve) arrived/)).toHaveCount(0);
  }
  await page.goBack();
  await expect(titles(page).first()).toHaveText('Clean Code');
});

test('a list is as long as before when the server comes back', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 120 }, (_, i) => ({ title: `Volume ${i}` })));
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(60);
  await page.getByRole('button', { name: 'Show more books' }).click();
  await expect(titles(page)).toHaveCount(120);
  await stack.server.stop();
  await expect(page.getByText('The library does not answer. Trying again …')).toBeVisible();
  // The client waits longer after every failure, for less than half a minute by now.
  const again = page.waitForResponse((answer) => answer.url().includes('limit=120'));
  await stack.server.start();
  await again;
  await expect(page.getByText('120 of 130')).toBeVisible();
  await expect(titles(page)).toHaveCount(120);
});

test('back leads through the searches, one at a time and not letter by letter', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  const box = page.getByRole('searchbox');
  await box.pressSequentially('clean', { delay: 250 }); // slower than the search: it asks for the beginnings, too
  await box.press('Enter');
  await expect(titles(page)).toHaveText(['Clean Code']);
  await box.press('ControlOrMeta+a');
  await box.pressSequentially('homo', { delay: 250 });
  await expect(titles(page)).toHaveText(['Homo faber']);
  await page.getByLabel('Sort by').selectOption({ label: 'Title, Z–A' });
  await expect(page).toHaveURL(/\?q=homo&sort=-title$/);
  await page.goBack();
  await expect(page).toHaveURL(/\?q=homo$/);
  await page.goBack();
  await expect(box).toHaveValue('clean');
  await expect(titles(page)).toHaveText(['Clean Code']);
  await page.goBack();
  await expect(box).toHaveValue('');
  await expect(titles(page)).toHaveCount(10);
  await page.goForward();
  await expect(box).toHaveValue('clean');
  await expect(titles(page)).toHaveText(['Clean Code']);
});

test('back leads from a book to its card, with the focus there, in a list that is as long as before', everywhere, async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 120 }, (_, i) => ({ title: `Volume ${String(i).padStart(3, '0')}` })));
  await signIn(page, 'bwayne');
  await page.getByRole('button', { name: 'Show more books' }).click();
  await expect(titles(page)).toHaveCount(120);
  const link = page.getByRole('link', { name: 'Volume 080', exact: true });
  const there = async (): Promise<void> => {
    await expect(link).toBeFocused();
    await expect(link).toBeInViewport();
    await expect(titles(page)).toHaveCount(120);
  };
  await link.click();
  await expect(heading(page, 'Volume 080')).toBeVisible();
  await page.goBack();
  await there();
  const top = await page.evaluate(() => scrollY);
  await link.press('Enter');
  await page.getByRole('link', { name: '← Catalogue' }).click();
  await there();
  expect(await page.evaluate(() => scrollY)).toBe(top);
  // Also after another search, from which one comes back.
  await page.getByRole('searchbox').fill('clean');
  await expect(titles(page)).toHaveText(['Clean Code']);
  await page.goBack();
  await expect(titles(page)).toHaveCount(120);
});

test('back leads to where one was in every list, and does not pull back who has moved on', async ({ page, stack }) => {
  await page.clock.install();
  await signIn(page, 'ckent', '/users');
  const person = page.getByRole('link', { name: /Bruce Banner/ });
  await person.click();
  await expect(heading(page, 'Edit person')).toBeVisible();
  await page.goBack();
  await expect(person).toBeFocused();
  await person.press('Enter');
  await expect(heading(page, 'Edit person')).toBeVisible();
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`${stack.api}/users?*`, async (route) => {
    await held;
    await route.continue();
  });
  await page.goBack();
  await page.getByRole('searchbox').focus();
  answer();
  await expect(person).toBeVisible();
  await page.clock.runFor(300);
  await expect(page.getByRole('searchbox')).toBeFocused();
});
