/**
 * A QR code, for what a label carries: up to 42 bytes in versions 1 to 3, with error
 * correction level M. These have one block of data and at most one alignment pattern.
 */
const versions = [
  { data: 16, correction: 10 },
  { data: 28, correction: 16 },
  { data: 44, correction: 26 },
];

/** How many modules must be white on every side. */
export const quietQr = 4;

type Grid = boolean[][];

/** A text as a QR code: rows of modules, true is dark. */
export function qrCode(text: string): Grid {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex(({ data }) => bytes.length + 2 <= data) + 1;
  const { data, correction } = versions[version - 1] ?? { data: 0, correction: 0 };
  if (version === 0) throw new RangeError('this is too long for a QR code here');
  const words = dataWords(bytes, data);
  const bits = [...words, ...remainder(words, correction)].flatMap((word) => Array.from({ length: 8 }, (_, i) => ((word >> (7 - i)) & 1) === 1));
  const frame = new Frame(version);
  const path = frame.path();
  const drawn = Array.from({ length: 8 }, (_, mask) => frame.draw(path, bits, mask));
  return drawn.reduce((best, grid) => (penalty(grid) < penalty(best) ? grid : best));
}

/** Mode and length, the bytes, and what fills the rest. */
function dataWords(bytes: Uint8Array, size: number): number[] {
  const words: number[] = [0x40 | (bytes.length >> 4)];
  let left = bytes.length & 15; // the words are shifted by half a byte
  for (const byte of bytes) {
    words.push((left << 4) | (byte >> 4));
    left = byte & 15;
  }
  words.push(left << 4);
  for (let fill = 0xec; words.length < size; fill ^= 0xec ^ 0x11) words.push(fill);
  return words;
}

/** Multiplies in the field of 256 elements. */
function times(a: number, b: number): number {
  let product = 0;
  for (; b > 0; b >>= 1) {
    if (b & 1) product ^= a;
    a = (a << 1) ^ (a & 0x80 ? 0x11d : 0);
  }
  return product;
}

/** The words of error correction (Reed and Solomon). */
function remainder(words: number[], size: number): number[] {
  let generator = [1];
  for (let i = 0, root = 1; i < size; i++, root = times(root, 2)) {
    const next: number[] = [...generator, 0];
    generator.forEach((factor, at) => (next[at + 1] = (next[at + 1] ?? 0) ^ times(factor, root)));
    generator = next;
  }
  const rest = [...words, ...new Array<number>(size).fill(0)];
  words.forEach((_, at) => {
    const factor = rest[at] ?? 0;
    generator.forEach((g, i) => (rest[at + i] = (rest[at + i] ?? 0) ^ times(g, factor)));
  });
  return rest.slice(words.length);
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** What every code of a version has: the corners, the lines between them, and the place for data. */
class Frame {
  readonly size: number;
  /** `undefined` is for data. */
  #cells: (boolean | undefined)[][];

  constructor(version: number) {
    const size = (this.size = 17 + 4 * version);
    this.#cells = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
    for (let i = 0; i < size; i++) this.#set(i, 6, i % 2 === 0), this.#set(6, i, i % 2 === 0);
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) this.#rings(x, y, 4, [0, 1, 3]);
    if (version > 1) this.#rings(size - 7, size - 7, 2, [0, 2]);
    this.#format(this.#cells, 0); // keeps its place
  }

  #set(x: number, y: number, dark: boolean): void {
    const row = this.#cells[y];
    if (row && x >= 0 && x < this.size) row[x] = dark;
  }

  #rings(x: number, y: number, reach: number, dark: number[]): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) this.#set(x + dx, y + dy, dark.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }

  /** Level and mask, twice. */
  #format(cells: (boolean | undefined)[][], mask: number): void {
    let rest = mask << 10; // level M is 00
    for (let bit = 14; bit >= 10; bit--) if ((rest >> bit) & 1) rest ^= 0x537 << (bit - 10);
    const word = ((mask << 10) | rest) ^ 0x5412;
    const last = this.size - 1;
    const put = (x: number, y: number, dark: boolean): void => void ((cells[y] as boolean[])[x] = dark);
    for (let i = 0; i < 15; i++) {
      const dark = ((word >> i) & 1) === 1;
      put(8, i < 6 ? i : i < 8 ? i + 1 : last - 14 + i, dark);
      put(i < 8 ? last - i : i === 8 ? 7 : 14 - i, 8, dark);
    }
    put(8, this.size - 8, true);
  }

  /** The cells for data in their order: up and down in columns of two, from the right. */
  path(): [number, number][] {
    const cells: [number, number][] = [];
    for (let right = this.size - 1, up = true; right > 0; right -= 2, up = !up) {
      if (right === 6) right = 5;
      for (let i = 0; i < this.size; i++) {
        const y = up ? this.size - 1 - i : i;
        for (const x of [right, right - 1]) if (this.#cells[y]?.[x] === undefined) cells.push([x, y]);
      }
    }
    return cells;
  }

  draw(path: [number, number][], bits: boolean[], mask: number): Grid {
    const grid = this.#cells.map((row) => row.map((cell) => cell ?? false));
    path.forEach(([x, y], i) => ((grid[y] as boolean[])[x] = (bits[i] ?? false) !== masks[mask]?.(x, y)));
    this.#format(grid, mask);
    return grid;
  }
}

/** How hard a code is to read: long runs, blocks, what looks like a corner, too much of one colour. */
function penalty(grid: Grid): number {
  const columns = grid.map((_, x) => grid.map((row) => row[x] ?? false));
  let points = 0;
  for (const line of [...grid, ...columns].map((cells) => cells.map(Number).join(''))) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (line.match(/(?=00001011101|10111010000)/g)?.length ?? 0);
  }
  grid.slice(1).forEach((row, y) =>
    row.slice(1).forEach((cell, x) => {
      if (cell === row[x] && cell === grid[y]?.[x] && cell === grid[y]?.[x + 1]) points += 3;
    }),
  );
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2;
  return points + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
