// Takes the pictures in the README, of the demonstration as it is built:
// `make screenshots`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = root + 'docs/images/';
mkdirSync(folder, { recursive: true });

const demo = spawn(root + 'bin/library', ['demo', '--ephemeral', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
let printed = '';
for await (const piece of demo.stdout) {
  printed += piece;
  if (printed.includes('Ctrl-C stops it')) break;
}
const page = /web client +(\S+)/.exec(printed)?.[1];
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const wide = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' };
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 1.5 };

// visit signs somebody in, does something and takes a picture.
async function visit(name, login, password, options, act) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', ...options });
  const tab = await context.newPage();
  await tab.goto(page);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByLabel('User name').fill(login);
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'Catalogue' }).waitFor();
  await tab.getByRole('article').first().waitFor();
  await act(tab);
  await tab.evaluate(() => scrollTo(0, 0));
  if (name) await tab.screenshot({ path: folder + name });
  await context.close();
}

async function scan(tab, ...codes) {
  for (const code of codes) {
    await tab.keyboard.type(code);
    await tab.keyboard.press('Enter');
  }
}

try {
  await visit('catalogue.png', 'bwayne', 'wayne', wide, async (tab) => {
    await tab.getByRole('button', { name: 'Borrow Design Patterns' }).click();
    await tab.getByText('Due ').first().waitFor();
    await tab.getByRole('button', { name: 'Close' }).click();
    await tab.mouse.move(5, 5);
  });
  await visit('phone.png', 'bbanner', 'banner', phone, async (tab) => {
    await tab.getByRole('link', { name: /My loans/ }).click();
    await tab.getByText('3 days overdue').waitFor();
  });
  // Selina Kyle takes two books, and brings one back for which somebody waits.
  await visit('desk.png', 'pparker', 'parker', wide, async (tab) => {
    await tab.getByRole('link', { name: 'Desk' }).click();
    await tab.getByRole('textbox', { name: 'Scan or type' }).waitFor();
    await scan(tab, 'R0005', 'B0001', 'B0009', 'B0016');
    await tab.getByText(/Set aside for/).first().waitFor();
    // The reader's list is read again a moment after the last scan.
    await tab.getByRole('group').filter({ has: tab.getByText('On loan', { exact: true }) }).getByText('Clean Code').waitFor();
  });
  // A stocktake of everything: one copy is on loan by the records, for Selina Kyle has just borrowed it.
  await visit('stocktake.png', 'pparker', 'parker', wide, async (tab) => {
    await tab.getByRole('link', { name: 'Lending' }).click();
    await tab.getByRole('link', { name: 'Stocktaking' }).click();
    await tab.getByRole('button', { name: 'Start a stocktake' }).click();
    await tab.getByRole('textbox', { name: 'Name' }).fill('Everything in November');
    await tab.getByRole('button', { name: 'Start', exact: true }).click();
    await tab.getByRole('textbox', { name: 'Scan or type a barcode' }).waitFor();
    await scan(tab, 'B0003', 'B0004', 'LIB-7', 'B0016', 'B0009');
    await tab.getByRole('region', { name: 'Unknown codes' }).getByText('LIB-7').waitFor();
    await tab.getByRole('region', { name: 'On loan by the records' }).getByText('B0009').waitFor();
  });
  await visit('statistics.png', 'pparker', 'parker', { ...wide, colorScheme: 'dark' }, async (tab) => {
    await tab.getByRole('link', { name: 'Statistics' }).click();
    await tab.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
    await tab.getByRole('img').first().waitFor();
  });
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}
