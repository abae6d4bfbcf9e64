import { answered, everywhere, expect, look, signIn, test, type Locator, type Page, type Stack } from './support/fixtures';
import { card, heading, said, titles } from './support/elements';

/** Fifteen books about engines, of which three have more to say. */
async function shelf(stack: Stack): Promise<void> {
  await stack.as('pparker', 'POST', '/imports/books', [
    { title: 'The Machine', authors: ['Ada Lovelace'], language: 'en', published: 1843, subjects: ['Engines', 'Numbers'], series: 'Notes', volume: '1' },
    { title: 'Machine Dreams', authors: ['Ada Lovelace', 'Bob'], language: 'de', published: 1990, subjects: ['Engines'], series: 'Notes', volume: '10' },
    { title: 'A Dream of Numbers', authors: ['Ada Lovelaceson'], published: 1991, subjects: ['Machines'], series: 'Notes', volume: '2' },
    ...Array.from({ length: 12 }, (_, i) => ({ title: `Engine ${String(i + 1).padStart(2, '0')}`, authors: ['Eve'], subjects: ['Engines', `Kind ${i % 8}`] })),
  ]);
}

/** So many more that the list is much longer than what is new. */
async function fill(stack: Stack): Promise<void> {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 30 }, (_, i) => ({ title: `Volume ${i + 10}` })));
}

const region = (page: Page, name: string): Locator => page.getByRole('region', { name });
const facets = (page: Page): Locator => region(page, 'Narrow down the books');
const sheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Filter the catalogue' });
const pressed = (page: Page): Locator => page.locator('button[aria-pressed=true]');
/** An answer of the library that brings nothing. */
const broken = (stack: Stack) => ({
  status: 500,
  headers: { 'Access-Control-Allow-Origin': stack.web, 'Access-Control-Allow-Credentials': 'true' },
  json: { status: 500, code: 'internal', message: 'Internal Server Error', requestId: '0123456789abcdef' },
});

test('misspelt words are corrected, which the page says, and they can be searched for as they are', everywhere, async ({ page }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await page.getByRole('searchbox').fill('desing pattrens');
  await expect(titles(page)).toHaveText(['Design Patterns']);
  await expect(page.getByText('Showing results for “design patterns”.')).toBeVisible();
  await said(page, '1 book for “design patterns”');
  await expect(page.getByRole('searchbox'), 'what was typed is changed').toHaveValue('desing pattrens');
  await page.getByRole('link', { name: 'Search for “desing pattrens” instead' }).click();
  await expect(page).toHaveURL(/\?q=desing\+pattrens&exact=true$/);
  await expect(page.getByText('No book found')).toBeVisible();
  await expect(page.getByText('Showing results for')).toHaveCount(0);
  await page.goBack();
  await expect(titles(page)).toHaveText(['Design Patterns']);
});

test('other words are corrected again after some were searched for as they are', async ({ page }) => {
  await signIn(page, 'bwayne', '/?q=desing&exact=true');
  await expect(page.getByText('No book found')).toBeVisible();
  await page.getByRole('searchbox').fill('patterms');
  await expect(titles(page)).toHaveText(['Design Patterns']);
  await expect(page).toHaveURL(/\?q=patterms$/);
  await page.getByRole('searchbox').fill('patterns');
  await expect(page.getByText('Showing results for')).toHaveCount(0);
});

test('words that nothing is near to find nothing, and an ISBN that was corrected leads nowhere by itself', async ({ page }) => {
  await signIn(page, 'bwayne', '/?q=xylophone');
  await expect(page.getByText('No book found')).toBeVisible();
  await page.getByRole('searchbox').fill('978-0-13-235088-5');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'for “978' })).toBeVisible();
  await expect(heading(page, 'Catalogue')).toBeVisible();
});

test('an ISBN leads to its book although others name it, and to a list where two have it', everywhere, async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', [{ title: 'A companion', description: 'Read it beside 9780132350884.' }]);
  await signIn(page, 'bwayne');
  const box = page.getByRole('searchbox');
  for (const isbn of ['9780132350884', '0-13-235088-2']) {
    await box.fill(isbn);
    await box.press('Enter');
    await expect(heading(page, 'Clean Code')).toBeVisible();
    await page.goBack();
    await expect(heading(page, 'Catalogue')).toBeVisible();
  }
  await stack.as('pparker', 'POST', '/books', { title: 'Clean Code, again', isbn: '0132350882', copies: 1 });
  await box.fill('978-0-13-235088-4');
  await box.press('Enter');
  await expect(titles(page)).toHaveText(['A companion', 'Clean Code', 'Clean Code, again']);
  await expect(heading(page, 'Catalogue')).toBeVisible();
});

test('a correction is for everybody who reads a public catalogue, in every look', async ({ page, stack }) => {
  await stack.reset('--public-catalogue', '--web', '--web-addr', `127.0.0.1:${new URL(stack.web).port}`, '--web-api', stack.api);
  await page.goto('/?q=desing+pattrens');
  await expect(page.getByText('Showing results for “design patterns”.')).toBeVisible();
  await expect(titles(page)).toHaveText(['Design Patterns']);
  await look(page, 'corrected');
});

test('what the books are about stands beside them with counts, which narrow the list and are taken away', everywhere, async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne', '/?q=machine');
  await expect(titles(page)).toHaveText(['The Machine', 'Machine Dreams', 'A Dream of Numbers']);
  const engines = facets(page).getByRole('button', { name: 'Engines 2 books' });
  await engines.focus();
  await page.keyboard.press('Enter');
  await expect(titles(page)).toHaveText(['The Machine', 'Machine Dreams']);
  await expect(page).toHaveURL(/\?q=machine&subject=Engines$/);
  await expect(engines).toHaveAttribute('aria-pressed', 'true');
  await expect(engines, 'the focus is lost').toBeFocused();
  await facets(page).getByRole('button', { name: '1990–1999 1 book' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams']);
  await facets(page).getByRole('button', { name: '1990–1999 1 book' }).click();
  await facets(page).getByRole('button', { name: 'German 1 book' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams']);
  await page.getByRole('button', { name: 'Remove Language: German' }).click();
  await engines.click();
  await expect(titles(page)).toHaveCount(3);
  await expect(pressed(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Available now 3 books' }).click();
  await expect(page.getByRole('radio', { name: 'Available' })).toBeChecked();
});

test('of many values the first are shown, the others when somebody asks, and it looks right', async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne', '/?q=engine');
  await expect(facets(page).getByRole('button', { name: /^Kind/ })).toHaveCount(5);
  await facets(page).getByRole('button', { name: 'Show all 10' }).click();
  await expect(facets(page).getByRole('button', { name: /^Kind/ })).toHaveCount(8);
  await facets(page).getByRole('button', { name: 'Show fewer' }).click();
  await expect(facets(page).getByRole('button', { name: /^Kind/ })).toHaveCount(5);
  await look(page, 'facets');
});

test('on a phone what the list can be narrowed by is a sheet, and its button says how much is active', async ({ page, stack }) => {
  await shelf(stack);
  await page.setViewportSize({ width: 360, height: 780 });
  await signIn(page, 'bwayne', '/?q=machine');
  await expect(titles(page)).toHaveCount(3);
  await expect(facets(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await sheet(page).getByRole('button', { name: 'Engines 2 books' }).click();
  await expect(sheet(page).getByRole('button', { name: 'Show 2 books' })).toBeVisible();
  await sheet(page).getByLabel('From year').fill('1950');
  await sheet(page).getByRole('button', { name: 'Apply' }).click();
  await expect(sheet(page).getByRole('button', { name: 'German 1 book' })).toBeVisible();
  await look(page, 'sheet');
  await page.setViewportSize({ width: 360, height: 780 });
  await sheet(page).getByRole('button', { name: 'Show 1 book' }).click();
  await expect(sheet(page)).toHaveCount(0);
  await expect(titles(page)).toHaveText(['Machine Dreams']);
  const button = page.getByRole('button', { name: 'Filter 2' });
  await expect(button).toBeVisible();
  await button.press('Enter');
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sheet(page)).toHaveCount(0);
  await expect(button).toBeFocused();
});

test('counts of some of the books say so', async ({ page, stack }) => {
  await shelf(stack);
  const counts = { total: 123456, exact: false, subjects: [{ value: 'Engines', count: 2000 }], languages: [], kinds: [], decades: [], availability: { available: 9000, unavailable: 1000 } };
  await page.route(`${stack.api}/books/facets*`, (route) => route.fulfill({ ...broken(stack), status: 200, json: counts }));
  await signIn(page, 'bwayne', '/?q=machine');
  await expect(facets(page)).toContainText('Counts are estimates.');
  await expect(facets(page).getByRole('button', { name: 'Engines 2,000 books' })).toBeVisible();
});

test('the counts follow the books that are borrowed', async ({ page, stack }) => {
  await shelf(stack);
  await signIn(page, 'bwayne', '/?q=machine');
  await expect(facets(page).getByRole('button', { name: 'Available now 3 books' })).toBeVisible();
  await page.getByRole('button', { name: 'Borrow The Machine' }).click();
  await expect(facets(page).getByRole('button', { name: 'Available now 2 books' })).toBeVisible();
});

test('counts, new books and related ones that cannot be read say so, and a second try brings them', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(500), /net::ERR_FAILED/);
  await page.route('**/events', (route) => route.abort()); // when they begin, everything is read again
  await shelf(stack);
  await fill(stack);
  let fails = true;
  for (const part of ['/books/facets*', '/books?sort=-created*', '/books?series=*', '/books?author=*']) {
    await page.route(stack.api + part, (route) => (fails ? route.fulfill(broken(stack)) : route.continue()));
  }
  await signIn(page, 'bwayne');
  await expect(titles(page), 'the list is there all the same').toHaveCount(55);
  for (const part of [facets(page), region(page, 'New in the library')]) await expect(part).toContainText('Something went wrong');
  fails = false;
  for (const part of [facets(page), region(page, 'New in the library')]) await part.getByRole('button', { name: 'Try again' }).click();
  await expect(facets(page).getByRole('button', { name: /^Engines/ })).toBeVisible();
  await expect(region(page, 'New in the library').getByRole('listitem')).toHaveCount(12);
  fails = true;
  await card(page, 'The Machine').getByRole('link').click();
  await expect(heading(page, 'The Machine')).toBeVisible();
  for (const name of ['In this series', 'More by Ada Lovelace']) await expect(region(page, name)).toContainText('Something went wrong');
  fails = false;
  for (const name of ['In this series', 'More by Ada Lovelace']) await region(page, name).getByRole('button', { name: 'Try again' }).click();
  await expect(region(page, 'In this series').getByRole('listitem')).toHaveCount(2);
  await expect(page.getByText('Something went wrong')).toHaveCount(0);
});

test('the page of a book shows its series in order and more by its author, and nothing where there is none', everywhere, async ({ page, stack }) => {
  await shelf(stack);
  const { identifier } = await stack.book('The Machine');
  await signIn(page, 'bwayne', `/books/${identifier}`);
  await expect(region(page, 'In this series').getByRole('link', { name: /Dream/ })).toHaveText(['A Dream of Numbers', 'Machine Dreams']);
  await expect(region(page, 'In this series')).toContainText('Volume 10');
  const more = region(page, 'More by Ada Lovelace');
  await expect(more.getByRole('link', { name: 'Machine Dreams' }), 'and nobody of a similar name').toBeVisible();
  await expect(more.getByRole('listitem')).toHaveCount(1);
  await more.getByRole('link', { name: 'Machine Dreams' }).click();
  await expect(heading(page, 'Machine Dreams')).toBeVisible();
  await expect(page).toHaveURL(/\/books\/[0-9a-f-]+$/);
  await region(page, 'In this series').getByRole('link', { name: 'Show all' }).click();
  await expect(page).toHaveURL(/\?series=Notes$/);
  await expect(titles(page)).toHaveCount(3);
  await page.goto(`/books/${(await stack.book('Homo faber')).identifier}`);
  await expect(heading(page, 'Homo faber')).toBeVisible();
  await expect(page.getByText('More by')).toHaveCount(0);
});

test('the catalogue begins with what is new, and leaves it out where it would only repeat the list', async ({ page, stack }) => {
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(10);
  await shelf(stack);
  await page.reload();
  await expect(titles(page)).toHaveCount(25);
  await expect(page.getByText('New in the library')).toHaveCount(0);
  await fill(stack);
  await page.reload();
  const fresh = region(page, 'New in the library');
  await expect(fresh.getByRole('listitem')).toHaveCount(12);
  await look(page, 'new');
  await page.setViewportSize({ width: 1280, height: 800 });
  // Back leads to the link that was followed, here and in the list.
  const first = fresh.getByRole('listitem').first().getByRole('link');
  await first.click();
  await page.goBack();
  await expect(first).toBeFocused();
  await page.getByRole('searchbox').fill('machine');
  await expect(titles(page)).toHaveCount(3);
  await expect(fresh).toHaveCount(0);
});

test('the first page of the catalogue does not move when what is new arrives', async ({ page, stack }) => {
  await shelf(stack);
  await fill(stack);
  await page.addInitScript(() => {
    interface Shift extends PerformanceEntry { value: number; sources: { node?: Element; previousRect: DOMRect; currentRect: DOMRect }[] }
    const moved: [number, string[]][] = [];
    Object.assign(window, { moved });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) moved.push([value, sources.map(({ node, previousRect, currentRect }) => `${node?.outerHTML?.slice(0, 80)} ${previousRect.y} -> ${currentRect.y}`)]);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.route(/\/books\?.*sort=-created/, async (route) => {
    await new Promise((later) => setTimeout(later, 500));
    await route.continue();
  });
  await signIn(page, 'bwayne');
  await expect(region(page, 'New in the library').getByRole('listitem')).toHaveCount(12);
  await expect(facets(page).getByRole('button', { name: /^Engines/ })).toBeVisible();
  const moved = await page.evaluate(() => (window as unknown as { moved: [number, string[]][] }).moved);
  expect(moved.reduce((sum, [value]) => sum + value, 0), JSON.stringify(moved, undefined, 1)).toBeLessThan(0.05);
});

test('whoever reads a public catalogue has facets, new books and related ones', async ({ page, stack }) => {
  await stack.reset('--public-catalogue', '--web', '--web-addr', `127.0.0.1:${new URL(stack.web).port}`, '--web-api', stack.api);
  await shelf(stack);
  await fill(stack);
  await page.goto('/');
  await expect(region(page, 'New in the library').getByRole('listitem')).toHaveCount(12);
  await facets(page).getByRole('button', { name: 'German 1 book' }).click();
  await expect(titles(page)).toHaveText(['Machine Dreams']);
  await card(page, 'Machine Dreams').getByRole('link').click();
  await expect(region(page, 'More by Ada Lovelace').getByRole('listitem')).toHaveCount(1);
  await look(page, 'related');
});
