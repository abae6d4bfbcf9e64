/** A barcode as a library numbers its copies: what stays, and a number of a certain width. */
export interface Numbered {
  prefix: string;
  number: number;
  width: number;
}

/** Takes a barcode apart; nothing if it does not end in a number. */
export function numbered(barcode: string): Numbered | undefined {
  const digits = /\d{1,15}$/.exec(barcode)?.[0];
  if (digits === undefined) return undefined;
  return { prefix: barcode.slice(0, -digits.length), number: Number(digits), width: digits.length };
}

export function writeNumber({ prefix, width }: Numbered, number: number): string {
  return prefix + String(number).padStart(width, '0');
}

/** The barcode a number of steps after another. */
export function after(barcode: string, steps: number): string | undefined {
  const parts = numbered(barcode);
  return parts && writeNumber(parts, parts.number + steps);
}

/** Of the barcodes that are known, the highest one of the series that is used most. */
export function highest(known: readonly string[]): Numbered | undefined {
  const series = new Map<string, { count: number; top: Numbered }>();
  for (const parts of known.map(numbered)) {
    if (!parts) continue;
    const seen = series.get(parts.prefix);
    if (!seen) series.set(parts.prefix, { count: 1, top: parts });
    else series.set(parts.prefix, { count: seen.count + 1, top: parts.number > seen.top.number ? parts : seen.top });
  }
  return [...series.values()].sort((a, b) => b.count - a.count)[0]?.top;
}

/** Where a library begins that has no barcodes yet. */
export const firstBarcode = 'LIB-0001';

/**
 * The next free number after the highest that is known. The library may have gone on
 * from there, so it is asked: in growing steps until a number is free, and then between.
 * For a million numbers that are not known here these are forty questions.
 */
export async function nextFree(known: readonly string[], taken: (barcode: string) => Promise<boolean>): Promise<string> {
  const top = highest(known);
  const series = top ?? { ...(numbered(firstBarcode) as Numbered), number: 0 };
  let low = series.number;
  let step = 1;
  while (await taken(writeNumber(series, low + step))) {
    low += step;
    step *= 2;
  }
  let free = low + step;
  while (free - low > 1) {
    const middle = Math.floor((low + free) / 2);
    if (await taken(writeNumber(series, middle))) low = middle;
    else free = middle;
  }
  return writeNumber(series, free);
}
