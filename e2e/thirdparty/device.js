// A browser on another machine in which somebody allows a sign-in by its code:
// node device.js ADDRESS CODE, with LOGIN and PASSWORD in the environment.
import { fits, isForEverybody, launch, signIn, withPage } from './browser.js';

const { LOGIN, PASSWORD, SCREENSHOTS } = process.env;
const [address, code] = process.argv.slice(-2);
const browser = await launch();
try {
  await withPage(browser, async (page) => {
    const check = async (name) => {
      await page.setViewportSize({ width: 320, height: 780 });
      await fits(page, name);
      await isForEverybody(page, name);
      if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
    };
    await page.goto(address);
    await signIn(page, LOGIN, PASSWORD);
    await page.getByLabel('Code').fill('bcdf ghjk');
    await check('device-code');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor(); // that is somebody else's, or nobody's
    await page.getByLabel('Code').fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`shows the code ${code}`).waitFor();
    await check('device-consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Sign-in allowed' }).waitFor();
    await check('device-allowed');
  });
} finally {
  await browser.close();
}
