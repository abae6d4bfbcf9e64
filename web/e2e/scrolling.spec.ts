import type { Browser, CDPSession, Locator } from '@playwright/test';
import { expect, measured, signIn, test, type Page, type Stack } from './support/fixtures';
import { manyCovers } from './support/pictures';
import { traced, type Traced } from './support/trace';

// `make test-measured` scrolls through more books; 10,000 take minutes to read.
const total = Number(process.env.TEST_BOOKS ?? 300);

const phone = { viewport: { width: 412, height: 840 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const throttled = 4; // times slower than this machine, as a phone is
const frames = 60;
const flick = 150; // pixels that a finger moves the page in one frame

/** A library of many books, all with a cover of their own or none, as the server would answer. */
async function manyBooks(page: Page, stack: Stack, covered: boolean): Promise<void> {
  const cover = manyCovers();
  const [sample] = (await (await stack.as('bwayne', 'GET', '/books')).json()) as object[];
  const book = (n: number): object => ({
    ...sample, identifier: `20000000-0000-4000-8000-${String(n).padStart(12, '0')}`, authors: [`Author ${n % 997}`],
    title: `The ${['Silent', 'Long, Winding and Lost', 'Second', 'Other'][n % 4]} Book of Number ${n}`, ...(covered ? { cover: { version: `v${n}` } } : {}),
  });
  const headers = { 'Access-Control-Allow-Origin': stack.web, 'Access-Control-Allow-Headers': 'authorization', 'Access-Control-Expose-Headers': 'Link, X-Total-Count', 'X-Total-Count': String(total) };
  await page.route(/\/library-server\/books(\?|\/[^/]+\/cover\?)/, async (route) => {
    const url = new URL(route.request().url());
    const picture = /(\d+)\/cover$/.exec(url.pathname)?.[1];
    if (route.request().method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
    if (picture) return route.fulfill({ headers: { ...headers, 'Content-Type': 'image/png' }, body: cover(Number(picture)) });
    const [from, limit] = [Number(url.searchParams.get('cursor') ?? 0), Number(url.searchParams.get('limit'))];
    const next: Record<string, string> = from + limit < total ? { Link: `</library-server/books?cursor=${from + limit}>; rel="next"` } : {};
    return route.fulfill({ headers: { ...headers, ...next }, json: Array.from({ length: Math.min(limit, total - from) }, (_, i) => book(from + i)) });
  });
}

/** Reads on to the end of the list, as somebody does who presses the button at its end over and over. */
async function readAll(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Show more books' })).toBeVisible();
  await page.evaluate(async () => {
    const shown = (): string | null | undefined => document.querySelector('main button + span')?.textContent;
    for (let button; (button = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Show more books')); ) {
      const before = shown();
      scrollTo(0, document.documentElement.scrollHeight);
      // While something else is read, a press does nothing.
      for (; shown() === before; await new Promise((done) => setTimeout(done, 5))) button.click();
    }
  });
  // The focus goes to the first of the books that came last, and the page with it.
  const last = page.getByRole('heading', { level: 2, name: `Number ${total - 1}` });
  await expect.poll(() => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight)).then(() => last.count()), 'the last book').toBe(1);
}

interface There {
  items: number;
  books: number;
  pictures: number;
}

/** What is there of the list: it must not grow with it. */
const there = (page: Page): Promise<There> =>
  page.evaluate(() => {
    const count = (selector: string): number => document.querySelectorAll(selector).length;
    return { items: count('ul.grid > li'), books: count('article'), pictures: count('svg.cover image') };
  });

/** Scrolls frame by frame from a place in the list, in parts of its height. */
async function scroll(browser: Browser, page: Page, from: number): Promise<Traced> {
  await page.evaluate((from) => scrollTo(0, from * document.documentElement.scrollHeight), from);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return traced(browser, page, () =>
    page.evaluate(async ([frames, flick]) => {
      for (let i = 0; i < frames; i++) {
        scrollBy(0, flick);
        await new Promise(requestAnimationFrame);
      }
    }, [frames, flick] as const),
  );
}

const memory = async (cdp: CDPSession): Promise<string> => {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string): number => metrics.find((m) => m.name === name)?.value ?? 0;
  return `${of('Nodes')} nodes, ${Math.round(of('JSHeapUsedSize') / 1e6)} MB of JavaScript`;
};

/** Every cover that was fetched. */
function fetchedCovers(page: Page): string[] {
  const fetched: string[] = [];
  page.on('requestfinished', (request) => request.url().includes('/cover?') && request.method() === 'GET' && fetched.push(request.url()));
  return fetched;
}

async function measure(browser: Browser, page: Page, stack: Stack, covered: boolean): Promise<Traced[]> {
  const fetched = fetchedCovers(page);
  await manyBooks(page, stack, covered);
  await signIn(page, 'bwayne');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await readAll(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: throttled });
  await page.evaluate(() => {
    const page = globalThis as unknown as { shifted: number };
    page.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (page.shifted += (entry as unknown as { value: number }).value))).observe({ type: 'layout-shift' });
  });
  const all: Traced[] = [];
  for (const from of [0, 0.5, 0.9]) {
    all.push(await scroll(browser, page, from));
    const { items, books, pictures } = await there(page);
    expect(items, `items of the list, of ${total}`).toBeLessThan(70);
    expect(books, `books that are drawn, of ${total}`).toBeLessThan(60);
    expect(pictures, 'pictures that are drawn').toBeLessThan(40);
  }
  console.log(`${total} books ${covered ? 'with' : 'without'} covers: ${await memory(cdp)}, ${fetched.length} covers fetched`, JSON.stringify(all));
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  if (covered) await expect.poll(async () => (await there(page)).pictures, 'pictures where the page stands').toBeGreaterThan(0);
  expect(await page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted), 'what was shown has moved').toBe(0);
  expect(fetched.length, 'covers that were fetched twice').toBe(new Set(fetched).size);
  return all;
}

test('a phone scrolls through a long catalogue with covers as it does without them', measured, async ({ browser, visitor, stack }) => {
  test.setTimeout(240_000 + total * 180);
  const works: number[][] = [];
  for (const covered of [false, true]) {
    const page = await visitor(phone);
    works.push((await measure(browser, page, stack, covered)).map(({ work }) => work));
    await page.context().close();
  }
  const [plain = [], pictured = []] = works;
  const sum = (all: number[]): number => all.reduce((a, b) => a + b, 0);
  expect(sum(pictured) / sum(plain), 'times the work of the main thread, with covers').toBeLessThan(3);
});

for (const [screen, look, most] of [['a phone', phone, 70], ['a desk', { viewport: { width: 1280, height: 800 } }, 120]] as const) test(`of a long list on ${screen} the book with the focus stays, every book says which it is, and all are there to be printed`, async ({ visitor, stack }) => {
  test.setTimeout(240_000 + total * 60);
  const page = await visitor(look);
  await manyBooks(page, stack, false);
  await signIn(page, 'bwayne');
  await readAll(page);
  await page.evaluate(() => scrollTo(0, 0));
  const book = (n: number): Locator => page.getByRole('link', { name: `Number ${n}`, exact: false }).and(page.locator(`[href$="${String(n).padStart(12, '0')}"]:not([tabindex])`));
  await book(3).focus();
  const place = (): Promise<number> => book(3).evaluate((link) => link.getBoundingClientRect().top + scrollY);
  const top = await place();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(book(total - 1)).toBeInViewport();
  await expect(book(3)).toBeFocused();
  await expect(book(total - 1).locator('xpath=ancestor::li')).toHaveAttribute('aria-posinset', String(total));
  await expect(book(total - 1).locator('xpath=ancestor::li')).toHaveAttribute('aria-setsize', String(total));
  await expect(book(100)).toHaveCount(0);
  await page.evaluate(() => scrollTo(0, 0));
  await expect(book(1)).toBeVisible();
  expect(await place(), 'where it was').toBe(top);

  const middle = Math.floor(total / 2);
  await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), middle / total);
  await book(middle).scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector<HTMLElement>('nav a[href="/loans"]')?.click()); // without going up to it
  await expect(page.getByRole('heading', { level: 1, name: 'My loans' })).toBeVisible();
  await page.goBack();
  await expect(book(middle)).toBeInViewport();
  expect((await there(page)).items, 'items of the list that one comes back to').toBeLessThan(most);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect((await there(page)).books).toBe(total);
});

/** Goes through the list screen by screen, and looks at every cover. */
const lookAtAll = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);
    const inSight = (cover: Element): boolean => cover.getBoundingClientRect().bottom > 0 && cover.getBoundingClientRect().top < innerHeight;
    const missing = (): boolean => [...document.querySelectorAll('ul.grid svg.cover')].some((cover) => inSight(cover) && !cover.querySelector('image'));
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      scrollTo(0, y);
      do await frame();
      while (missing());
    }
  });

test('a second visit to a long catalogue fetches no cover', async ({ visitor, stack }) => {
  test.setTimeout(240_000 + total * 240);
  const page = await visitor(phone);
  const fetched = fetchedCovers(page);
  await manyBooks(page, stack, true);
  await signIn(page, 'bwayne');
  await readAll(page);
  await lookAtAll(page);
  expect(new Set(fetched).size, 'covers that were fetched').toBe(total);
  await page.goto('/');
  await readAll(page);
  await lookAtAll(page);
  expect(fetched.length, 'covers that were fetched by both visits').toBe(total);
});
