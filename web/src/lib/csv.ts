/** A record of a CSV file, with the line on which it begins. */
export interface CsvRecord {
  line: number;
  fields: string[];
}

/** A file that breaks the rules of RFC 4180. */
export class CsvError extends Error {
  override name = 'CsvError';
  constructor(
    /** A quotation mark in the wrong place, or one that is never closed. */
    readonly kind: 'quote' | 'open',
    readonly line: number,
  ) {
    super(`line ${line}: ${kind}`);
  }
}

/**
 * Reads CSV as RFC 4180 has it, strictly: a quotation mark is only allowed
 * around a whole field and, doubled, within such a field. Lines may end in
 * LF alone, which everybody writes. Empty lines are left out. Programs that
 * protect numbers from spreadsheets write ="0132350882", and not all of them
 * put marks around that.
 */
export function parseCsv(text: string, delimiter = ','): CsvRecord[] {
  const records: CsvRecord[] = [];
  const head = named.exec(text)?.[0] ?? '';
  let at = head.length || (text.startsWith('\uFEFF') ? 1 : 0);
  let line = head === '' ? 1 : 2;
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      const field = fieldAt(text, at, line, delimiter);
      record.fields.push(field.value);
      at = field.end;
      line += field.breaks;
      if (text[at] !== delimiter) break;
      at++;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 2;
    else if (text[at] === '\n' || text[at] === '\r') at++;
    else if (at < text.length) throw new CsvError('quote', line); // something behind a closing mark
    line++;
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record);
  }
  return records;
}

interface Field {
  value: string;
  /** Where the text goes on. */
  end: number;
  /** How many lines the field spans beyond its first. */
  breaks: number;
}

function fieldAt(text: string, at: number, line: number, delimiter: string): Field {
  if (text[at] === '"') return quoted(text, at, line);
  if (!text.startsWith('="', at)) return plain(text, at, line, delimiter);
  const field = quoted(text, at + 1, line);
  return { ...field, value: `="${field.value}"` };
}

function plain(text: string, from: number, line: number, delimiter: string): Field {
  let end = from;
  for (; end < text.length; end++) {
    const c = text[end];
    if (c === delimiter || c === '\n' || c === '\r') break;
    if (c === '"') throw new CsvError('quote', line);
  }
  return { value: text.slice(from, end), end, breaks: 0 };
}

function quoted(text: string, from: number, line: number): Field {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) throw new CsvError('open', line);
    if (text[at + 1] === '"') continue;
    const inside = text.slice(from + 1, at);
    return { value: inside.replaceAll('""', '"'), end: at + 1, breaks: (inside.match(/\r\n|\n|\r/g) ?? []).length };
  }
}

/** A first line that is none of the table: it tells Excel what separates the fields. */
const named = /^\uFEFF?sep=(.)(\r\n|\n|\r)/i;

/** What separates the fields: spreadsheets do not agree, so the first line decides. */
export function delimiterOf(text: string): string {
  const told = named.exec(text)?.[1];
  if (told !== undefined) return told;
  const counts = new Map([[',', 0], [';', 0], ['\t', 0]]);
  let within = false;
  for (const c of text) {
    if (c === '"') within = !within;
    else if (!within && (c === '\n' || c === '\r')) break;
    else if (!within && counts.has(c)) counts.set(c, (counts.get(c) ?? 0) + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** The text of a file: UTF-8, or what spreadsheets write: "Unicode text" is UTF-16, older ones know less. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  const mark = bytes.length > 1 ? (bytes[0] as number) * 256 + (bytes[1] as number) : 0;
  if (mark === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  if (mark === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
