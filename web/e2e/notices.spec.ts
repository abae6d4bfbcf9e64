import { answered, core, expect, fits, isForEverybody, rulesFor, signIn, test, type Page } from './support/fixtures';
import { heading, said } from './support/elements';

const person = { identifier: '9c1d8b8e-1f57-4d0f-9d3c-2b7a6c5e4f30', firstName: 'Bruce', lastName: 'Banner' };
const notice = (n: number, title: string, more: object): object => ({
  identifier: `3e8f6a1c-5b7d-4f20-8a9e-6c1d2b3a4f0${n}`, kind: 'overdue', state: 'waiting', user: person, attempts: 0,
  book: { identifier: 'f9bf70d6-e56d-4cab-be6b-294cd05f599f', title }, createdAt: '2026-11-17T07:00:12Z', ...more,
});
const samples = [
  notice(1, 'Clean Code', { state: 'failed', attempts: 1, problem: { code: 550, stage: 'rcpt' } }),
  notice(2, 'Homo faber', { kind: 'hold_ready', state: 'sent', attempts: 1, sentAt: '2026-11-17T07:01:00Z' }),
  notice(3, 'Design Patterns', { kind: 'due_soon', attempts: 3, problem: { stage: 'connect' }, nextAttempt: '2026-11-17T09:15:00Z' }),
  notice(4, 'Refactoring', { kind: 'hold_expired', state: 'dropped', user: undefined }),
];

/** The library as it answers where it sends mails: what it knows of notices is given here, everything else is its own. */
async function withMails(page: Page, list: object[] = samples, paused: object[] = []): Promise<void> {
  await page.addInitScript(({ list, paused }) => {
    const own = window.fetch.bind(window);
    const answer = (rows: object[]): Response => Response.json(rows, { headers: { 'X-Total-Count': String(rows.length) } });
    window.fetch = async (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : String(input));
      if (pathname.endsWith('/notices')) return answer(search.includes('state=paused') ? paused : list);
      if (pathname.endsWith('/notices/outbox')) return Response.json({ paused: paused.length > 0 });
      if (pathname.endsWith('/notices/resume')) {
        paused.length = 0;
        return new Response(null, { status: 204 });
      }
      const response = await own(input, init);
      return pathname.endsWith('/me') && response.ok ? Response.json({ ...(await response.json()), mail: true }) : response;
    };
  }, { list, paused });
}

test('where no mails are sent, there is no page about them', async ({ page }) => {
  await signIn(page, 'ckent', '/notices');
  await expect(heading(page, 'There is no such page')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Notices' })).toHaveCount(0);
  await page.goto('/rules/edit');
  await expect(page.getByLabel('Time zone')).toBeVisible();
  await expect(page.getByLabel('Time of reminders')).toHaveCount(0);
});

test('an admin sees what became of each notice, and why', core, async ({ page }) => {
  await withMails(page);
  await signIn(page, 'ckent');
  await page.getByRole('link', { name: 'Notices' }).click();
  await expect(heading(page, 'Notices')).toBeFocused();
  const row = (title: string): ReturnType<Page['getByRole']> => page.getByRole('row').filter({ hasText: title });
  await expect(row('Clean Code')).toContainText('Failed');
  await expect(row('Clean Code')).toContainText('The mail server did not accept the reader’s address. Its answer was 550.');
  await expect(row('Design Patterns')).toContainText('Next attempt');
  await expect(row('Refactoring')).toContainText('Name deleted');
  await expect(page.getByRole('button', { name: /^Try again/ })).toHaveCount(1);
  await page.getByLabel('State').selectOption({ label: 'Failed' });
  await expect(page).toHaveURL(/\/notices\?state=failed$/);
});

test('mails that are paused go out only after somebody has seen what would be sent', async ({ page }) => {
  const paused = [notice(5, 'Clean Code', { state: 'paused' })];
  await withMails(page, paused, paused);
  await signIn(page, 'ckent', '/notices');
  await expect(page.getByRole('region', { name: 'E-mails are on hold' })).toContainText('1 notice is waiting');
  await expect(page.getByRole('button', { name: 'Start sending' })).toHaveCount(0);
  await page.getByRole('button', { name: 'See what would be sent' }).click();
  await expect(page).toHaveURL(/state=paused/);
  await expect(page.getByRole('row').filter({ hasText: 'Clean Code' })).toBeVisible();
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('region', { name: 'E-mails are on hold' })).toBeVisible();
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByRole('button', { name: 'Send e-mails', exact: true }).click();
  await said(page, 'E-mails are being sent again.');
  await expect(page.getByRole('region', { name: 'E-mails are on hold' })).toHaveCount(0);
});

test('reminders are switched off in one’s account', async ({ page, stack }) => {
  await withMails(page);
  await signIn(page, 'bwayne', '/account');
  await page.getByRole('checkbox', { name: 'Remind me by e-mail' }).uncheck();
  await said(page, 'You will not be reminded by e-mail.');
  expect(((await (await stack.as('bwayne', 'GET', '/me')).json()) as { reminders: boolean }).reminders).toBe(false);
});

test('the time of reminders and the own words are among the rules', async ({ page, stack }) => {
  await withMails(page);
  await signIn(page, 'ckent', '/rules/edit');
  await page.getByLabel('Time of reminders').fill('07:30');
  const before = page.getByLabel('Reminder before the due date, in days');
  await before.fill('28');
  await expect(page.getByText('people get “Due soon” right after borrowing')).toBeVisible();
  await before.fill('5');
  await expect(page.getByText('people get “Due soon” right after borrowing')).toHaveCount(0);
  await page.getByLabel(/^Reminders after the due date/).fill('14, 2');
  await page.getByRole('radio', { name: 'Deutsch' }).check();
  await page.getByLabel(/^Footer \(German\)/).fill('Mo–Fr 10–18 Uhr\nTelefon 12 34');
  await page.getByRole('button', { name: 'Save' }).click();
  await said(page, 'The rules have been saved.');
  expect(await (await stack.as('ckent', 'GET', '/policy')).json()).toMatchObject({ noticeTime: '07:30', dueSoonDays: 5, overdueDays: [2, 14], locale: 'de', mailNote: { de: 'Mo–Fr 10–18 Uhr\nTelefon 12 34' } });
});

test('a library with a mailbox: a test mail, and what each kind of mail says in both languages', async ({ page, stack }) => {
  await stack.reset('--smtp', 'maildir:mailbox', '--mail-from', 'library@example.com');
  await withMails(page);
  await signIn(page, 'ckent', '/notices');
  await page.getByRole('button', { name: 'Send me a test e-mail' }).click();
  await said(page, 'The mail server has accepted a test e-mail to clark.kent@example.com.');
  await page.getByRole('link', { name: 'Preview e-mails' }).click();
  await expect(heading(page, 'E-mail previews')).toBeFocused();
  const frame = page.locator('iframe');
  const inside = (): Promise<string> => frame.evaluate((f: HTMLIFrameElement) => f.contentDocument?.body.innerText ?? '');
  for (const kind of ['Overdue', 'Ready to collect', 'Due soon', 'No longer set aside']) {
    for (const language of ['English', 'Deutsch']) {
      await page.getByRole('radio', { name: kind }).check();
      await page.getByRole('radio', { name: language }).check();
      await expect(page.locator('pre')).toHaveAttribute('lang', language === 'English' ? 'en' : 'de');
      await expect.poll(inside).toMatch(language === 'English' ? /Hello/ : /Guten Tag|Hallo/);
    }
  }
  // Its styles are there, and nothing in it can run or be followed.
  expect(await frame.evaluate((f: HTMLIFrameElement) => [f.getAttribute('sandbox'), f.contentDocument?.adoptedStyleSheets.length, f.contentDocument?.querySelectorAll('[href]').length])).toEqual(['allow-same-origin', 1, 0]);
  await isForEverybody(page, 'previews');
  await page.setViewportSize({ width: 360, height: 800 });
  await fits(page, 'previews');
});

test('mails that are paused while none waits are shown, and go on when an admin says so', async ({ page, stack }) => {
  const mails = ['--smtp', 'maildir:mailbox', '--mail-from'];
  await stack.reset(...mails, 'library@example.com');
  await stack.as('ckent', 'POST', '/notices/resume'); // this is the library that sends
  await stack.restart(...mails, 'copy@example.com');
  await signIn(page, 'ckent', '/notices');
  const note = page.getByRole('region', { name: 'E-mails are on hold' });
  await expect(note).toContainText('Is this the real library, not a copy?');
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByRole('button', { name: 'Send e-mails', exact: true }).click();
  await said(page, 'E-mails are being sent again.');
  await expect(note).toHaveCount(0);
});

test('the desk sees that no mail reaches somebody', async ({ page, consoleErrors }) => {
  consoleErrors.expect(answered(404)); // a name is no code
  await page.addInitScript(() => {
    const own = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      const response = await own(input, init);
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      if (!pathname.endsWith('/readers')) return response;
      return Response.json(((await response.json()) as object[]).map((one) => ({ ...one, unreachable: true })), { headers: response.headers });
    };
  });
  await signIn(page, 'pparker', '/desk');
  await page.getByRole('textbox', { name: 'Scan or type' }).fill('Bruce Banner');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Reader' })).toContainText('Cannot be reached by e-mail');
});

test.describe('for everybody', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      test(`notices, ${colorScheme}, ${width} pixels`, async ({ visitor }) => {
        const page = await visitor({ colorScheme, viewport: { width, height: 800 } });
        await withMails(page, samples, [notice(5, 'Clean Code', { state: 'paused' })]);
        await signIn(page, 'ckent', '/notices');
        await expect(page.getByRole('row').filter({ hasText: 'Clean Code' })).toBeVisible();
        await isForEverybody(page, 'notices', rulesFor(colorScheme));
        await fits(page, 'notices');
      });
    }
  }
});
