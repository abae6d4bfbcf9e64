// Mails in a browser, as mail programs show them: narrow and wide, light and dark. MAILS names a folder with their HTML.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fits, isForEverybody, launch, withPage } from './browser.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const mails = readdirSync(process.env.MAILS);

for (const width of [320, 640]) for (const colorScheme of ['light', 'dark']) {
  test(`${width} pixels, ${colorScheme}`, () => withPage(browser, async (page) => {
    const loaded = [];
    page.on('request', (request) => loaded.push(request.url()));
    page.on('dialog', (dialog) => assert.fail(`a mail runs a script: ${dialog.message()}`));
    assert.notEqual(mails.length, 0);
    for (const mail of mails) {
      const address = pathToFileURL(`${process.env.MAILS}/${mail}`).href;
      loaded.length = 0;
      await page.goto(address);
      assert.deepEqual(loaded, [address], 'a mail loads something');
      assert.equal(await page.locator('script, img, link, iframe, [style]').count(), 0);
      const name = `mail-${mail.replace('.html', '')}-${width}-${colorScheme}`;
      await fits(page, name);
      await isForEverybody(page, name);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
    }
  }, { colorScheme, viewport: { width, height: 640 } }));
}
