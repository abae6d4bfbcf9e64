import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { papers, place, sheets, type SheetName } from '../src/lib/copies/labels';
import { answered, expect, look, signIn, test, type Page } from './support/fixtures';
import { heading, said } from './support/elements';

const dpi = 300;

/** A page of a PDF as grey pixels. */
interface Picture {
  width: number;
  height: number;
  data: Buffer;
}

/** Prints the page as the browser would, and looks at the paper. */
async function paper(page: Page): Promise<Picture[]> {
  const folder = mkdtempSync(join(tmpdir(), 'library-labels-'));
  try {
    writeFileSync(join(folder, 'labels.pdf'), await page.pdf({ preferCSSPageSize: true }));
    execFileSync(process.env.PDFTOPPM ?? 'pdftoppm', ['-gray', '-r', String(dpi), 'labels.pdf', 'page'], { cwd: folder });
    return readdirSync(folder).filter((name) => name.endsWith('.pgm')).sort().map((name) => {
      const file = readFileSync(join(folder, name));
      const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 40));
      if (!head) throw new Error('this is no picture');
      return { width: Number(head[1]), height: Number(head[2]), data: file.subarray(head[0].length) };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Found {
  text: string;
  format: string;
  /** Where it is on the paper, in millimetres. */
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** What a scanner reads on a sheet of paper. */
async function codesOn({ width, height, data }: Picture): Promise<Found[]> {
  const pixels = new Uint32Array(width * height); // one write for each of nine million
  for (let i = 0; i < pixels.length; i++) pixels[i] = 0xff000000 | ((data[i] as number) * 0x010101);
  const found = await readBarcodes({ data: new Uint8ClampedArray(pixels.buffer), width, height, colorSpace: 'srgb' } as ImageData, { formats: ['Code128', 'QRCode'], maxNumberOfSymbols: 255, tryHarder: true });
  const mm = (px: number): number => (px / dpi) * 25.4;
  return found.map(({ text, format, position: p }) => {
    const xs = [p.topLeft.x, p.topRight.x, p.bottomLeft.x, p.bottomRight.x];
    const ys = [p.topLeft.y, p.topRight.y, p.bottomLeft.y, p.bottomRight.y];
    return { text, format, left: mm(Math.min(...xs)), right: mm(Math.max(...xs)), top: mm(Math.min(...ys)), bottom: mm(Math.max(...ys)) };
  });
}

test.beforeAll(() => {
  const file = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(file).buffer } });
});

test('labels are right on paper: every code is read back, in its place', async ({ page, stack, consoleErrors }) => {
  test.slow();
  consoleErrors.expect(answered(404)); // a number that is free
  const { identifier } = await stack.book('Homo faber');
  const [copy] = (await (await stack.as('pparker', 'GET', `/books/${identifier}/copies`)).json()) as { identifier: string }[];
  await stack.as('pparker', 'PUT', `/copies/${copy?.identifier}`, { barcode: 'LIB-0007', shelf: 'F 3' });
  await signIn(page, 'pparker', `/books/${identifier}`);
  await page.getByRole('button', { name: 'Print labels' }).click();
  await expect(heading(page, 'Labels')).toBeFocused();
  await page.getByText('New numbers', { exact: true }).click();
  await expect(page.getByLabel('First number')).toHaveValue('LIB-0008');
  await page.getByLabel('How many').fill('21');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('22 labels, 2 sheets of paper')).toBeVisible();
  await expect(page.getByLabel('First number')).toHaveValue('LIB-0029');
  const labels = Array.from({ length: 22 }, (_, i) => ({ barcode: `LIB-${String(7 + i).padStart(4, '0')}` }));

  const check = async (name: SheetName, kind: 'Code128' | 'QRCode', first: number): Promise<void> => {
    await page.getByLabel('Sheet of labels').selectOption(name);
    await page.getByRole('radio', { name: kind === 'QRCode' ? 'QR code' : 'Barcode' }).check();
    await page.getByLabel('First label').fill(String(first));
    const sheet = sheets[name];
    const expected = place(labels, sheet, first);
    const printed = await paper(page);
    expect(printed, `${name}: sheets of paper`).toHaveLength(expected.length);
    const { width, height } = papers[sheet.paper];
    for (const picture of printed) {
      expect(Math.abs((picture.width / dpi) * 25.4 - width), 'the size of the paper').toBeLessThan(0.3);
      expect(Math.abs((picture.height / dpi) * 25.4 - height), 'the size of the paper').toBeLessThan(0.3);
    }
    for (const [number, placed] of expected.entries()) {
      const found = await codesOn(printed[number] as Picture);
      expect(found.map((f) => f.text).sort(), `${name}, ${kind}, sheet ${number + 1}`).toEqual(placed.map((p) => p.label.barcode).sort());
      for (const { label, x, y } of placed) {
        const code = found.find((f) => f.text === label.barcode) as Found;
        expect(code.format.replace(/[-_ ]/g, '')).toBe(kind);
        expect(code.left, `${label.barcode} begins on its label`).toBeGreaterThan(x);
        expect(code.right).toBeLessThan(x + sheet.width);
        expect(code.top).toBeGreaterThan(y);
        expect(code.bottom).toBeLessThan(y + sheet.height);
        // Bars are in the middle of the label, to less than half a millimetre.
        if (kind === 'Code128') expect(Math.abs((code.left + code.right) / 2 - (x + sheet.width / 2)), `${label.barcode} is in its place`).toBeLessThan(0.4);
        else expect(Math.abs((code.top + code.bottom) / 2 - (y + sheet.height / 2)), `${label.barcode} is in its place`).toBeLessThan(0.5);
      }
    }
  };
  await check('Avery L7160', 'Code128', 20);
  await check('Avery L7160', 'QRCode', 1);
  await check('Avery 5160', 'Code128', 3);
  await check('Avery L7651', 'QRCode', 65);
  await check('Avery 3490', 'Code128', 1);

  // Measures of one's own: the sheet is moved by two millimetres, and kept.
  await page.getByText('Size', { exact: true }).click();
  await page.getByLabel('Left margin').fill('2');
  await expect(page.getByText('The labels do not fit on the paper.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Print', exact: true })).toHaveCount(0);
  await page.getByLabel('Width', { exact: true }).fill('1');
  await expect(page.getByLabel('Width', { exact: true })).toHaveAccessibleDescription('From 15 to 215.9.');
  await page.getByLabel('Width', { exact: true }).fill('69');
  await page.getByLabel('First label').fill('1');
  await page.reload();
  await expect(page.getByLabel('Left margin')).toHaveValue('2');
  await expect(page.getByText('22 labels, 1 sheet of paper')).toBeVisible();
  const [sheet] = await paper(page);
  const [one] = (await codesOn(sheet as Picture)).filter((f) => f.text === 'LIB-0007');
  expect(((one?.left ?? 0) + (one?.right ?? 0)) / 2).toBeCloseTo(2 + 69 / 2, 0);

  // A label is taken off, then all of them.
  await page.getByText(/^On this sheet/).click();
  await page.getByRole('button', { name: 'Remove LIB-0028' }).click();
  await expect(page.getByText('21 labels, 1 sheet of paper')).toBeVisible();
  await page.getByRole('button', { name: 'Remove all' }).click();
  await expect(page.getByRole('heading', { name: 'No labels yet' })).toBeVisible();
});

test('people of a class get card numbers, and a sheet of labels with their names', async ({ page, stack }) => {
  const people = (await (await stack.as('ckent', 'GET', '/users')).json()) as { identifier: string; lastName: string }[];
  for (const [lastName, more] of Object.entries({ Wayne: { group: '8b' }, Banner: { group: '8b' }, Parker: { group: '', card: 'S-0041' } })) {
    const one = people.find((p) => p.lastName === lastName);
    await stack.as('ckent', 'PUT', `/users/${one?.identifier}`, { ...one, ...more });
  }
  await signIn(page, 'ckent', '/users?group=8b');
  await page.getByText('Cards', { exact: true }).click();
  await said(page, '2 people, 2 without a card.');
  const first = page.getByLabel('First number');
  await expect(first, 'after the last of the series').toHaveValue('S-0042');
  await look(page, 'cards for people');
  await first.fill('none');
  await page.getByRole('button', { name: 'Give card numbers to 2 people' }).click();
  await said(page, 'The first number must end in digits');
  await first.fill('S-0041');
  await page.getByRole('button', { name: 'Give card numbers to 2 people' }).click();
  await said(page, '2 people now have card numbers.');
  await expect(page.getByRole('row').filter({ hasText: 'Bruce Banner' })).toContainText('S-0042');
  await page.getByRole('button', { name: 'Print 2 labels' }).click();
  await expect(heading(page, 'Labels')).toBeFocused();
  const texts = page.locator('[data-label]').locator('text');
  await expect(texts).toHaveText(['Bruce Banner', 'S-0042', '8b', 'Bruce Wayne', 'S-0043', '8b']);
  expect(await page.evaluate(() => JSON.stringify(localStorage)), 'no names stay in the browser').not.toContain('Banner');
});
