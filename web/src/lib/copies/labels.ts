import { code128, quiet128 } from './code128';
import { qrCode, quietQr } from './qr';

// Everything here is in millimetres.

export const papers = { a4: { width: 210, height: 297 }, letter: { width: 215.9, height: 279.4 } } as const;
export type Paper = keyof typeof papers;

/** Where the labels are on a sheet. */
export interface Sheet {
  paper: Paper;
  columns: number;
  rows: number;
  width: number;
  height: number;
  left: number;
  top: number;
  /** White between two labels. */
  gapX: number;
  gapY: number;
}

const sheet = (paper: Paper, columns: number, rows: number, width: number, height: number, left: number, top: number, gapX = 0, gapY = 0): Sheet => ({
  paper, columns, rows, width, height, left, top, gapX, gapY,
});

/** Sheets that shops have, by the names on their boxes. */
export const sheets = {
  'Avery L7160': sheet('a4', 3, 7, 63.5, 38.1, 7.25, 15.15, 2.5),
  'Avery L7159': sheet('a4', 3, 8, 63.5, 33.9, 7.25, 12.9, 2.5),
  'Avery L7651': sheet('a4', 5, 13, 38.1, 21.2, 4.75, 10.7, 2.5),
  'Avery 3490': sheet('a4', 3, 8, 70, 36, 0, 4.5),
  'Avery 3474': sheet('a4', 3, 8, 70, 37, 0, 0.5),
  'Avery 5160': sheet('letter', 3, 10, 66.675, 25.4, 4.7625, 12.7, 3.175),
  'Avery 5161': sheet('letter', 2, 10, 101.6, 25.4, 3.96, 12.7, 4.78),
} as const satisfies Record<string, Sheet>;
export type SheetName = keyof typeof sheets;

/** What a number of a sheet may be. */
export const bounds = {
  columns: [1, 12], rows: [1, 40], width: [15, 215.9], height: [8, 297], left: [0, 100], top: [0, 100], gapX: [0, 50], gapY: [0, 50],
} as const satisfies Partial<Record<keyof Sheet, readonly [number, number]>>;
export type Measure = keyof typeof bounds;
export const measures = Object.keys(bounds) as Measure[];

/** Which measures of a sheet are no numbers that can be. */
export function wrongMeasures(of: Sheet): Measure[] {
  return measures.filter((name) => {
    const value = of[name];
    const [least, most] = bounds[name];
    const whole = name !== 'columns' && name !== 'rows';
    return !(value >= least && value <= most && (whole || Number.isInteger(value)));
  });
}

/** Whether all labels are on the paper; half a millimetre is the printer's. */
export function onPaper({ paper, columns, rows, width, height, left, top, gapX, gapY }: Sheet): boolean {
  const page = papers[paper];
  return left + columns * width + (columns - 1) * gapX <= page.width + 0.5 && top + rows * height + (rows - 1) * gapY <= page.height + 0.5;
}

export interface Label {
  barcode: string;
  title?: string;
  author?: string;
  /** Words of the library's own. */
  line?: string;
  shelf?: string;
  /** It is the first of a new sheet of paper. */
  begins?: boolean;
  /** It is the card of a person, whose name must not stay in the browser. */
  person?: boolean;
}

export interface Placed {
  label: Label;
  x: number;
  y: number;
}

/** Puts labels on sheets, row after row. `first` is the place of the first one, 1 for the corner: those before are used up. */
export function place(labels: readonly Label[], on: Sheet, first: number): Placed[][] {
  const perPage = on.columns * on.rows;
  const pages: Placed[][] = [];
  let at = first - 1;
  labels.forEach((label, i) => {
    if (label.begins && i > 0) at = Math.ceil(at / perPage) * perPage;
    const spot = at % perPage;
    const x = on.left + (spot % on.columns) * (on.width + on.gapX);
    const y = on.top + Math.floor(spot / on.columns) * (on.height + on.gapY);
    const page = Math.floor(at / perPage);
    (pages[page] ??= []).push({ label, x, y });
    at++;
  });
  return pages;
}

export type Kind = 'code128' | 'qr';

/** A line of text, by the left end of its base line or, if it says so, by its right end. */
export interface Line {
  text: string;
  x: number;
  y: number;
  size: number;
  strong?: boolean;
  end?: boolean;
}

/** A label as it is drawn, from its own corner. */
export interface Drawing {
  /** The bars, or the dark modules, as one path. */
  path: string;
  lines: Line[];
  /** How wide the thinnest bar is. */
  module: number;
}

/** How wide a text of that size is. */
export type Ruler = (text: string, size: number, strong?: boolean) => number;

/** Below this, a scanner has a hard time with what an office printer makes. */
export const thinnest = { code128: 0.19, qr: 0.33 } as const;

const dot = 25.4 / 600; // of a printer: bars that are whole dots are equally wide

/** The widest module with which all of them fit. */
function moduleFor(space: number, count: number, most: number): number {
  const fitting = Math.min(space / count, most);
  return fitting > dot ? Math.floor(fitting / dot + 1e-6) * dot : fitting;
}

const round = (n: number): number => Math.round(n * 10_000) / 10_000;
const rect = (x: number, y: number, width: number, height: number): string => `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;

/** Breaks a text into lines that fit; the last one ends with dots if there is more. */
export function wrap(text: string, width: number, size: number, most: number, ruler: Ruler, strong = false): string[] {
  const lines: string[] = [];
  let rest = text.replace(/\s+/g, ' ').trim();
  while (rest !== '' && lines.length < most) {
    const last = lines.length === most - 1;
    let end = fitting(rest, width, (t) => ruler(t, size, strong));
    if (end < rest.length && last) {
      const dots = fitting(rest, width, (t) => ruler(t + '…', size, strong));
      lines.push(rest.slice(0, dots).trimEnd() + '…');
      return lines;
    }
    const space = rest.lastIndexOf(' ', end);
    if (end < rest.length && space > 0) end = space;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

/** How many characters of a text fit, one at least. */
function fitting(text: string, width: number, measure: (text: string) => number): number {
  let [low, high] = [1, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(text.slice(0, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Draws a label: the title, the author, a line of the library's own, the code that a scanner reads, and below it the number and the shelf for people. */
export function draw(label: Label, { width, height }: Pick<Sheet, 'width' | 'height'>, kind: Kind, ruler: Ruler): Drawing {
  const edge = Math.min(3, Math.max(1.5, height / 14));
  return kind === 'qr' ? drawQr(label, width, height, edge, ruler) : draw128(label, width, height, edge, ruler);
}

/** The sizes of texts on a label of that height, all of which can be read without glasses where there is room. */
function sizes(height: number): { title: number; number: number } {
  const title = Math.min(3.2, Math.max(2.1, height / 11));
  return { title, number: title };
}

const shortest = 5; // how tall bars are at least: what is below the title gives way to them

/** The lines below each other: of the title `titles` at most, and the others as far as there is room for `most` together. */
function heads({ title = '', author = '', line = '' }: Label, inner: number, size: number, titles: number, most: number, ruler: Ruler): Pick<Line, 'text' | 'strong'>[] {
  const others = [author, line].filter((text) => text.trim() !== '').slice(0, Math.max(0, most - (title ? 1 : 0)));
  const lines = wrap(title, inner, size, Math.max(1, Math.min(titles, most - others.length)), ruler, true).map((text) => ({ text, strong: true }));
  return [...lines, ...others.flatMap((text) => wrap(text, inner, size, 1, ruler)).map((text) => ({ text }))];
}

function draw128(label: Label, width: number, height: number, edge: number, ruler: Ruler): Drawing {
  const { barcode, shelf = '' } = label;
  const size = sizes(height);
  const inner = width - 2 * edge;
  const leading = size.title * 1.2;
  const base = height - edge - size.number * 0.15;
  const most = Math.floor((base - size.number - 1 - edge - shortest) / leading);
  const above = heads(label, inner, size.title, height >= 30 ? 2 : 1, most, ruler);
  const lines: Line[] = above.map((one, i) => ({ ...one, x: edge, y: edge + size.title * 0.8 + i * leading, size: size.title }));
  const numberWidth = ruler(barcode, size.number);
  // Alone, the number stands below the middle of the bars.
  lines.push({ text: barcode, x: shelf ? edge : Math.max(edge, (width - numberWidth) / 2), y: base, size: size.number });
  const room = inner - numberWidth - 2;
  if (shelf && room > 4) lines.push({ text: wrap(shelf, room, size.number, 1, ruler, true)[0] ?? '', x: width - edge, y: base, size: size.number, strong: true, end: true });

  const widths = code128(barcode);
  const count = widths.reduce((sum, w) => sum + w, 0);
  // The quiet zone may be the edge of the label, which is white anyway.
  const module = moduleFor(width - 1, count + 2 * quiet128, 0.5);
  const top = edge + above.length * leading + (above.length > 0 ? 0.6 : 0);
  const tall = Math.min(16, base - size.number - 0.4 - top);
  const from = top + (base - size.number - 0.4 - top - tall) / 2;
  let x = (width - count * module) / 2;
  let path = '';
  widths.forEach((w, i) => {
    if (i % 2 === 0) path += rect(x, from, w * module, tall);
    x += w * module;
  });
  return { path, lines, module };
}

function drawQr(label: Label, width: number, height: number, edge: number, ruler: Ruler): Drawing {
  const { barcode, shelf = '' } = label;
  const grid = qrCode(barcode);
  const side = Math.min(height - 2, width * 0.45, 28);
  const module = moduleFor(side, grid.length + 2 * quietQr, 0.9);
  const whole = module * (grid.length + 2 * quietQr);
  const origin = { x: Math.max(0, edge - module * quietQr) + quietQr * module, y: (height - whole) / 2 + quietQr * module };
  let path = '';
  grid.forEach((row, y) => {
    // Neighbours are drawn as one, so that no hair line is between them.
    for (let x = 0; x < row.length; x++) {
      let run = 0;
      while (row[x + run]) run++;
      if (run > 0) path += rect(origin.x + x * module, origin.y + y * module, run * module, module);
      x += run;
    }
  });
  const size = sizes(height);
  const x = origin.x + (grid.length + quietQr) * module;
  const inner = width - edge - x;
  const leading = size.title * 1.2;
  const room = height - 2 * edge - (shelf ? 2 : 1) * leading - 0.6;
  const above = heads(label, inner, size.title, 4, Math.floor(room / leading), ruler);
  const lines: Line[] = above.map((one, i) => ({ ...one, x, y: edge + size.title * 0.8 + i * leading, size: size.title }));
  const base = height - edge - size.number * 0.15;
  const number = wrap(barcode, inner, size.number, 1, ruler)[0] ?? '';
  lines.push({ text: number, x, y: base, size: size.number });
  if (shelf) lines.push({ text: wrap(shelf, inner, size.number, 1, ruler, true)[0] ?? '', x, y: base - leading, size: size.number, strong: true });
  return { path, lines, module };
}
