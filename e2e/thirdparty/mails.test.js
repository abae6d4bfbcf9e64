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

test('mails fit, load nothing and can be read', () => withPage(browser, async (page) => {
  const loaded = [];
  page.on('request', (request) => loaded.push(request.url()));
  page.on('dialog', (dialog) => assert.fail(`a mail runs a script: ${dialog.message()}`));
  assert.notEqual(mails.length, 0);
  for (const mail of mails) {
    const address = pathToFileURL(`${process.env.MAILS}/${mail}`).href;
    loaded.length = 0;
    await page.goto(address);
    assert.equal(await page.locator('script, img, link, iframe, [style]').count(), 0);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 640]) {
        await page.setViewportSize({ width, height: 640 });
        const name = `mail-${mail.replace('.html', '')}-${width}-${colorScheme}`;
        await fits(page, name);
        // What can be read is a matter of the colours and not of the width, and the languages have the same elements.
        if (width === 320 && !mail.endsWith('-de.html')) await isForEverybody(page, name);
        if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
      }
    }
    assert.deepEqual(loaded, [address], 'a mail loads something');
  }
}));
