import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, fits, signIn, test, type Page } from './support/fixtures';
import { heading } from './support/elements';

/** Runs a program in a folder of its own, and returns the picture that it makes. */
function picture(file: string, make: (folder: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'library-filmed-'));
  try {
    make(folder);
    return readFileSync(join(folder, file)).toString('base64');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Our own labels as they come out of a printer: the first two of the sheet, or the next two. */
async function printed(page: Page, kind: 'Barcode' | 'QR code'): Promise<string[]> {
  await page.getByLabel('Sheet of labels').selectOption('Avery L7160');
  await page.getByRole('radio', { name: kind }).check();
  const pdf = await page.pdf({ preferCSSPageSize: true });
  return (kind === 'Barcode' ? [0, 1] : [2, 3]).map((label) => picture('label.png', (folder) => {
    writeFileSync(join(folder, 'labels.pdf'), pdf);
    // At 300 dpi. Three labels are in a row.
    const crop = ['-x', String(85 + 780 * (label % 3)), '-y', String(179 + 450 * Math.floor(label / 3)), '-W', '750', '-H', '450'];
    execFileSync(process.env.PDFTOPPM ?? 'pdftoppm', ['-png', '-r', '300', '-singlefile', ...crop, 'labels.pdf', 'label'], { cwd: folder });
  }));
}

/** A label that another program draws: 20 is Code 128, 58 a QR code. */
const drawn = (code: string, symbology: 20 | 58): string =>
  picture('label.png', (folder) => execFileSync('zint', ['-b', String(symbology), '--scale', '3', '-w', '10', '-d', code, '-o', 'label.png'], { cwd: folder }));

/** A camera that films the picture 'show' has put before it, in a hand that is not steady. The page's own decoder reads it. */
async function films(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 });
    const draw = canvas.getContext('2d') as CanvasRenderingContext2D;
    const seen = globalThis as unknown as { shown?: ImageBitmap; BarcodeDetector?: unknown };
    setInterval(() => {
      draw.fillStyle = '#969696';
      draw.fillRect(0, 0, 1280, 720);
      const [x, y] = [Math.random() * 8, Math.random() * 8];
      if (seen.shown) draw.drawImage(seen.shown, 240 + x, (720 - (800 * seen.shown.height) / seen.shown.width) / 2 + y, 800, (800 * seen.shown.height) / seen.shown.width);
    }, 100);
    seen.BarcodeDetector = undefined;
    navigator.mediaDevices.enumerateDevices = async () => [{ kind: 'videoinput' } as MediaDeviceInfo];
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
  });
}

const show = (page: Page, png: string): Promise<void> =>
  page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    (globalThis as unknown as { shown: ImageBitmap }).shown = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  }, png);

test('labels of ours and of zint are read by the camera of a phone of any width, in both languages', async ({ page, stack, visitor }) => {
  test.slow(); // pictures are decoded
  const add = async (title: string): Promise<string> => {
    const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, copies: 0 })).json()) as { identifier: string };
    for (const n of [1, 2, 3, 4]) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode: `${title.toUpperCase()}-${n}` });
    return identifier;
  };
  const identifier = await add('Dracula');
  await add('Emma');
  const desk = await visitor();
  await signIn(desk, 'pparker', `/books/${identifier}`);
  await desk.getByRole('button', { name: 'Print labels' }).click();
  await expect(heading(desk, 'Labels')).toBeFocused();
  const [bars, squares] = [await printed(desk, 'Barcode'), await printed(desk, 'QR code')];

  await films(page);
  await signIn(page, 'bwayne', '/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Scan' }).click();
  await expect(heading(page, 'Scan')).toBeVisible();
  const first = page.getByRole('status').getByRole('article');
  // Each label is new: one that was read a moment ago counts as the same scan.
  for (const [time, [language, free]] of ([['en', 'Borrow'], ['de', 'Ausleihen']] as const).entries()) {
    if (language === 'de') {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('button', { name: 'Deutsch' }).click();
      await page.keyboard.press('Escape');
    }
    for (const [width, png, title] of [
      [320, bars[time], 'Dracula'],
      [390, drawn(`EMMA-${1 + time}`, 20), 'Emma'],
      [412, squares[time], 'Dracula'],
      [320, drawn(`EMMA-${3 + time}`, 58), 'Emma'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await show(page, png as string);
      await expect(first, `${title}, ${language}, ${width} px`).toContainText(title);
      await expect(first.getByRole('button', { name: new RegExp(free) })).toBeInViewport();
      await fits(page, `the card of ${title} in ${language} at ${width} px`);
    }
  }
});
