import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, type Page } from './fixtures';
import { heading } from './people';
import { program } from './tools';

/** How bright the page is in its middle, from 0 to 255, as it is painted. */
async function brightness(page: Page): Promise<number> {
  const picture = await page.screenshot({ type: 'png' });
  const desk = await page.context().newPage();
  const bright = await desk.evaluate(async (data) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(bitmap, 0, 0);
    const [r = 0, g = 0, b = 0] = context.getImageData(bitmap.width / 2, bitmap.height / 2, 1, 1).data;
    return (r + g + b) / 3;
  }, picture.toString('base64'));
  await desk.close();
  return bright;
}

test('a chosen theme is there in the first frame, before the client runs', async ({ visitor }) => {
  for (const [system, chosen, dark] of [['light', 'dark', true], ['dark', 'light', false]] as const) {
    const page = await visitor({ colorScheme: system });
    await page.goto('/');
    await page.evaluate((theme) => localStorage.setItem('library.theme', theme), chosen);
    // The client never comes: what is painted now is what comes before it.
    await page.route(/\/assets\/app-.*\.js/, () => undefined);
    await page.goto('/', { waitUntil: 'commit' });
    await expect.poll(() => page.evaluate(() => document.styleSheets.length)).toBe(1);
    const bright = await brightness(page);
    if (dark) expect(bright, 'a dark first frame').toBeLessThan(60);
    else expect(bright, 'a light first frame').toBeGreaterThan(200);
    await page.unrouteAll();
  }
});

test('the library bears its own name, in the page and where it is installed', async ({ page, stack, faults }) => {
  faults.expect(/net::ERR_/); // nobody answers at the addresses of this one
  const named = spawn(program, ['web', '--addr', '127.0.0.1:0', '--base-path', '/a', '--issuer', stack.issuer, '--api', stack.api, '--name', 'Bücherei Linz'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    for await (const text of named.stderr) {
      log += String(text);
      if (log.includes('msg=listening')) break;
    }
    const web = `http://localhost:${/addr=127\.0\.0\.1:(\d+)/.exec(log)?.[1]}`;
    await page.goto(`${web}/a/`);
    await expect(heading(page, 'Bücherei Linz')).toBeVisible();
    await expect(page.getByRole('banner').getByText('Bücherei Linz')).toBeVisible();
    await expect(page).toHaveTitle('Bücherei Linz');
    const link = await page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=manifest]')?.href ?? '');
    expect(link).toBe(`${web}/a/manifest.webmanifest`);
    // As the browser itself reads it: nothing is wrong, and every icon is there.
    const devtools = await page.context().newCDPSession(page);
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect({ url, errors }).toEqual({ url: link, errors: [] });
    const manifest = JSON.parse(data ?? '{}') as { name: string; start_url: string; icons: { src: string; type: string }[] };
    expect(manifest).toMatchObject({ name: 'Bücherei Linz', short_name: 'Bücherei Linz', start_url: '/a/', scope: '/a/', display: 'standalone' });
    for (const icon of manifest.icons) {
      const answer = await page.request.get(new URL(icon.src, link).href);
      expect([answer.status(), answer.headers()['content-type']], icon.src).toEqual([200, icon.type]);
    }
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter((e) => e.errorId !== 'in-incognito')).toEqual([]);
    await page.goto('about:blank');
  } finally {
    const gone = once(named, 'exit');
    named.kill('SIGKILL');
    await gone;
  }
});

test('a browser that looks for an icon at the root of the site finds one', async ({ page }) => {
  await page.goto('/');
  const answer = await page.evaluate(async () => {
    const { status, headers } = await fetch('/favicon.ico');
    return [status, headers.get('Content-Type')];
  });
  expect(answer).toEqual([200, 'image/x-icon']);
});

test('the provider is told which language the reader uses', async ({ visitor }) => {
  for (const [locale, language, button] of [['de-AT', 'de', 'Anmelden'], ['en-GB', 'en', 'Sign in']] as const) {
    const page = await visitor({ locale });
    await page.goto('/');
    const asked = page.waitForRequest(/openid-connect\/auth\?/);
    await page.getByRole('button', { name: button }).click();
    expect(new URL((await asked).url()).searchParams.get('ui_locales')).toBe(language);
  }
});
