/** The columns of a file, with its first rows, and where its heading is. */
export interface Columns {
  headings: string[];
  /** What stands in the first rows of each column. */
  examples: string[][];
  separator: string;
  /** The bytes of the heading, without the end of its line. */
  start: number;
  end: number;
}

const looked = 64 << 10; // bytes in which a heading and some rows are

/** A file whose signs of ASCII are one byte each. */
export function asciiBytes(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [a, b] = file;
  const charset = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0) ? 'utf-16le' : (a === 0xfe && b === 0xff) || (a === 0 && b !== 0) ? 'utf-16be' : '';
  return charset && file.length > 1 ? new TextEncoder().encode(new TextDecoder(charset).decode(file)) : file;
}

/** Reads the columns of a file; none if it is empty. */
export function columnsOf(file: Uint8Array): Columns | undefined {
  const text = new TextDecoder('latin1').decode(file.subarray(0, looked)); // a character is a byte
  let start = text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
  const given = /^sep=(.)[\r\n]+/.exec(text.slice(start));
  start += given?.[0].length ?? 0;
  const separators = given?.[1] ? [given[1]] : [',', ';', '\t', '|'];
  const read = separators.map((separator) => records(text, start, separator, 4));
  const [best, separator = ','] = read.reduce<[Rows | undefined, string?]>((most, rows, i) => ((rows.cells[0]?.length ?? 0) > (most[0]?.cells[0]?.length ?? 0) ? [rows, separators[i]] : most), [undefined]);
  const [headings, ...rows] = (best?.cells ?? []).map((cells) => cells.map(decoded));
  if (!best || !headings) return undefined;
  return { headings, examples: headings.map((_, i) => rows.map((cells) => cells[i] ?? '').filter((cell) => cell !== '')), separator, start, end: best.end };
}

interface Rows {
  cells: string[][];
  /** Where the first row ends. */
  end: number;
}

/** The first rows of a table. A separator or the end of a line within quotation marks is a part of the cell. */
function records(text: string, from: number, separator: string, most: number): Rows {
  const rows: Rows = { cells: [], end: from };
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = from; i <= text.length && rows.cells.length < most; i++) {
    const c = text[i] ?? '\n';
    if (quoted && i < text.length) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[i++];
      else quoted = false;
    } else if (c === '"' && cell.trim() === '') quoted = true;
    else if (c === separator || c === '\n' || c === '\r') {
      row.push(cell.trim());
      cell = '';
      if (c === separator) continue;
      if (rows.cells.length === 0) rows.end = i;
      if (row.some((value) => value !== '')) rows.cells.push(row);
      row = [];
    } else cell += c;
  }
  return rows;
}

/** The text of bytes: UTF-8, or else Windows-1252. */
function decoded(bytes: string): string {
  const array = Uint8Array.from(bytes, (c) => c.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(array);
  } catch {
    return new TextDecoder('windows-1252').decode(array);
  }
}

/** The file with other headings, instead of those that it has or, if its first line is a record, before that. All else stays as it is. */
export function withHeadings(file: Uint8Array<ArrayBuffer>, { separator, start, end }: Columns, names: readonly string[], headless = false): Uint8Array<ArrayBuffer> {
  const lineEnd = file[end] !== 13 ? '\n' : file[end + 1] === 10 ? '\r\n' : '\r';
  const heading = new TextEncoder().encode(names.join(separator) + (headless ? lineEnd : ''));
  const rest = file.subarray(headless ? start : end);
  const out = new Uint8Array(start + heading.length + rest.length);
  out.set(file.subarray(0, start));
  out.set(heading, start);
  out.set(rest, start + heading.length);
  return out;
}
