import { readFileSync } from 'node:fs';
import { answered, core, everywhere, expect, noAnswer, signIn, test, type Page, type Stack } from './support/fixtures';
import { borrow, card, giveBack, heading, said } from './support/elements';

const day = 86_400_000;
const id = async (stack: Stack, title: string): Promise<string> => (await stack.book(title)).identifier;
const lend = async (stack: Stack, who: 'bwayne' | 'bbanner', title: string): Promise<unknown> => stack.as(who, 'POST', `/books/${await id(stack, title)}/borrow`);
const button = (page: Page, name: string): ReturnType<Page['getByRole']> => page.getByRole('button', { name, exact: true });
const menu = (page: Page, name: RegExp): ReturnType<Page['getByRole']> => page.getByRole('navigation').getByRole('link', { name });

/** A day of the library, which is in UTC here, as it is said in English. */
function sayDate(instant: number): string {
  const weekday = new Date(instant).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' });
  const year = new Date(instant).getUTCFullYear() === new Date().getUTCFullYear() ? undefined : 'numeric';
  return `${weekday}, ${new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year, timeZone: 'UTC' })}`;
}

test('a loan says when it is due, and is renewed in one tap, or says why not', everywhere, async ({ page, stack }) => {
  const due = `Due ${sayDate(Date.now() + 28 * day)}`;
  await lend(stack, 'bwayne', 'Design Patterns');
  await signIn(page, 'bwayne');
  await borrow(page, 'Clean Code').click();
  await said(page, `You have borrowed “Clean Code”. ${due}.`);
  await expect(card(page, 'Clean Code')).toContainText('Yours');
  await expect(card(page, 'Clean Code')).toContainText(due);
  await page.getByRole('link', { name: 'Clean Code' }).click();
  await expect(page.getByRole('article')).toContainText(due);
  // On the first day a renewal would not move the date.
  await expect(page.getByRole('article')).toContainText('Can be renewed from tomorrow');
  await expect(button(page, 'Renew Clean Code')).toHaveCount(0);
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 29 });
  await page.reload();
  await button(page, 'Renew Clean Code').click();
  await said(page, `“Clean Code” has been renewed. Due ${sayDate(Date.now() + 29 * day)}.`);
  await expect(page.getByRole('article')).toContainText('Can be renewed from tomorrow');
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 30 });
  await menu(page, /My loans/).click();
  await expect(card(page, 'Clean Code')).toContainText('Borrowed today, renewed once');
  await button(page, 'Renew all').press('Enter');
  await said(page, '2 books have been renewed.');
  await expect(heading(page, 'My loans'), 'the focus has gone with the button').toBeFocused();
  await expect(card(page, 'Clean Code')).toContainText('It cannot be renewed again.');
  await expect(button(page, 'Renew Clean Code')).toHaveCount(0);
  await expect(card(page, 'Design Patterns')).toContainText('Can be renewed from tomorrow');
  // Somebody waits for the other one now: the page gets the event.
  await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Design Patterns')}/holds`);
  await expect(card(page, 'Design Patterns')).toContainText('It cannot be renewed: somebody is waiting for it.');
  await giveBack(page, 'Design Patterns').click();
  await said(page, '“Design Patterns” is marked as returned. Please bring it back to the library. Somebody is waiting for it.');
  await expect(card(page, 'Design Patterns')).toContainText('Returned');
  await expect(button(page, 'Reserve Design Patterns')).toBeVisible();
});

for (const place of ['My loans', 'the page of the book']) {
  test(`a change while the change before it is being read is shown, too: ${place}`, everywhere, async ({ page, stack }) => {
    await lend(stack, 'bwayne', 'Design Patterns');
    await stack.as('ckent', 'PUT', '/policy', { loanDays: 29 }); // it could be renewed
    const path = `/books/${await id(stack, 'Design Patterns')}`;
    await signIn(page, 'bwayne');
    await menu(page, /My loans/).click();
    if (place !== 'My loans') await page.getByRole('link', { name: 'Design Patterns' }).first().click();
    const renewal = button(page, 'Renew Design Patterns');
    await expect(renewal).toBeVisible();
    let asked = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((now) => (release = now));
    await page.route(stack.api + path, async (route) => {
      if (++asked === 1) await released;
      await route.continue();
    });
    const { identifier } = (await (await stack.as('bbanner', 'POST', `${path}/holds`)).json()) as { identifier: string };
    await expect.poll(() => asked).toBeGreaterThan(0);
    const before = asked; // one, unless the events have only begun now
    await stack.as('bbanner', 'DELETE', `/holds/${identifier}`);
    await expect.poll(() => asked, 'the second change is read although the first still is').toBeGreaterThan(before);
    release();
    await expect(renewal).toBeVisible();
    await expect(page.getByText('somebody is waiting for it')).toHaveCount(0);
  });
}

test('where the desk lends and takes back, readers are sent there', everywhere, async ({ page, stack }) => {
  await lend(stack, 'bwayne', 'Design Patterns');
  await stack.as('ckent', 'PUT', '/policy', { selfBorrow: false, selfReturn: false });
  await signIn(page, 'bwayne');
  await expect(card(page, 'Clean Code')).toContainText('Borrow at the desk');
  await expect(borrow(page, 'Clean Code')).toHaveCount(0);
  await expect(card(page, 'Design Patterns')).toContainText('Return at the desk');
  await expect(giveBack(page, 'Design Patterns')).toHaveCount(0);
  await menu(page, /My loans/).click();
  await expect(card(page, 'Design Patterns')).toContainText('Return at the desk');
  await page.getByRole('link', { name: 'Design Patterns' }).first().click();
  await expect(page.getByRole('article')).toContainText('Return at the desk');
});

test('a reader who has read other rules sees the present ones', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(/409/);
  await signIn(page, 'bwayne');
  await expect(borrow(page, 'Clean Code')).toBeVisible();
  await stack.as('ckent', 'PUT', '/policy', { selfBorrow: false });
  await borrow(page, 'Clean Code').click();
  await said(page, '“Clean Code” is borrowed and returned at the desk. Please take it there.');
  await expect(card(page, 'Clean Code')).toContainText('Borrow at the desk');
});

const reserved = (title: string): string => `You have reserved “${title}”. You are number 1 in the queue.`;

test('a book is reserved, waited for and fetched', everywhere, async ({ page, stack }) => {
  await lend(stack, 'bbanner', 'Homo faber');
  await signIn(page, 'bwayne');
  const faber = card(page, 'Homo faber');
  await expect(faber).toContainText('On loan');
  await button(page, 'Reserve Homo faber').click();
  await said(page, reserved('Homo faber'));
  await expect(faber).toContainText('Reserved, you are number 1');
  await page.getByRole('link', { name: 'Homo faber' }).click();
  await expect(page.getByText(`Should be available from ${sayDate(Date.now() + 28 * day)}`)).toBeVisible();
  // Cancelling asks first, and the book can be reserved again.
  await button(page, 'Cancel reservation Homo faber').click();
  await expect(page.getByRole('dialog', { name: 'Cancel the reservation of “Homo faber”?' })).toBeVisible();
  await button(page, 'Cancel reservation').click();
  await said(page, 'Your reservation of “Homo faber” has been cancelled.');
  await button(page, 'Reserve Homo faber').click();
  await said(page, reserved('Homo faber')); // before that, the card shows what was asked for
  await menu(page, /My loans/).click();
  await expect(card(page, 'Homo faber')).toContainText('You are next');
  await menu(page, /Catalogue/).click();
  // It comes back: every page says so until it is fetched.
  await stack.as('bbanner', 'POST', `/books/${await id(stack, 'Homo faber')}/return`);
  const until = `Ready for you until ${sayDate(Date.now() + 7 * day)}`;
  await said(page, `${until}: Homo faber`);
  await expect(faber).toContainText(until);
  await menu(page, /My loans/).click();
  await expect(card(page, 'Homo faber')).toContainText(until);
  await page.reload();
  await expect(card(page, 'Homo faber')).toContainText(until);
  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByRole('status').getByRole('link', { name: 'Homo faber' }).click();
  await borrow(page, 'Homo faber').click();
  await said(page, 'You have borrowed “Homo faber”.');
  await expect(page.getByText(until)).toHaveCount(0);
});

test('a book of several copies says how many are left, and what others have reserved is not lent', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409), /net::ERR_FAILED/);
  const several = await id(stack, 'Homo faber');
  for (let i = 0; i < 2; i++) await stack.as('pparker', 'POST', `/books/${several}/copies`, {});
  await lend(stack, 'bbanner', 'Homo faber');
  await lend(stack, 'bbanner', 'Clean Code');
  await page.route('**/events', (route) => route.abort()); // so that this page does not learn of the changes
  await signIn(page, 'bwayne');
  await expect(card(page, 'Homo faber')).toContainText('2 of 3 available');
  await borrow(page, 'Homo faber').click();
  await button(page, 'I don’t have it in my hand yet').click();
  await expect(card(page, 'Homo faber')).toContainText('Yours');
  await giveBack(page, 'Homo faber').click();
  await expect(card(page, 'Homo faber')).toContainText('2 of 3 available');
  // A copy was set aside for somebody else in the meantime.
  const other = await id(stack, "L'Étranger");
  await lend(stack, 'bbanner', "L'Étranger");
  await stack.as('pparker', 'POST', '/loans', { user: await readerOf(stack, 'Kent'), book: await id(stack, 'Design Patterns') });
  await borrow(page, "L'Étranger").click();
  await said(page, 'Somebody else has just borrowed “L\'Étranger”.');
  await button(page, 'Reserve').click(); // what the explanation offers
  await said(page, reserved("L'Étranger"));
  await expect(card(page, "L'Étranger")).toContainText('Reserved, you are number 1');
  await stack.as('bbanner', 'POST', `/books/${other}/return`);
  await page.reload();
  await expect(card(page, "L'Étranger")).toContainText('Ready for you until');
  // To others it is reserved, and a limit of the library is explained.
  await stack.as('ckent', 'PUT', '/policy', { maxLoans: 1 });
  await borrow(page, 'Homo faber').click();
  await button(page, 'I don’t have it in my hand yet').click();
  await said(page, 'You have borrowed “Homo faber”.');
  await expect(card(page, 'Homo faber')).toContainText('Yours');
  await borrow(page, "L'Étranger").click();
  await said(page, 'You have reached the limit of books you can borrow.');
  await expect(card(page, "L'Étranger")).toContainText('Ready for you until');
  await button(page, 'My loans').click();
  await expect(heading(page, 'My loans')).toBeVisible();
});

async function readerOf(stack: Stack, name: string): Promise<string> {
  const [reader] = (await (await stack.as('pparker', 'GET', `/readers?q=${name}`)).json()) as { identifier: string }[];
  return reader?.identifier ?? '';
}

test('what is overdue is at the top, and says by how much', async ({ page, stack }) => {
  await lend(stack, 'bwayne', 'Clean Code');
  await stack.as('ckent', 'PUT', '/policy', { loanDays: 3 });
  await lend(stack, 'bwayne', 'Homo faber');
  await page.clock.setFixedTime(Date.now() + 6 * day); // the reader comes back after six days
  await signIn(page, 'bwayne');
  await expect(card(page, 'Homo faber')).toContainText('3 days overdue');
  await page.getByRole('link', { name: 'Homo faber' }).click();
  await expect(page.getByRole('article')).toContainText('3 days overdue');
  await menu(page, /My loans/).click();
  await expect(page.getByText('You have 2 books. 1 is overdue.')).toBeVisible();
  await expect(page.getByRole('article').getByRole('heading')).toHaveText(['Homo faber', 'Clean Code']);
  await expect(card(page, 'Homo faber')).toContainText('3 days overdue');
  await expect(card(page, 'Clean Code')).toContainText(`Due ${sayDate(Date.now() + 28 * day)}`);
});

// Not in Firefox: WebDriver BiDi does not report downloads there.
test('what one has read is listed and forgotten, and one’s data can be had', core, async ({ page, stack }) => {
  for (const title of ['Homo faber', 'Clean Code']) {
    await lend(stack, 'bwayne', title);
    await stack.as('bwayne', 'POST', `/books/${await id(stack, title)}/return`);
  }
  await lend(stack, 'bwayne', 'Design Patterns');
  await signIn(page, 'bwayne', '/loans');
  const file = async (name: string): Promise<{ name: string; text: string }> => {
    const [got] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
    return { name: got.suggestedFilename(), text: readFileSync(await got.path(), 'utf8') };
  };
  const calendar = await file('Due dates for my calendar');
  expect(calendar.name).toBe('library-due-dates.ics');
  expect(calendar.text).toMatch(/SUMMARY:[^\r]*Design Patterns/);
  expect(calendar.text).toContain(`DTSTART;VALUE=DATE:${new Date(Date.now() + 28 * day).toISOString().slice(0, 10).replaceAll('-', '')}\r\n`);

  await page.getByRole('link', { name: 'My account' }).click();
  await expect(heading(page, 'My account')).toBeFocused();
  const own = JSON.parse((await file('Download my data')).text) as { user: { email: string }; loans: unknown[]; holds: unknown[] };
  expect([own.user.email, own.loans.length, own.holds.length]).toEqual(['bruce.wayne@example.com', 3, 0]);

  await page.getByRole('link', { name: 'Books I have read' }).click();
  await expect(heading(page, 'Books I have read')).toBeFocused();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
  await expect(page.getByText('Returned today').first()).toBeVisible();
  await button(page, 'Delete my history').click();
  await button(page, 'Cancel').click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
  await button(page, 'Delete my history').click();
  await button(page, 'Delete history').click();
  await said(page, 'Your reading history has been deleted.');
  await expect(page.getByText('No books yet')).toBeVisible();
  expect(await (await stack.as('bwayne', 'GET', '/loans?state=returned')).json()).toEqual([]);
  expect(await (await stack.as('bwayne', 'GET', '/loans')).json()).toHaveLength(1);
});

test('the language and a calendar file are in one’s account', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(noAnswer);
  await lend(stack, 'bwayne', 'Design Patterns');
  await signIn(page, 'bwayne', '/account');
  const [got] = await Promise.all([page.waitForEvent('download'), button(page, 'Download due dates').click()]);
  expect(got.suggestedFilename()).toBe('library-due-dates.ics');
  const text = readFileSync(await got.path(), 'utf8');
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[^]*SUMMARY:[^\r]*Design Patterns/);
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await expect(heading(page, 'Mein Konto')).toBeVisible();
  await said(page, 'Ihre Einstellungen sind gespeichert.');
  expect(((await (await stack.as('bwayne', 'GET', '/me')).json()) as { locale: string }).locale).toBe('de');
  // What is not saved is not shown as chosen.
  await page.route('**/me', (route) => route.abort());
  await page.getByRole('radio', { name: 'English' }).click();
  await said(page, 'Die Bibliothek antwortet nicht');
  await expect(page.getByRole('radio', { name: 'Deutsch' })).toBeChecked();
});

test('nothing is promised by mail, and what is on record about mails stays', async ({ page, stack }) => {
  const me = async (): Promise<unknown[]> => {
    const { locale, reminders } = (await (await stack.as('bwayne', 'GET', '/me')).json()) as { locale: string; reminders: boolean };
    return [locale, reminders];
  };
  await stack.as('bwayne', 'PUT', '/me', { reminders: false });
  await signIn(page, 'bwayne', '/account');
  await expect(heading(page, 'My account')).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(/remind|mails?\b(?! address)/i);
  await expect(page.getByRole('main').getByRole('checkbox')).toHaveCount(0);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
  await expect(heading(page, 'Mein Konto')).toBeVisible();
  await expect.poll(me).toEqual(['de', false]);
});
