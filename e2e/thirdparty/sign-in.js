// A browser that signs somebody in and agrees: node sign-in.js ADDRESS, with
// LOGIN and PASSWORD in the environment. It stands in for the person's browser
// when a terminal command opens one.
import { launch, signIn, withPage } from './browser.js';

const { LOGIN, PASSWORD } = process.env;
const browser = await launch();
try {
  await withPage(browser, async (page) => {
    await page.goto(process.argv.at(-1));
    await signIn(page, LOGIN, PASSWORD);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL((url) => url.pathname === '/callback');
    await page.getByRole('heading').waitFor();
  });
} finally {
  await browser.close();
}
