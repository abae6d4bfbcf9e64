import type { Request } from '@playwright/test';
import { expect, fits, giveCredentials, test, type Page, type Stack } from './support/fixtures';

/** Somebody with every role, in a library in which something happens. */
async function prepare(stack: Stack): Promise<string[]> {
  const roles = ['LIBRARY_USER', 'LIBRARY_CURATOR', 'LIBRARY_ADMIN'];
  await stack.as('ckent', 'POST', '/users', { email: 'diana.prince@example.com', firstName: 'Diana', lastName: 'Prince', roles });
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 311 }); // a day of another year has more letters
  // Long words, in which no line can break.
  const long = (await (await stack.as('pparker', 'POST', '/books', { title: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen', authors: ['Wolfeschlegelsteinhausenbergerdorff'] })).json()) as { identifier: string };
  await stack.as('bbanner', 'POST', `/books/${long.identifier}/borrow`);
  await stack.as('bwayne', 'POST', `/books/${long.identifier}/holds`);
  const id = async (title: string): Promise<string> => (await stack.book(title)).identifier;
  const [mine, lent, queued, read] = await Promise.all(['Clean Code', 'Homo faber', 'Designing Data-Intensive Applications', 'Design Patterns'].map(id));
  await stack.as('dprince', 'POST', `/books/${mine}/borrow`);
  await stack.as('dprince', 'POST', `/books/${read}/borrow`);
  await stack.as('dprince', 'POST', `/books/${read}/return`);
  for (const book of [lent, queued]) await stack.as('bbanner', 'POST', `/books/${book}/borrow`);
  await stack.as('bwayne', 'POST', `/books/${lent}/holds`);
  await stack.as('dprince', 'POST', `/books/${queued}/holds`);
  await stack.as('bbanner', 'POST', `/books/${lent}/return`); // set aside for Bruce Wayne
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${read}/copies`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/copies/${copy?.identifier}`, { barcode: 'LIB-0001', shelf: 'Informatik, Regal 14 unten', note: 'Umschlag eingerissen' });
  const readers = (await (await stack.as('pparker', 'GET', '/readers?q=banner')).json()) as { identifier: string }[];
  return [
    '', '?sort=-title', '?q=nothing-like-this', `books/${mine}`, `books/${queued}`, `books/${read}`, 'loans', 'history', 'account', 'books/new', `books/${read}/edit`,
    'desk', 'lending', 'lending/overdue', 'lending/holds', 'lending/holds?show=ready', 'lending/holds?show=waiting', 'lending/holds?show=ended',
    'readers', `readers/${readers[0]?.identifier}`, 'lending/copies', 'lending/stocktakes', 'lending/labels', 'import', 'users', 'users/new', `users/${readers[0]?.identifier}`,
    'rules', 'rules/edit', 'statistics', 'nowhere',
  ];
}

/** Follows a link of the client. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const link = document.createElement('a');
    link.href = `/${to}`;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await expect(page.locator('h1')).toBeVisible();
  await quiet(page); // what comes after the page, such as its parts
  await expect(page.getByText(/^(Loading|Wird geladen)/)).toHaveCount(0);
  await expect(page.locator('[aria-busy=true], .block')).toHaveCount(0);
}

/** Requests of the page that have no answer yet, without the stream of events, which has no end. */
const open = new Set<Request>();

function watch(page: Page): void {
  page.on('request', (request) => void (request.url().endsWith('/events') || open.add(request)));
  for (const event of ['requestfinished', 'requestfailed'] as const) page.on(event as 'requestfinished', (request) => void open.delete(request));
}

/** Waits until nothing is asked for any more, and what has come is drawn. */
async function quiet(page: Page): Promise<void> {
  do {
    await expect.poll(() => open.size).toBe(0);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  } while (open.size > 0);
}

/** What is wider than the window, in a window that its scroll bar makes narrower. */
async function narrow(page: Page, what: string): Promise<void> {
  for (const width of [305, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await fits(page, `${what}, ${width} px`);
  }
}

/** What can be pressed, and is covered by something else or outside the window. */
function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
    const shown = all.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.hidden, .skip, .toasts') && e.getBoundingClientRect().width > 2);
    return shown.filter((e) => {
      e.scrollIntoView({ block: 'center', behavior: 'instant' });
      const box = e.getClientRects()[0] as DOMRect;
      return [0.25, 0.5, 0.75].some((part) => {
        const hit = document.elementFromPoint(box.left + box.width * part, box.top + box.height / 2);
        return !hit || !(e.contains(hit) || (e.closest('label') ?? e).contains(hit));
      });
    }).map((e) => e.outerHTML.slice(0, 160));
  });
}

for (const [locale, colorScheme] of [['de-AT', 'light'], ['en-GB', 'dark']] as const) {
  test(`at 320 pixels every control can be pressed and nothing scrolls sideways, ${locale}`, async ({ visitor, stack }) => {
    test.slow(); // 29 pages
    const paths = await prepare(stack);
    const page = await visitor({ locale, colorScheme, viewport: { width: 320, height: 640 } });
    watch(page);
    await page.goto('/');
    await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
    await giveCredentials(page, 'dprince');
    await expect(page.getByRole('article')).toHaveCount(11);
    for (const path of paths) {
      await visit(page, path);
      const pictures = process.env.SCREENSHOTS;
      if (pictures) await page.screenshot({ path: `${pictures}/320-${locale.slice(0, 2)}-${path.replace(/[0-9a-f-]{36}/, 'id').replace(/\W+/g, '-') || 'books'}.png`, fullPage: true });
      if (path === '?sort=-title') await page.getByRole('radio', { name: /^(List|Liste)$/ }).check({ force: true });
      await narrow(page, `/${path} in ${locale}, ${colorScheme}`);
      expect(await unreachable(page), `/${path} in ${locale}, ${colorScheme}`).toEqual([]);
    }
  });
}
