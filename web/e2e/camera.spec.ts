import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, look, signIn, test, type Page } from './support/fixtures';
import { heading } from './support/elements';
import { chromiumArgs } from '../playwright.config';
import { wholeChromium } from './support/tools';

const isbn = '9780132350884'; // of Clean Code
const [width, height] = [640, 480];
const film = join(tmpdir(), `library-camera-${process.pid}.y4m`);

/** The bars of an EAN-13, as on the back of a book: 1 is black. */
function ean13(digits: string): string {
  const right = ['1110010', '1100110', '1101100', '1000010', '1011100', '1001110', '1010000', '1000100', '1001000', '1110100'];
  const even = (d: number): string => [...(right[d] as string)].reverse().join('');
  const odd = (d: number): string => [...(right[d] as string)].map((bit) => (bit === '1' ? '0' : '1')).join('');
  const pattern = ['OOOOOO', 'OOEOEE', 'OOEEOE', 'OOEEEO', 'OEOOEE', 'OEEOOE', 'OEEEOO', 'OEOEOE', 'OEOEEO', 'OEEOEO'][Number(digits[0])] as string;
  const [left, last] = [[...digits.slice(1, 7)].map(Number), [...digits.slice(7)].map(Number)];
  return '101' + left.map((d, i) => (pattern[i] === 'O' ? odd(d) : even(d))).join('') + '01010' + last.map((d) => right[d]).join('') + '101';
}

/** A film as the camera would take it: an empty table, then the back of a book, over and over. */
function shoot(path: string): void {
  const bars = ean13(isbn);
  const bar = 4;
  const [left, top, tall] = [Math.round((width - bars.length * bar) / 2), 140, 200];
  const picture = (book: boolean): Buffer => {
    const frame = Buffer.alloc((width * height * 3) / 2, 128); // grey, as to colour
    frame.fill(150, 0, width * height);
    if (!book) return frame;
    for (let y = 60; y < 420; y++) frame.fill(235, y * width + 60, y * width + 580); // the cover
    for (let y = top; y < top + tall; y++) {
      [...bars].forEach((bit, i) => bit === '1' && frame.fill(20, y * width + left + i * bar, y * width + left + (i + 1) * bar));
    }
    return frame;
  };
  const file = openSync(path, 'w');
  writeSync(file, `YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  for (let i = 0; i < 20; i++) {
    writeSync(file, 'FRAME\n');
    writeSync(file, picture(i >= 8));
  }
  closeSync(file);
}

test.use({
  launchOptions: async ({ launchOptions }, use) => {
    shoot(film);
    await use({ ...launchOptions, executablePath: wholeChromium, args: [...chromiumArgs, '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${film}`] });
    rmSync(film, { force: true }); // with the browser, which opens the film anew for each camera, and outlives a group of tests
  },
});

const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type' });
const camera = (page: Page) => page.getByRole('region', { name: 'Camera' });

test('the camera reads the barcode of a book, which is lent', async ({ page, context, stack }) => {
  test.slow(); // a film is decoded while everything is looked at
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await signIn(page, 'pparker', '/desk');
  await expect(heading(page, 'Desk')).toBeVisible();
  await box(page).fill('bruce wayne');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Now lending to Bruce Wayne')).toBeVisible();
  expect(loaded.filter((url) => /decoder|wasm|Camera/.test(url)), 'loaded before the camera is opened').toEqual([]);

  await page.getByRole('button', { name: 'Camera' }).click();
  await expect(camera(page).getByRole('alert')).toContainText('This page is not allowed to use the camera.');
  await look(page, 'camera refused');
  await page.setViewportSize({ width: 1280, height: 800 });
  await context.grantPermissions(['camera']);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(camera(page).getByText(`Read: ${isbn}`)).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '“Clean Code” is now on loan to Bruce Wayne.' })).toBeVisible();
  expect(loaded.filter((url) => /\.wasm$/.test(url)).map((url) => new URL(url).origin)).toEqual([stack.web]);
  // The film goes round and shows the book again and again, but it is lent once.
  await look(page, 'camera');
  const loans = (await (await stack.as('pparker', 'GET', '/loans')).json()) as { book: { title: string }; user: { lastName: string } }[];
  expect(loans).toMatchObject([{ book: { title: 'Clean Code' }, user: { lastName: 'Wayne' } }]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Camera off' }).click();
  await expect(camera(page)).toHaveCount(0);
  await expect(box(page)).toBeFocused();
});

test('the camera reads a card into the form of a person', async ({ page, context }) => {
  await context.grantPermissions(['camera']);
  await signIn(page, 'ckent', '/users/new');
  await page.getByRole('button', { name: 'Camera' }).click();
  await expect(page.getByLabel(/^Card/)).toHaveValue(isbn);
  await expect(camera(page)).toHaveCount(0);
});

test('a browser that reads barcodes itself does so, and nothing is loaded for it', async ({ page, context }) => {
  await context.grantPermissions(['camera']);
  await page.addInitScript((code) => {
    let seen = 0;
    (globalThis as { BarcodeDetector?: unknown }).BarcodeDetector = class {
      static getSupportedFormats = async (): Promise<string[]> => ['code_128', 'ean_13', 'qr_code'];
      detect = async (): Promise<{ rawValue: string }[]> => (++seen < 3 ? [] : [{ rawValue: code }]);
    };
  }, isbn);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await signIn(page, 'pparker', '/desk');
  await page.getByRole('button', { name: 'Camera' }).click();
  await expect(page.getByText('“Clean Code” is not on loan.')).toBeVisible();
  expect(loaded.filter((url) => /decoder|wasm/.test(url))).toEqual([]);
});

test('the camera reads the ISBN of a book that is to be added', async ({ page, context }) => {
  test.slow(); // a film is decoded
  await context.grantPermissions(['camera']);
  await signIn(page, 'pparker', '/books/scan');
  await page.getByRole('button', { name: 'Camera' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The library has “Clean Code” (1 copy).' })).toBeVisible();
});
