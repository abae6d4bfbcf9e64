import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { answered, expect, fits, giveCredentials, isForEverybody, signIn, test, type Locator, type Page, type Stack } from './support/fixtures';
import { borrow, card, giveBack, heading, shelve, titles } from './support/elements';
import { program } from './support/tools';

/** How bright the page is in its middle, from 0 to 255, as it is painted. */
async function brightness(page: Page): Promise<number> {
  const picture = await page.screenshot({ type: 'png' });
  const desk = await page.context().newPage();
  const bright = await desk.evaluate(async (data) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(bitmap, 0, 0);
    const [r = 0, g = 0, b = 0] = context.getImageData(bitmap.width / 2, bitmap.height / 2, 1, 1).data;
    return (r + g + b) / 3;
  }, picture.toString('base64'));
  await desk.close();
  return bright;
}

test('a chosen theme is there in the first frame, before the client runs', async ({ visitor }) => {
  for (const [system, chosen, dark] of [['light', 'dark', true], ['dark', 'light', false]] as const) {
    const page = await visitor({ colorScheme: system });
    await page.goto('/');
    await page.evaluate((theme) => localStorage.setItem('library.theme', theme), chosen);
    // The client never comes: what is painted now is what comes before it.
    await page.route(/\/assets\/app-.*\.js/, () => undefined);
    await page.goto('/', { waitUntil: 'commit' });
    await expect.poll(() => page.evaluate(() => document.styleSheets.length)).toBe(1);
    const bright = await brightness(page);
    if (dark) expect(bright, 'a dark first frame').toBeLessThan(60);
    else expect(bright, 'a light first frame').toBeGreaterThan(200);
    await page.unrouteAll();
  }
});

test('the bars of the browser have the colour of the chosen theme', async ({ visitor }) => {
  const page = await visitor({ colorScheme: 'light' });
  const colours = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')].filter((meta) => matchMedia(meta.media).matches).map((meta) => meta.content),
    );
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name }).check({ force: true });
    await page.keyboard.press('Escape');
  };
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await colours()).toEqual(['#f7f5f0']);
  await choose('Dark');
  expect(await colours()).toEqual(['#191a1b']);
  await page.reload();
  await expect.poll(colours).toEqual(['#191a1b']);
  await choose('System');
  expect(await colours()).toEqual(['#f7f5f0']);
});

test('the library has its own name, in the page and where it is installed', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/net::ERR_/); // nobody answers at the addresses of this one
  const named = spawn(program, ['web', '--addr', '127.0.0.1:0', '--base-path', '/a', '--issuer', stack.issuer, '--api', stack.api, '--name', 'Bücherei Linz'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    for await (const text of named.stderr) {
      log += String(text);
      if (log.includes('msg=listening')) break;
    }
    const web = `http://localhost:${/addr=127\.0\.0\.1:(\d+)/.exec(log)?.[1]}`;
    await page.goto(`${web}/a/`);
    await expect(heading(page, 'Bücherei Linz')).toBeVisible();
    await expect(page.getByRole('banner').getByText('Bücherei Linz')).toBeVisible();
    await expect(page).toHaveTitle('Bücherei Linz');
    await expect(page.locator('meta[name=description]'), 'for search engines').toHaveAttribute('content', /catalogue/);
    const link = await page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=manifest]')?.href ?? '');
    expect(link).toBe(`${web}/a/manifest.webmanifest`);
    // As the browser itself reads it: nothing is wrong, and every icon is there.
    const devtools = await page.context().newCDPSession(page);
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect({ url, errors }).toEqual({ url: link, errors: [] });
    const manifest = JSON.parse(data ?? '{}') as { name: string; start_url: string; icons: { src: string; type: string }[] };
    expect(manifest).toMatchObject({ name: 'Bücherei Linz', short_name: 'Bücherei Linz', start_url: '/a/', scope: '/a/', display: 'standalone' });
    for (const icon of manifest.icons) {
      const answer = await page.request.get(new URL(icon.src, link).href);
      expect([answer.status(), answer.headers()['content-type']], icon.src).toEqual([200, icon.type]);
    }
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter((e) => e.errorId !== 'in-incognito')).toEqual([]);
    await page.goto('about:blank');
  } finally {
    const gone = once(named, 'exit');
    named.kill('SIGKILL');
    await gone;
  }
});

test('a browser that looks for an icon at the root of the site finds one', async ({ page }) => {
  await page.goto('/');
  const answer = await page.evaluate(async () => {
    const { status, headers } = await fetch('/favicon.ico');
    return [status, headers.get('Content-Type')];
  });
  expect(answer).toEqual([200, 'image/x-icon']);
});

test('the provider gets the language that the reader uses', async ({ visitor }) => {
  for (const [locale, language, button] of [['de-AT', 'de', 'Anmelden'], ['en-GB', 'en', 'Sign in']] as const) {
    const page = await visitor({ locale });
    await page.goto('/');
    const asked = page.waitForRequest(/openid-connect\/auth\?/);
    await page.getByRole('button', { name: button }).click();
    expect(new URL((await asked).url()).searchParams.get('ui_locales')).toBe(language);
  }
});

/** Where something is on the screen. */
async function box(element: Locator): Promise<{ top: number; bottom: number; left: number; right: number }> {
  const found = await element.boundingBox();
  if (!found) throw new Error('it is not shown');
  return { top: found.y, bottom: found.y + found.height, left: found.x, right: found.x + found.width };
}

/** Adds Diana Prince, whom the library does not know, with every role. */
async function welcomeDiana(stack: Stack): Promise<void> {
  const roles = ['LIBRARY_USER', 'LIBRARY_CURATOR', 'LIBRARY_ADMIN'];
  await stack.as('ckent', 'POST', '/users', { email: 'diana.prince@example.com', firstName: 'Diana', lastName: 'Prince', roles });
}

test('in high contrast only the current page is marked in the menu', async ({ page }) => {
  await signIn(page, 'pparker');
  await page.emulateMedia({ forcedColors: 'active' });
  const marked = await page.getByRole('navigation').getByRole('link').evaluateAll((links) =>
    links.filter((link) => parseFloat(getComputedStyle(link).borderBlockEndWidth) > 0).map((link) => link.textContent?.trim()));
  expect(marked).toEqual(['Catalogue']);
});

test('what is marked when it is pointed at is not marked by a touch', async ({ page }) => {
  await signIn(page, 'ckent', '/users'); // with the styles of the staff
  await expect(page.getByText('Bruce Banner').first()).toBeVisible();
  const found = await page.evaluate(() => {
    const everywhere: string[] = [];
    let rules = 0;
    const walk = (list: CSSRuleList, pointing: boolean): void => {
      for (const rule of list) {
        if (rule instanceof CSSStyleRule && rule.selectorText.includes(':hover')) {
          rules++;
          if (!pointing) everywhere.push(rule.selectorText);
        }
        if (rule instanceof CSSGroupingRule) walk(rule.cssRules, pointing || (rule instanceof CSSMediaRule && rule.conditionText.includes('(hover: hover)')));
      }
    };
    for (const sheet of document.styleSheets) walk(sheet.cssRules, false);
    return { everywhere, rules };
  });
  expect(found.everywhere).toEqual([]);
  expect(found.rules).toBeGreaterThan(5);
});

test('the letters are those of the system', async ({ page }) => {
  await page.goto('/');
  expect(await page.evaluate(() => getComputedStyle(document.body).fontFamily)).toMatch(/^system-ui/);
});

test('a title from right to left begins at the right of its cover, and stays on it', async ({ page, stack }) => {
  for (const title of ['שיר השירים', 'ألف ليلة وليلة']) await stack.as('pparker', 'POST', '/books', { title });
  await signIn(page, 'bwayne');
  for (const title of ['שיר השירים', 'ألف ليلة وليلة']) {
    const cover = card(page, title).locator('svg');
    const [whole, text] = [await box(cover), await box(cover.locator('text').first())];
    expect(text.left, title).toBeGreaterThanOrEqual(whole.left);
    expect(whole.right - text.right, title).toBeLessThan((whole.right - whole.left) * 0.2);
    expect(text.right, title).toBeLessThanOrEqual(whole.right);
  }
});

test('a cover looks the same everywhere, whatever stands beside it', async ({ page, stack }) => {
  const title = 'Homo faber';
  const { identifier } = await stack.book(title);
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  await stack.as('bwayne', 'POST', `/books/${identifier}/return`);
  await stack.as('bwayne', 'POST', `/books/${identifier}/borrow`);
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 40 }, (_, i) => ({ title: `Homer, volume ${i}` })));
  await signIn(page, 'bwayne');
  const drawing = async (cover: Locator): Promise<string> => {
    await expect(cover).toBeAttached();
    return cover.evaluate((svg) => svg.innerHTML.replace(/<!--.*?-->/g, ''));
  };
  const covers = page.locator('svg.cover').filter({ hasText: 'Max Frisch' });
  const first = await drawing(covers);
  for (const path of ['/?q=homo', '/?q=hom&sort=-title', `/books/${identifier}`, '/loans']) {
    await page.goto(path);
    expect(await drawing(covers.first()), path).toBe(first);
  }
});

test('at the width of a tablet the tools are in one row, in both languages', async ({ page }) => {
  await signIn(page, 'bwayne');
  await page.setViewportSize({ width: 768, height: 1024 });
  for (const other of ['Deutsch', 'English']) {
    const middles = await Promise.all([page.getByRole('searchbox'), page.getByRole('radio').first(), page.getByRole('combobox')].map(async (tool) => {
      const { top, bottom } = await box(tool);
      return Math.round((top + bottom) / 2);
    }));
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThanOrEqual(2);
    await fits(page, `the tools before ${other}`);
    await page.getByRole('button', { name: /^(Account of|Konto von)/ }).click();
    await page.getByRole('button', { name: other }).click();
    await page.keyboard.press('Escape');
  }
});

test('on a phone the action is above the fold, and what is said does not cover it', async ({ page, stack }) => {
  const title = 'Designing Data-Intensive Applications';
  const { identifier } = await stack.book(title);
  await signIn(page, 'bwayne');
  for (const [width, height] of [[360, 640], [320, 568]] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/books/${identifier}`);
    expect((await box(borrow(page, title))).bottom, `${width} px`).toBeLessThan(height);
    await borrow(page, title).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect((await box(giveBack(page, title))).bottom, `${width} px`).toBeLessThan((await box(page.locator('.toast').first())).top);
    await stack.as('bwayne', 'POST', `/books/${identifier}/return`);
  }
});

test('a reader’s card names the status only when the book is not there, and its button is quiet until pointed at', async ({ page, stack }) => {
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await signIn(page, 'bwayne');
  await expect(card(page, 'Homo faber')).toContainText('On loan');
  await expect(card(page, 'Clean Code')).toBeVisible();
  await expect(card(page, 'Clean Code')).not.toContainText('Available');
  const ground = (): Promise<string> => borrow(page, 'Clean Code').evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await ground()).toBe('rgba(0, 0, 0, 0)');
  await borrow(page, 'Clean Code').hover();
  await expect.poll(ground).not.toBe('rgba(0, 0, 0, 0)');
  await page.getByRole('link', { name: 'Clean Code' }).click();
  await expect(page.locator('article').getByText('Available')).toBeVisible(); // a page has room to say it
});

test('cards for the staff say “Available”, too', async ({ page }) => {
  for (const who of ['pparker', 'ckent'] as const) {
    await signIn(page, who);
    await expect(card(page, 'Clean Code')).toContainText('Available');
    await page.context().clearCookies();
    await page.evaluate(() => { sessionStorage.clear(); localStorage.clear(); });
  }
});

test('readers see on which shelf a book stands', async ({ page, stack }) => {
  await shelve(stack, 'Clean Code', 'Science 12', 'Kitchen 3');
  await signIn(page, 'bwayne');
  await expect(card(page, 'Clean Code')).toContainText('Shelf: Kitchen 3 and Science 12');
  await expect(card(page, 'Homo faber')).not.toContainText('Shelf');
  await page.getByRole('radio', { name: 'List' }).check({ force: true });
  await expect(card(page, 'Clean Code')).toContainText('Shelf: Kitchen 3 and Science 12');
  await page.getByRole('link', { name: 'Clean Code' }).click();
  await expect(page.getByRole('definition').filter({ hasText: 'Kitchen 3 and Science 12' })).toBeVisible();
});

test('the catalogue is shown as a list or as covers, and the browser remembers which', async ({ page, stack }) => {
  await stack.as('bbanner', 'POST', `/books/${(await stack.book('Homo faber')).identifier}/borrow`);
  await signIn(page, 'bwayne');
  await expect(page.getByRole('radio', { name: 'Covers' })).toBeChecked();
  await expect(page.locator('svg.cover')).toHaveCount(10);
  await page.getByRole('radio', { name: 'List' }).check({ force: true });
  await expect(page.locator('svg.cover')).toHaveCount(0);
  await expect(titles(page)).toHaveCount(10);
  await expect(card(page, 'Clean Code')).toContainText('Available');
  await expect(card(page, 'Homo faber')).toContainText('On loan');
  await borrow(page, 'Clean Code').click();
  await expect(card(page, 'Clean Code')).toContainText('Yours');
  await page.reload();
  await expect(titles(page)).toHaveCount(10);
  await expect(page.locator('svg.cover')).toHaveCount(0);
  await expect(page.getByRole('radio', { name: 'List' })).toBeChecked();
  // From a book, back leads to its row.
  await page.getByRole('link', { name: 'The Mythical Man-Month' }).click();
  await page.getByRole('link', { name: '← Catalogue' }).click();
  await expect(page.getByRole('link', { name: 'The Mythical Man-Month' })).toBeFocused();
  // By keyboard.
  await page.getByRole('radio', { name: 'List' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('svg.cover')).toHaveCount(10);
});

test('what can be done with the first books is on the screen, as covers and as a list', async ({ page, stack }) => {
  const title = 'A Book with a Title that Goes On and On until Nobody Remembers How It Has Begun';
  await stack.as('pparker', 'POST', '/books', { title, copies: 2, authors: ['Erich Gamma', 'Richard Helm', 'Ralph Johnson', 'John Vlissides', 'Grady Booch'] });
  await shelve(stack, title, 'Informatics, the shelf at the window');
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn(page, 'bwayne');
  for (const view of ['Covers', 'List']) {
    await page.getByRole('radio', { name: view }).check({ force: true });
    await expect(titles(page)).toHaveCount(11);
    const first = await box(page.getByRole('article').first());
    const row = page.getByRole('article').filter({ visible: true });
    for (const one of await row.all()) {
      if ((await box(one)).top > first.top + 1) break;
      await expect(one.getByRole('button')).toBeInViewport({ ratio: 1 });
    }
  }
  expect((await box(page.getByRole('article').nth(7).getByRole('button'))).bottom, 'eight rows of the list').toBeLessThan(800);
});

test('the search stays in reach in a long list, and its answer is read from the beginning', async ({ page, stack }) => {
  await stack.as('pparker', 'POST', '/imports/books', Array.from({ length: 120 }, (_, i) => ({ title: `Volume ${String(i).padStart(3, '0')}` })));
  await signIn(page, 'bwayne');
  await expect(titles(page)).toHaveCount(60);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    await titles(page).nth(50).scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(1000);
    await expect(page.getByRole('searchbox')).toBeInViewport({ ratio: 1 });
    await page.getByRole('searchbox').fill('volume');
    await expect(page.getByRole('status').filter({ hasText: '120 books' })).toBeAttached();
    await expect(titles(page).first()).toBeInViewport();
    await page.getByRole('searchbox').fill('');
    await expect(page.getByRole('status').filter({ hasText: '130 books' })).toBeAttached();
  }
});

test('an empty library offers curators what fills it, and nobody else', async ({ page, stack, visitor }) => {
  const books = (await (await stack.as('pparker', 'GET', '/books')).json()) as { identifier: string }[];
  for (const { identifier } of books) await stack.as('pparker', 'DELETE', `/books/${identifier}`);
  const reader = await visitor();
  await signIn(reader, 'bwayne');
  await expect(reader.getByText('The shelves are still empty')).toBeVisible();
  await expect(reader.getByRole('link', { name: 'Add a book' })).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn(page, 'pparker');
  await expect(page.getByRole('main').getByRole('link', { name: 'Import' })).toBeInViewport({ ratio: 1 });
  await page.getByRole('link', { name: 'Add a book' }).click();
  await expect(heading(page, 'Add a book')).toBeVisible();
});

test('the row of a person leads to that person, wherever it is pressed', async ({ page }) => {
  await signIn(page, 'ckent', '/users');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const { top, bottom, left } = await box(page.getByText('bruce.banner@example.com'));
    await page.mouse.click(left + 20, (top + bottom) / 2); // the link lies above the words
    await expect(heading(page, 'Edit person')).toBeVisible();
    await expect(page.getByLabel('Last name')).toHaveValue('Banner');
    await page.goBack();
  }
  await page.getByRole('button', { name: 'Remove Bruce Banner' }).click();
  await expect(page.getByRole('dialog', { name: 'Remove Bruce Banner?' })).toBeVisible();
});

test('whom the library does not know is shown the address to give to an admin', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(401));
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveCredentials(page, 'dprince');
  await expect(heading(page, 'The library does not know you yet')).toBeVisible();
  await expect(page.getByText('diana.prince@example.com')).toBeVisible();
});

test('on a phone the menu of the staff is one row, and “More” opens the rest, in both languages', async ({ page, stack }) => {
  await welcomeDiana(stack);
  await stack.as('dprince', 'POST', `/books/${(await stack.book('Clean Code')).identifier}/borrow`);
  await signIn(page, 'dprince');
  const menu = page.getByRole('navigation', { name: /^(Main|Haupt)/ });
  const more = menu.getByRole('button', { name: /^(More|Mehr)/ });
  for (const other of ['Deutsch', 'English']) {
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 640 });
      await expect(menu.getByRole('link')).toHaveCount(4);
      expect((await menu.boundingBox())?.height, `one row at ${width} px before ${other}`).toBeLessThan(60);
      await more.click();
      await expect(menu.getByRole('link')).toHaveCount(9);
      for (const link of await menu.getByRole('link').all()) await expect(link).toBeInViewport({ ratio: 1 });
      await fits(page, `the menu at ${width} px before ${other}`);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: /^(Account of|Konto von)/ }).click();
    await page.getByRole('button', { name: other }).click();
    await page.keyboard.press('Escape');
  }
  await more.click();
  await expect(menu.getByRole('link')).toHaveText([/^Catalogue/, /^My loans/, 'Scan', 'Desk', 'Lending', 'Import', 'Statistics', 'People', 'Rules']);
  await isForEverybody(page, 'the menu');
  await page.keyboard.press('Escape');
  await expect(menu.getByRole('link', { name: 'People' })).toBeHidden();
  await more.click();
  await menu.getByRole('link', { name: 'Rules' }).click();
  await expect(heading(page, 'Lending rules')).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Rules' })).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(menu.getByRole('link', { name: 'Rules' })).toHaveAttribute('aria-current', 'page');
  await expect(more).toBeHidden();
});
