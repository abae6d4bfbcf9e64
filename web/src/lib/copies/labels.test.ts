// @ts-expect-error the types of Node are not part of the client
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { code128, quiet128 } from './code128';
import { bounds, draw, measures, onPaper, papers, place, sheets, thinnest, wrap, wrongMeasures, type Ruler, type Sheet } from './labels';
import { qrCode, quietQr } from './qr';

beforeAll(() => {
  const wasm = new Uint8Array(readFileSync('node_modules/zxing-wasm/dist/reader/zxing_reader.wasm') as ArrayBuffer);
  prepareZXingModule({ overrides: { wasmBinary: wasm.buffer } });
});

/** A picture of rows of modules, with white around. */
function picture(rows: boolean[][], quiet: number, scale: number): ImageData {
  const width = ((rows[0]?.length ?? 0) + 2 * quiet) * scale;
  const height = (rows.length + 2 * quiet) * scale;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (rows[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet]) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return { data, width, height, colorSpace: 'srgb' } as ImageData;
}

/** Texts of every length, with all characters that a barcode can have, and digits in every mixture. */
const codes = ((): string[] => {
  const all = [...Array(95).keys()].map((i) => String.fromCharCode(32 + i)).filter((c) => !' /;%?#'.includes(c));
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const made = Array.from({ length: 30 }, (_, i) => {
    const letters = i % 3 === 0 ? all : [...'0123456789', 'L'];
    return Array.from({ length: 1 + (i % 40) }, () => letters[random(letters.length)]).join('').replaceAll('..', '.a');
  });
  return ['B0001', 'LIB-0042', '7', '42', '123', '1234', '00012345', '30123456789012', 'A12345678B', 'ab~}|{`"', ...made];
})();

describe('a barcode is read back', () => {
  test.each(codes)('as Code 128: %j', async (code) => {
    const bars = code128(code).flatMap((width, i) => new Array<boolean>(width).fill(i % 2 === 0));
    const [read] = await readBarcodes(picture(new Array<boolean[]>(30).fill(bars), quiet128, 2), { formats: ['Code128'] });
    expect(read?.text).toBe(code);
  });

  test.each(codes)('as a QR code: %j', async (code) => {
    const [read] = await readBarcodes(picture(qrCode(code), quietQr, 4), { formats: ['QRCode'] });
    expect(read?.text).toBe(code);
    expect(read?.ecLevel).toBe('M');
  });
});

test('digits share symbols where that is shorter', () => {
  const modules = (code: string): number => code128(code).reduce((sum, w) => sum + w, 0);
  expect(modules('12345678')).toBe(11 * (1 + 4 + 1) + 13);
  expect(modules('B0001')).toBe(11 * (1 + 1 + 1 + 2 + 1) + 13);
});

test('what cannot be encoded is said', () => {
  expect(() => code128('Bücher')).toThrow(RangeError);
  expect(() => code128('')).toThrow(RangeError);
  expect(() => qrCode('x'.repeat(43))).toThrow(RangeError);
});

describe.each(Object.entries(sheets))('the sheet %s', (name, sheet: Sheet) => {
  test('is on its paper, in the middle', () => {
    const { width, height } = papers[sheet.paper];
    expect(onPaper(sheet), name).toBe(true);
    expect(wrongMeasures(sheet)).toEqual([]);
    expect(2 * sheet.left + sheet.columns * sheet.width + (sheet.columns - 1) * sheet.gapX).toBeCloseTo(width, 0);
    expect(2 * sheet.top + sheet.rows * sheet.height + (sheet.rows - 1) * sheet.gapY).toBeCloseTo(height, 0);
  });

  test.each(['code128', 'qr'] as const)('has room for a number of eight characters as %s', (kind) => {
    const { path, lines, module } = draw({ barcode: 'LIB-0042', title: 'A title that is long enough for several lines of text', author: 'Virginia Woolf', line: 'Village library', shelf: 'B 7' }, sheet, kind, ruler);
    expect(module).toBeGreaterThanOrEqual(thinnest[kind]);
    for (const [, x, y, w, h] of path.matchAll(/M(\S+) (\S+?)h(\S+?)v(\S+?)h/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(y)).toBeGreaterThanOrEqual(0);
      expect(Number(x) + Number(w)).toBeLessThanOrEqual(sheet.width);
      expect(Number(y) + Number(h)).toBeLessThanOrEqual(sheet.height);
    }
    for (const line of lines) {
      const width = ruler(line.text, line.size, line.strong);
      expect(line.end ? line.x - width : line.x).toBeGreaterThanOrEqual(0);
      expect(line.end ? line.x : line.x + width).toBeLessThanOrEqual(sheet.width);
      expect(line.y).toBeLessThan(sheet.height);
      expect(line.y - line.size * 0.8).toBeGreaterThan(0);
    }
    expect(lines.map((l) => l.text)).toEqual(expect.arrayContaining(['LIB-0042', 'B 7', 'Virginia Woolf']));
  });
});

/** As wide as an average font is. */
const ruler: Ruler = (text, size) => text.length * size * 0.52;

test('the first label can be any of the sheet, and what does not fit goes on the next', () => {
  const labels = Array.from({ length: 5 }, (_, i) => ({ barcode: `B${i}` }));
  const pages = place(labels, sheets['Avery L7160'], 20);
  expect(pages.map((page) => page.length)).toEqual([2, 3]);
  expect(pages[0]?.[0]).toMatchObject({ x: 7.25 + 66, y: 15.15 + 6 * 38.1 });
  expect(pages[1]?.[0]).toMatchObject({ x: 7.25, y: 15.15, label: { barcode: 'B2' } });
});

test('measures that cannot be are named', () => {
  expect(wrongMeasures({ ...sheets['Avery L7160'], columns: 2.5, width: NaN })).toEqual(['columns', 'width']);
  for (const name of measures) expect(wrongMeasures({ ...sheets['Avery L7160'], [name]: bounds[name][1] + 1 })).toEqual([name]);
  expect(onPaper({ ...sheets['Avery L7160'], columns: 4 })).toBe(false);
});

test('where there is no room the lines below the title give way to the bars', () => {
  const small = { ...sheets['Avery L7651'], height: 12 };
  expect(draw({ barcode: 'B1', title: 'Emma', author: 'Jane Austen', line: 'Ours' }, small, 'code128', ruler).lines.map((l) => l.text)).toEqual(['Emma', 'B1']);
});

test('a long title is broken between words and ends with dots', () => {
  expect(wrap('one two three four', 9 * 0.52, 1, 2, ruler)).toEqual(['one two', 'three fo…']);
  expect(wrap('Donaudampfschifffahrt', 10 * 0.52, 1, 3, ruler)).toEqual(['Donaudampf', 'schifffahr', 't']);
  expect(wrap('  ', 10, 1, 2, ruler)).toEqual([]);
});
