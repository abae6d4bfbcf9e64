// A browser for tests: every page in it fails its test on an error in the
// console, an exception or a violation of a policy.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// withPage runs a test with a page in a browser that has no memory yet.
export async function withPage(browser, test, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(300_000);
  const faults = [];
  context.on('console', (message) => {
    // Chromium mentions every document with a status from 400 on.
    const expected = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !expected) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  try {
    await test(await context.newPage(), context);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

// signIn fills the login page in.
export async function signIn(page, username, password) {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

// allow agrees on the consent page and waits for the client's page.
export async function allow(page) {
  await page.getByRole('button', { name: 'Allow' }).click();
  return arrived(page);
}

// arrived waits for the client's page.
export async function arrived(page) {
  await page.waitForURL((url) => url.searchParams.has('code'));
  return new URL(page.url());
}

// fits checks that nobody has to scroll sideways.
export async function fits(page, name) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(sideways, 0, `${name} scrolls sideways`);
}

// isForEverybody checks what people need who do not see well, or at all.
export async function isForEverybody(page, name) {
  await page.evaluate(axe); // past the policy, which lets no script tag in
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map((v) => [v.id, v.nodes.map((n) => n.html)]), [], `${name} keeps somebody out`);
}
