import { answered, core, everywhere, expect, measured, noAnswer, signIn, test } from './support/fixtures';
import { borrow, card, giveBack, heading, said } from './support/elements';

const book = 'Clean Code';

test('a book is borrowed and returned with one tap each', everywhere, async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  await expect(borrow(page, book)).toBeVisible();
  await borrow(page, book).click();
  await expect(card(page, book)).toContainText('Yours');
  await said(page, `You have borrowed “${book}”.`);
  expect((await stack.book(book)).borrowed).toBe(true);
  await giveBack(page, book).click();
  await expect(borrow(page, book)).toBeVisible();
  await said(page, `“${book}” is marked as returned.`);
  expect((await stack.book(book)).borrowed).toBe(false);
});

test('who presses twice borrows once', async ({ page, stack }) => {
  await page.clock.install();
  await signIn(page, 'bwayne');
  await expect(borrow(page, book)).toBeVisible();
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000); // so that the second press comes at once, however slow the machine is
  await borrow(page, book).dblclick({ delay: 60 });
  await said(page, `You have borrowed “${book}”.`);
  // Two taps on a touch screen do not count as a double click.
  await borrow(page, "L'Étranger").scrollIntoViewIfNeeded();
  const second = await borrow(page, "L'Étranger").boundingBox();
  expect(second).not.toBeNull();
  const [x, y] = [second!.x + second!.width / 2, second!.y + second!.height / 2];
  await page.mouse.click(x, y);
  await said(page, 'You have borrowed “L\'Étranger”.');
  await page.mouse.click(x, y);
  await page.clock.runFor(700);
  for (const title of [book, "L'Étranger"]) {
    await expect(card(page, title)).toContainText('Yours');
    expect((await stack.book(title)).borrowed).toBe(true);
  }
});

test('the card changes before the server has answered', async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/borrow', async (route) => {
    await held;
    await route.continue();
  });
  await borrow(page, book).click();
  await expect(card(page, book)).toContainText('Yours');
  expect((await stack.book(book)).borrowed).toBe(false);
  answer();
  await said(page, `You have borrowed “${book}”.`);
  expect((await stack.book(book)).borrowed).toBe(true);
});

test('what was borrowed by mistake is undone with one tap', everywhere, async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  await borrow(page, book).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(borrow(page, book)).toBeVisible();
  await expect.poll(async () => (await stack.book(book)).borrowed).toBe(false);
});

test('a reader who is slower gets a friendly message, and sees the present state', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await page.route('**/events', (route) => route.abort()); // so that this page does not learn of the change
  consoleErrors.expect(/net::ERR_FAILED/);
  await signIn(page, 'bwayne');
  await expect(borrow(page, book)).toBeVisible();
  await stack.as('bbanner', 'POST', `/books/${(await stack.book(book)).identifier}/borrow`);
  await borrow(page, book).click();
  await said(page, `Somebody else has just borrowed “${book}”.`);
  await expect(card(page, book)).toContainText('On loan');
  await expect(card(page, book)).not.toContainText('Banner');
  await expect(borrow(page, book)).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'My loans' })).not.toContainText('1');
});

test('of two who press at the same moment, one gets the book', async ({ page, visitor, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  const other = await visitor();
  await Promise.all([signIn(page, 'bwayne'), signIn(other, 'bbanner')]);
  await Promise.all([expect(borrow(page, book)).toBeVisible(), expect(borrow(other, book)).toBeVisible()]);
  // Both requests are on their way before either is answered.
  let waiting = 0;
  let go = (): void => {};
  const both = new Promise<void>((resolve) => (go = resolve));
  for (const one of [page, other]) {
    await one.route('**/borrow', async (route) => {
      if (++waiting === 2) go();
      await both;
      await route.continue();
    });
  }
  await Promise.all([borrow(page, book).click(), borrow(other, book).click()]);
  const won = (one: typeof page): Promise<boolean> => one.getByText(`You have borrowed “${book}”.`).isVisible();
  const lost = (one: typeof page): Promise<boolean> => one.getByText(`Somebody else has just borrowed “${book}”.`).isVisible();
  await expect.poll(async () => [await won(page), await won(other)].sort()).toEqual([false, true]);
  await expect.poll(async () => [await lost(page), await lost(other)].sort()).toEqual([false, true]);
  const [loser, winner] = (await lost(page)) ? [page, other] : [other, page]; // the loser reads it last, so that it is still there
  await expect(card(winner, book)).toContainText('Yours');
  await expect(card(loser, book)).toContainText('On loan');
  expect((await stack.book(book)).borrowed).toBe(true);
});

for (const [rule, tag, timeout] of [['without a reload', everywhere, undefined], ['within two seconds', measured, 2_000]] as const) {
  test(`what others do shows ${rule}`, tag, async ({ page, visitor }) => {
    const other = await visitor();
    await Promise.all([signIn(page, 'bwayne'), signIn(other, 'bbanner')]);
    await expect(borrow(other, book)).toBeVisible();
    await borrow(page, book).click();
    await said(page, `You have borrowed “${book}”.`);
    await expect(card(other, book)).toContainText('On loan', { timeout });
    await giveBack(page, book).click();
    await said(page, `“${book}” is marked as returned.`);
    await expect(borrow(other, book)).toBeVisible({ timeout });
  });
}

test('books that others add, edit and delete show without a reload', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a book may be read once more while it goes
  await signIn(page, 'bwayne');
  await expect(card(page, book)).toBeVisible();
  const clean = await stack.book(book);
  await stack.as('pparker', 'PUT', `/books/${clean.identifier}`, { title: 'Cleaner Code', authors: clean.authors });
  await expect(card(page, 'Cleaner Code')).toBeVisible();
  await stack.as('pparker', 'POST', '/books', { title: 'A New Book' });
  await expect(page.getByText('1 new book has arrived')).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(card(page, 'A New Book')).toBeVisible();
  await stack.as('pparker', 'DELETE', `/books/${clean.identifier}`);
  await expect(card(page, 'Cleaner Code')).toBeHidden();
});

test('a page of a book that is deleted says so', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a book may be read once more while it goes
  const { identifier } = await stack.book(book);
  await signIn(page, 'bwayne', `/books/${identifier}`);
  await expect(heading(page, book)).toBeVisible();
  await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await expect(heading(page, 'This book is no longer in the library')).toBeVisible();
});

test('after the server was away, the page catches up and follows again', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer, answered(503));
  await signIn(page, 'bwayne');
  await expect(borrow(page, book)).toBeVisible();
  await stack.server.stop();
  await stack.server.start();
  await stack.ready();
  await stack.as('bbanner', 'POST', `/books/${(await stack.book(book)).identifier}/borrow`);
  await expect(card(page, book)).toContainText('On loan');
  await stack.as('bbanner', 'POST', `/books/${(await stack.book(book)).identifier}/return`);
  await expect(borrow(page, book)).toBeVisible();
});

test('one’s loans are listed and counted in the menu', everywhere, async ({ page, stack }) => {
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await signIn(page, 'bwayne', '/loans');
  await expect(heading(page, 'My loans')).toBeVisible();
  await expect(page.getByText('You have no books at the moment')).toBeVisible();
  await page.getByRole('link', { name: 'Browse the catalogue' }).click();
  await borrow(page, book).click();
  await borrow(page, 'Design Patterns').click();
  const menu = page.getByRole('navigation').getByRole('link', { name: /My loans/ });
  await expect(menu).toContainText('2');
  await menu.click();
  await expect(page.getByText('You have 2 books.')).toBeVisible();
  await expect(card(page, 'Homo faber')).toHaveCount(0);
  await giveBack(page, book).click();
  await expect(menu).toContainText('1');
  await expect.poll(async () => (await stack.book(book)).borrowed).toBe(false);
  await page.reload();
  await expect(card(page, 'Design Patterns')).toBeVisible();
  await expect(card(page, book)).toHaveCount(0);
});

test('what one borrows on another device shows in the menu and among the loans', async ({ page, stack }) => {
  await signIn(page, 'bwayne', '/loans');
  await expect(page.getByText('You have no books at the moment')).toBeVisible();
  await stack.as('bwayne', 'POST', `/books/${(await stack.book(book)).identifier}/borrow`);
  await expect(page.getByRole('navigation').getByRole('link', { name: /My loans/ })).toContainText('1');
  await expect(card(page, book)).toContainText('Due ');
  await stack.as('bwayne', 'POST', `/books/${(await stack.book(book)).identifier}/return`);
  await expect(borrow(page, book)).toBeVisible();
});

test('a loan whose answer is lost shows as what it is', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_FAILED/);
  await signIn(page, 'bwayne');
  await page.route('**/borrow', async (route) => {
    await stack.arrives(route.request());
    await route.abort();
  });
  await borrow(page, book).click();
  await said(page, `You have borrowed “${book}”.`);
  await expect(card(page, book)).toContainText('Yours');
  expect((await stack.book(book)).borrowed).toBe(true);
});

test('a renewal whose answer is lost is made once', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_FAILED/);
  const { identifier } = await stack.book(book);
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 29 }); // on the same day a renewal would not move the due date
  await signIn(page, 'bwayne', '/loans');
  const keys: (string | undefined)[] = [];
  await page.route('**/renew', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await stack.arrives(route.request());
    await route.abort();
  });
  await card(page, book).getByRole('button', { name: /^Renew/ }).click();
  await said(page, `“${book}” has been renewed. `);
  await expect(card(page, book)).toContainText('renewed once');
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
});

test('a book that was deleted unnoticed cannot be borrowed from its page or the loans', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404), /net::ERR_FAILED/);
  await page.route('**/events', (route) => route.abort()); // so that this page does not learn of the change
  const { identifier } = await stack.book(book);
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  await signIn(page, 'bwayne', '/loans');
  await giveBack(page, book).click();
  await expect(borrow(page, book)).toBeVisible();
  await expect.poll(async () => (await stack.book(book)).borrowed).toBe(false);
  await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  await borrow(page, book).click();
  await said(page, 'no longer in the library');
  await expect(card(page, book)).toHaveCount(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Catalogue' }).click();
  const other = await stack.book('Homo faber');
  await expect(card(page, 'Homo faber')).toBeVisible();
  await stack.as('pparker', 'DELETE', `/books/${other.identifier}`);
  await page.getByRole('link', { name: 'Homo faber' }).click();
  await expect(heading(page, 'This book is no longer in the library')).toBeVisible();
});

test('a book is borrowed by keyboard alone', everywhere, async ({ page, stack }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('User name')).toBeFocused();
  await page.keyboard.type('bwayne');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wayne');
  await page.keyboard.press('Enter');
  await expect(card(page, book)).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('clean');
  await expect(page.getByRole('article')).toHaveCount(1);
  const reached = (): Promise<boolean> => borrow(page, book).evaluate((button) => button === document.activeElement);
  for (let steps = 0; !(await reached()); steps++) {
    expect(steps, 'the button cannot be reached').toBeLessThan(15);
    await page.keyboard.press('Tab');
    const unseen = await page.evaluate(() => {
      const at = document.activeElement as HTMLElement;
      const shown = [at, at.nextElementSibling, at.parentElement].filter((e) => e !== null).map((e) => getComputedStyle(e));
      return shown.some((s) => s.outlineStyle !== 'none' || s.boxShadow !== 'none') ? '' : at.outerHTML;
    });
    expect(unseen, 'the focus cannot be seen').toBe('');
  }
  await page.keyboard.press('Enter');
  await expect(card(page, book)).toContainText('Yours');
  await expect(giveBack(page, book), 'the focus has gone').toBeFocused();
  await expect(giveBack(page, book)).toBeEnabled(); // it rests for a moment
  await page.keyboard.press('Enter');
  await expect(borrow(page, book)).toBeVisible();
  await expect.poll(async () => (await stack.book(book)).borrowed).toBe(false);
});

test('only readers are offered to borrow', async ({ page }) => {
  await signIn(page, 'pparker');
  await expect(card(page, book)).toBeVisible();
  await expect(borrow(page, book)).toHaveCount(0);
});

test('curators see who has a book, readers do not', async ({ page, visitor, stack }) => {
  await stack.as('bbanner', 'POST', `/books/${(await stack.book(book)).identifier}/borrow`);
  const curator = await visitor();
  await Promise.all([signIn(page, 'bwayne'), signIn(curator, 'pparker')]);
  await expect(card(curator, book)).toContainText(/On loan until .* with Bruce Banner/);
  await expect(card(page, book)).toContainText('On loan');
  await expect(card(page, book)).not.toContainText('Banner');
});

test('who cannot borrow is not invited to', async ({ page }) => {
  await signIn(page, 'ckent', '/loans');
  await expect(page.getByText('You have no books at the moment')).toBeVisible();
  await expect(page.getByText('To borrow books you need the role “Reader”')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Browse the catalogue' })).toHaveCount(0);
});
