// The browser client behind a real Keycloak: node keycloak.js ADDRESS, with LOGIN
// and PASSWORD in the environment. It signs in at Keycloak's own page, borrows
// the book TITLE, reloads, signs out, and leaves at the first thing that is not
// as it should be.
import assert from 'node:assert/strict';
import { launch } from './browser.js';

const { LOGIN, PASSWORD, TITLE } = process.env;
const address = process.argv.at(-1);
const browser = await launch();

try {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
  context.setDefaultTimeout(300_000); // Keycloak takes its time for its first page
  const faults = [];
  context.on('console', (message) => {
    // What Keycloak's pages say there is not ours.
    const ours = [message.page()?.url(), message.location().url].some((url) => url?.startsWith(address));
    if (ours && ['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  context.on('weberror', (error) => error.page()?.url().startsWith(address) && faults.push(String(error.error())));
  const page = await context.newPage();
  await visit(page);
  assert.deepEqual(faults, [], 'in the console');
} finally {
  await browser.close();
}

async function visit(page) {
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#username').fill(LOGIN);
  await page.locator('#password').fill(PASSWORD);
  await page.locator('#kc-login').click();
  await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  assert.equal(page.url(), address, 'the way back from Keycloak leaves something in the address');

  await page.getByRole('button', { name: `Borrow ${TITLE}` }).click();
  await page.getByRole('button', { name: `Return ${TITLE}` }).waitFor();

  // Keycloak is asked without a page, and the deep link survives the detour.
  await page.getByRole('navigation').getByRole('link', { name: /My loans/ }).click();
  await page.reload();
  await page.getByRole('button', { name: `Return ${TITLE}` }).waitFor();
  assert.equal(page.url(), `${address}loans`);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.doesNotMatch(kept, /eyJ|access_token|refresh_token/, 'a token is in a storage');

  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(page.url(), address);
  assert.doesNotMatch(await page.locator('body').innerText(), new RegExp(TITLE));

  // Keycloak has ended its session, too: it wants the password again.
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#password').waitFor();
}
