import { answered, core, everywhere, expect, fits, giveCredentials, isForEverybody, look, rulesFor, test, type Page, type Stack } from './support/fixtures';
import { stationLogin } from './support/stack';

const done = (page: Page) => page.getByRole('button', { name: 'Done' });
const idle = (page: Page) => page.getByRole('heading', { name: 'To borrow' });

/** Types a code as a scanner does. */
async function scan(page: Page, code: string, { enter = true, between = 5 } = {}): Promise<void> {
  await page.keyboard.type(code, { delay: between });
  if (enter) await page.keyboard.press('Enter');
}

/** Compares in this process what the page says: a locator with a text would leave the text in the page. */
const says = (page: Page, ...texts: string[]): Promise<void> =>
  expect.poll(async () => {
    const text = (await page.locator('body').innerText()).replace(/\u00a0/g, ' ');
    return texts.filter((wanted) => !text.includes(wanted));
  }).toEqual([]);

/** Makes the account of the station, two readers with cards, and books with labels. */
async function furnish(stack: Stack): Promise<string> {
  const add = async (body: object): Promise<string> => ((await (await stack.as('ckent', 'POST', '/users', body)).json()) as { identifier: string }).identifier;
  const [station] = await Promise.all([
    add({ firstName: 'Station', lastName: 'Hall', email: 'station.hall@example.com', station: true }),
    add({ firstName: 'Selina', lastName: 'Kyle', card: 'CARD-1', email: 'selina.kyle@example.org', roles: ['LIBRARY_USER'] }),
    add({ firstName: 'Hal', lastName: 'Jordan', card: 'CARD-2', email: 'hal.jordan@example.org', roles: ['LIBRARY_USER'] }),
    ...[['Dracula', 'B-1'], ['Frankenstein', 'B-2'], ['Emma', 'B-3']].map(async ([title, barcode]) => {
      const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, authors: ['Mary Shelley'], copies: 0 })).json()) as { identifier: string };
      await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode });
      return identifier;
    }),
  ]);
  return station;
}

/** Sets this browser up as a station, as somebody of the staff does. */
async function setUp(page: Page): Promise<void> {
  await page.goto('/station');
  await page.getByRole('button', { name: 'Sign in as a station' }).click();
  await giveCredentials(page, stationLogin);
  const consent = page.getByRole('button', { name: /^(Allow|Yes|Continue)/ });
  await expect(idle(page).or(consent)).toBeVisible();
  if (await consent.isVisible()) await consent.click();
  await expect(idle(page)).toBeVisible();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/station');
}

/** All that the browser keeps for the page, as text. */
function kept(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const all: unknown[] = [document.documentElement.outerHTML, location.href, history.length, history.state, { ...localStorage }, { ...sessionStorage }, await caches.keys(), document.cookie];
    for (const { name = '' } of await indexedDB.databases()) {
      const open = indexedDB.open(name);
      const db = await new Promise<IDBDatabase>((yes) => (open.onsuccess = () => yes(open.result)));
      for (const store of db.objectStoreNames) {
        const request = db.transaction(store).objectStore(store).getAll();
        all.push(await new Promise((yes) => (request.onsuccess = () => yes(request.result))));
      }
      db.close();
    }
    for (const box of document.querySelectorAll('input')) all.push(box.value);
    return JSON.stringify(all);
  });
}

test.beforeEach(({ consoleErrors }) => consoleErrors.expect(answered(404), answered(409))); // what is no book may be a card

test('two people one after the other: card, book after book, done; nothing of the first is left', core, async ({ page, stack }) => {
  await furnish(stack);
  await setUp(page);
  await look(page, 'station idle');
  await page.setViewportSize({ width: 1280, height: 800 });
  await scan(page, 'CARD-1');
  await says(page, 'Hello, Selina');
  await scan(page, 'B-1');
  await scan(page, 'B-2');
  await says(page, 'This visit', 'Dracula', 'Frankenstein', 'Borrowed until');
  await look(page, 'station visit');
  await page.setViewportSize({ width: 1280, height: 800 });
  await done(page).click();
  await expect(idle(page)).toBeVisible();
  const traces = ['Selina', 'Kyle', 'CARD-1', 'B-1', 'B-2', 'Dracula', 'Frankenstein'];
  const left = await kept(page);
  expect(traces.filter((trace) => left.includes(trace)), 'in page, history or storage').toEqual([]);

  await scan(page, 'CARD-2');
  await says(page, 'Hello, Hal');
  await scan(page, 'B-1');
  await says(page, 'By the records somebody else has this book');
  await scan(page, 'B-3');
  await says(page, 'Emma');
  // The next person does not wait for the end of the visit.
  await scan(page, 'CARD-1');
  await says(page, 'Hello, Selina', 'You have 2 books.');
  expect((await kept(page)).includes('Emma')).toBe(false);
  await page.waitForTimeout(2100); // the same code sooner than that is the same scan
  await scan(page, 'CARD-1');
  await expect(idle(page)).toBeVisible();
  await page.reload();
  await expect(idle(page)).toBeVisible();
  const loans = (await (await stack.as('pparker', 'GET', '/loans')).json()) as { book: { title: string }; user: { firstName: string } }[];
  expect(loans.map((loan) => `${loan.user.firstName} ${loan.book.title}`).sort()).toEqual(['Hal Emma', 'Selina Dracula', 'Selina Frankenstein']);
});

test('nothing of a visit stays in the memory of the page', async ({ page, stack }) => {
  await furnish(stack);
  await setUp(page);
  const heap = await page.context().newCDPSession(page);
  const inMemory = async (...texts: string[]): Promise<string[]> => {
    let snapshot = '';
    const take = ({ chunk }: { chunk: string }): void => void (snapshot += chunk);
    heap.on('HeapProfiler.addHeapSnapshotChunk', take);
    await heap.send('HeapProfiler.collectGarbage');
    await heap.send('HeapProfiler.takeHeapSnapshot');
    heap.off('HeapProfiler.addHeapSnapshotChunk', take);
    return texts.filter((text) => snapshot.includes(text));
  };
  await scan(page, 'CARD-1');
  await says(page, 'Hello, Selina');
  await scan(page, 'B-1');
  await says(page, 'Dracula');
  expect(await inMemory('Selina', 'Dracula', 'CARD-1')).toEqual(['Selina', 'Dracula', 'CARD-1']);
  await done(page).click();
  await expect(idle(page)).toBeVisible();
  await expect.poll(() => inMemory('Selina', 'Dracula', 'CARD-1')).toEqual([]);
});

test('a scanner types with Enter and without, fast and slow, also after a button was touched', everywhere, async ({ page, stack }) => {
  await furnish(stack);
  await setUp(page);
  await scan(page, 'CARD-1', { enter: false });
  await says(page, 'Hello, Selina');
  await scan(page, 'B-1', { enter: false, between: 150 });
  await says(page, 'Dracula');
  await done(page).focus();
  await scan(page, 'B-2');
  await says(page, 'Frankenstein', 'Dracula');
  await page.getByRole('button', { name: 'Type a number' }).click();
  await page.getByLabel('Number of the card').fill('B-3');
  await page.getByRole('button', { name: 'OK' }).click();
  await says(page, 'Emma', 'Frankenstein', 'Dracula');
});

test('twenty seconds without input end a visit, with a warning ten seconds before', async ({ page, stack }) => {
  await furnish(stack);
  await page.clock.install();
  await setUp(page);
  await scan(page, 'CARD-1');
  await says(page, 'Hello, Selina');
  await page.clock.runFor(8000);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.clock.runFor(3000);
  await expect(page.getByRole('alert')).toHaveText('Are you still there?');
  await isForEverybody(page, 'the warning', rulesFor('light'));
  await page.getByRole('button', { name: 'I’m still here' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.clock.runFor(15_000);
  await says(page, 'Hello, Selina', 'This visit ends in');
  await page.clock.runFor(6000);
  await expect(idle(page)).toBeVisible();
  expect((await kept(page)).includes('Selina')).toBe(false);
});

test('a book is returned without a card, and says nobody’s name; one that is awaited goes to the desk', everywhere, async ({ page, stack }) => {
  await furnish(stack);
  const readers = (await (await stack.as('pparker', 'GET', '/readers?q=kyle')).json()) as { identifier: string }[];
  for (const barcode of ['B-1', 'B-2']) await stack.as('pparker', 'POST', '/loans', { user: readers[0]?.identifier, barcode });
  await stack.as('bwayne', 'POST', `/books/${(await stack.book('Frankenstein')).identifier}/holds`);
  await setUp(page);
  await scan(page, 'B-1');
  await says(page, 'Returned', 'Dracula', 'Put the book on the shelf for returns.');
  await scan(page, 'B-2');
  await says(page, 'Somebody is waiting for it', 'Please take it to the desk.');
  const text = await page.locator('body').innerText();
  expect(['Selina', 'Kyle', 'Bruce', 'Wayne'].filter((name) => text.includes(name))).toEqual([]);
  await scan(page, 'B-3');
  await says(page, 'This book is not on loan. To borrow it, scan your card first.');
  await scan(page, '9780132350884');
  await says(page, 'That is the ISBN.');
  await scan(page, 'NOBODY');
  await says(page, 'This is neither a card nor a book of the library.');
});

test('the page speaks German and English', async ({ page, stack }) => {
  await furnish(stack);
  await setUp(page);
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.getByRole('heading', { name: 'Zurückgeben', exact: true })).toBeVisible();
  await page.keyboard.press('Enter'); // the button that was touched does not take it
  await scan(page, 'CARD-1');
  await says(page, 'Hallo, Selina');
  await scan(page, 'B-1');
  await says(page, 'Dracula', 'Ausgeliehen');
  await look(page, 'station german');
  await page.setViewportSize({ width: 320, height: 640 });
  await fits(page, 'station at 320 px');
});

test('a code that is typed while a card is looked up is whole, and its end presses no button', async ({ page, stack }) => {
  await furnish(stack);
  await page.clock.install();
  await setUp(page);
  await page.getByRole('button', { name: 'Deutsch' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'English' })).toBeFocused();
  await page.clock.pauseAt(new Date(Date.now() + 5000)); // no pause ends a code
  let answer = (): void => undefined;
  const typed = new Promise<void>((yes) => (answer = yes));
  await page.route('**/station/readers', async (route) => {
    await typed;
    await route.continue();
  });
  const lookup = page.waitForRequest('**/station/readers');
  await scan(page, 'CARD-1');
  await lookup;
  await page.keyboard.type('B-1');
  answer();
  await says(page, 'Hallo, Selina');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await says(page, 'Hallo, Selina', 'Dracula', 'Ausgeliehen');
});

test('a station stays signed in after a restart, and says to staff why when it cannot', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(401), answered(403), answered(400));
  const station = await furnish(stack);
  await setUp(page);
  await page.evaluate(() => sessionStorage.clear()); // a tab that is closed loses it
  await page.goto('about:blank');
  await page.goto('/station');
  await expect(idle(page)).toBeVisible();
  const { firstName, lastName, email } = (await (await stack.as('ckent', 'GET', `/users/${station}`)).json()) as Record<string, string>;
  await stack.as('ckent', 'PUT', `/users/${station}`, { firstName, lastName, email, active: false });
  await scan(page, 'CARD-1');
  await expect(page.getByRole('heading', { name: 'Please ask at the desk' })).toBeVisible();
  await page.getByRole('button', { name: 'For staff' }).hover();
  await page.mouse.down();
  await expect(page.getByRole('dialog')).toContainText('The library does not know this account, or it is switched off.');
  await page.mouse.up();
  await look(page, 'station closed');
  await stack.as('ckent', 'PUT', `/users/${station}`, { firstName, lastName, email, active: true });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('dialog')).toContainText('It works.');
});
