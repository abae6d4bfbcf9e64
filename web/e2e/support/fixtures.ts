import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test as base, type Browser, type BrowserContext, type BrowserContextOptions, type Cookie, type Locator, type Page } from '@playwright/test';
import { logins, Stack, type Login } from './stack';

export { expect, type Locator, type Page } from '@playwright/test';
export { logins, type Book, type Login, type Stack } from './stack';

/**
 * Everything in the console that nobody expects. Browsers also report there
 * every violation of a policy, and Chromium every answer from 400 on.
 */
export class ConsoleErrors {
  #all: string[] = [];
  #expected: RegExp[] = [];

  watch(context: BrowserContext): void {
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.#all.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (error) => this.#all.push(`exception: ${error.error().stack ?? error.error()}`));
  }

  /** Names what a test provokes. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  get unexpected(): string[] {
    return this.#all.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }
}

/** What Chromium says about an answer with that status. */
export const answered = (status: number): RegExp => new RegExp(`the server responded with a status of ${status}\\b`);

/** What Chromium says when nobody answers. */
export const noAnswer = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|INTERNET_DISCONNECTED|NETWORK_CHANGED|SOCKET_NOT_CONNECTED|ABORTED|FAILED)/;

/** Marks a test of what would be missed first: `make test` runs these and those that run everywhere, .ci/run the others. */
export const core = { tag: '@core' };

/** Marks a test that runs in every browser, and not in Chromium alone. */
export const everywhere = { tag: '@everywhere' };

/** Marks a test that measures: `make test-measured` runs it. */
export const measured = { tag: '@measured' };

/** Opens browsers of other people, each with a memory of its own. */
export type Visitor = (options?: BrowserContextOptions) => Promise<Page>;

interface Fixtures {
  consoleErrors: ConsoleErrors;
  visitor: Visitor;
}

export const test = base.extend<Fixtures, { stack: Stack }>({
  stack: [
    async ({}, use) => {
      const stack = await Stack.start();
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ stack }, use) => use(stack.web),
  consoleErrors: [
    async ({ stack }, use) => {
      await awayFromMidnight('UTC');
      await stack.reset();
      const consoleErrors = new ConsoleErrors();
      await use(consoleErrors);
      expect(consoleErrors.unexpected, 'in the console').toEqual([]);
    },
    { auto: true },
  ],
  context: async ({ context, consoleErrors }, use) => {
    consoleErrors.watch(context);
    await use(context);
  },
  visitor: async ({ browser, consoleErrors, contextOptions, baseURL, locale, timezoneId }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (options = {}) => {
      const context = await open(browser, { ...contextOptions, baseURL, locale, timezoneId, ...options });
      opened.push(context);
      consoleErrors.watch(context);
      return context.newPage();
    });
    for (const context of opened) await context.close();
  },
});

/** Waits for the new day if one is about to begin there: what is due in 28 days would be due in 27 before the test has seen it. */
export async function awayFromMidnight(timeZone: string): Promise<void> {
  const enough = 60;
  const [hours = 0, minutes = 0, seconds = 0] = new Date().toLocaleTimeString('en-GB', { timeZone }).split(':').map(Number);
  const left = 86_400 - (hours * 60 + minutes) * 60 - seconds;
  if (left > enough) return;
  base.setTimeout(base.info().timeout + (enough + 1) * 1000);
  await new Promise((done) => setTimeout(done, (left + 1) * 1000));
}

function open(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  return browser.newContext(options);
}

/** Fills in the provider's pages. */
export async function giveCredentials(page: Page, who: Login): Promise<void> {
  await page.locator('#username').fill(who); // in whichever language
  await page.locator('#password').fill(logins[who]);
  await page.keyboard.press('Enter');
}

/** The cookies of the provider for each person who has signed in before, in this worker. */
const remembered = new Map<Login, Cookie[]>();

/**
 * Goes to a page of the client as somebody. A person signs in with a password
 * once per worker; after that the page is opened as in another tab of the same
 * browser, which asks the provider silently. Where the history of the tab
 * matters, and with it the press of the button, `pressSignIn` is for that.
 */
export async function signIn(page: Page, who: Login, path = '/'): Promise<void> {
  const cookies = remembered.get(who);
  if (!cookies) return pressSignIn(page, who, path);
  await page.context().addCookies(cookies);
  await page.addInitScript(seemsSignedIn);
  await page.goto(path);
  const button = page.getByRole('button', { name: 'Sign in' });
  await expect(inside(page).or(button)).toBeVisible();
  if (await button.isVisible()) await pressAndGo(page, who); // the provider was started again, and has forgotten everybody
}

/** Runs before the scripts of a page, and does something for the first one in a tab only: the others find what the client has noted itself. */
function seemsSignedIn(): void {
  try {
    if (sessionStorage.getItem('opened') === null) localStorage.setItem('library.signed-in', '1');
    sessionStorage.setItem('opened', 'once');
  } catch {
    // a page of the provider, or a browser that allows no storage
  }
}

const inside = (page: Page): Locator => page.getByRole('button', { name: /^Account of/ });

/** Goes to a page of the client and signs in as people do, by the button. */
export async function pressSignIn(page: Page, who: Login, path = '/'): Promise<void> {
  await page.context().addCookies(remembered.get(who) ?? []);
  await page.goto(path);
  await pressAndGo(page, who);
}

async function pressAndGo(page: Page, who: Login): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  const name = page.getByLabel('User name');
  await expect(inside(page).or(name)).toBeVisible();
  if (await name.isVisible()) {
    await giveCredentials(page, who);
    await expect(inside(page)).toBeVisible();
    remembered.set(who, await page.context().cookies());
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const everyRule = { rules: { 'target-size': { enabled: true } } }; // WCAG 2.2, off by default

/** The rules that another colour scheme can break: they look at colours. */
const colourRules = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** Every rule for one colour scheme. In the dark a page is the same in other colours. */
export const rulesFor = (colorScheme: 'light' | 'dark'): object => (colorScheme === 'light' ? everyRule : colourRules);

/** Checks what people need who do not see well, or at all. */
export async function isForEverybody(page: Page, what: string, rules: object = everyRule): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe); // past the policy, which lets no script tag in
  const found = await page.evaluate(async (rules) => {
    const runner = (globalThis as unknown as { axe: { run: (options: object) => Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
    const { violations } = await runner.run({ ...rules, resultTypes: ['violations'] });
    return violations.map((v) => `${v.id} (${v.help}): ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(' | ')}`);
  }, rules);
  expect(found, `${what} keeps somebody out`).toEqual([]);
}

/** Checks that nobody has to scroll sideways. */
export async function fits(page: Page, what: string): Promise<void> {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(sideways, `${what} scrolls sideways`).toBeLessThanOrEqual(0);
}

/** Looks at what is shown in light and dark, narrow and wide. */
export async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 780 });
      await isForEverybody(page, `${name}, ${colorScheme}, ${width} px`, rulesFor(colorScheme));
      const pictures = process.env.SCREENSHOTS;
      if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, '-')}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await fits(page, `${name} at 320 px`);
  expect(await smallTargets(page), `${name}: too small for a thumb`).toEqual([]);
}

/** What can be pressed and is less than 44 px high, except links in a text. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('button, select, input:not([type=hidden]), textarea, nav a, a.button')];
    return all.filter((e) => {
      const at = e.matches('input[type=radio], input[type=checkbox]') ? (e.closest('label') ?? e) : e;
      const box = at.getBoundingClientRect();
      return e.checkVisibility() && box.height > 1 && box.height < 43.5;
    }).map((e) => e.outerHTML.slice(0, 120));
  });
}
