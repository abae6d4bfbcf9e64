import type { Api, TableImport } from '../api/api';
import { Problem } from '../api/problem';

/** How much of a file goes in one request: enough for a heading and some hundred rows. */
const usual = 128 << 10;
/** A request has at most 1 MiB, and the heading at most 64 KiB of it. */
const most = 900 << 10;

export interface Part {
  body: Uint8Array<ArrayBuffer>;
  part: 'more' | 'last';
  /** Where the part begins: a line, or the number of a record. */
  line?: number;
  charset?: string;
}

/** Files of library catalogues. All others are tables. */
export type Kind = 'text/csv' | 'application/marc' | 'application/marcxml+xml';

/** What a file is, by its beginning: a MARC record has its length there, MARCXML a tag. */
export function kindOf(file: Uint8Array): Kind {
  const start = new TextDecoder('latin1').decode(file.subarray(0, 4096));
  if (/^\s*\d{5}[a-z ][a-z ].{5}\d{5}.{3}45/.test(start)) return 'application/marc';
  return /^(\u00ef\u00bb\u00bf)?\s*</.test(start) && /loc\.gov\/MARC21|[<:]leader/.test(start) ? 'application/marcxml+xml' : 'text/csv';
}

/** A row that fits into no request. */
export class RowTooLong extends Problem {
  constructor(readonly line: number) {
    super('invalid', 'row_too_long');
  }
}

/** A card that several people of the file have. */
export class SharedCard extends Problem {
  constructor(readonly card: string) {
    super('invalid', 'card_taken');
  }
}

/**
 * Sends a file part by part, each with the heading in front. Where a row ends is
 * for the library to know: it says how far it has read. `done` is called after
 * each part, with the number of bytes that are done.
 */
export async function sendParts(file: Uint8Array<ArrayBuffer>, send: (part: Part) => Promise<TableImport>, done: (answer: TableImport, bytes: number) => void): Promise<void> {
  let at = 0;
  let heading = 0;
  let size = usual;
  let line: number | undefined;
  let charset: string | undefined;
  for (;;) {
    const end = Math.min(at + size, file.length);
    const body = new Uint8Array(heading + end - at);
    body.set(file.subarray(0, heading));
    body.set(file.subarray(at, end), heading);
    const answer = await send({ body, part: end < file.length ? 'more' : 'last', line, charset });
    const { next } = answer;
    const read = next ? next.byte - heading : end - at;
    done(answer, at + read);
    if (!next) return;
    // Not even one row fits, or nothing but the end of one is left.
    const place = next.line ?? next.record;
    if (read === 0 && size >= most) throw new RowTooLong(place ?? 0);
    size = read === 0 ? Math.min(size * 2, most) : usual;
    at += read;
    heading = next.heading;
    line = place;
    charset ??= answer.charset;
  }
}

export type What = 'books' | 'users';

interface How {
  update: boolean;
  dryRun: boolean;
  what?: What;
  /** How addresses of people are made that are not in the file; '' for not at all. */
  emailPattern?: string;
  /** The roles of people who are added and whose rows name none; '' for none. */
  roles?: string;
  kind?: Kind;
}

/** Adds what is in a part of a file, or says what would become of it. */
export async function importTable(api: Pick<Api, 'raw'>, { body, part, line, charset }: Part, { update, dryRun, what = 'books', emailPattern = '', roles = '', kind = 'text/csv' }: How, signal?: AbortSignal): Promise<TableImport> {
  const place = kind === 'text/csv' ? 'line' : 'record';
  const query = `part=${part}&update=${update}&dryRun=${dryRun}` + (line ? `&${place}=${line}` : '') + (emailPattern && `&emailPattern=${encodeURIComponent(emailPattern)}`) + (roles && `&roles=${roles}`);
  const headers = { 'Content-Type': kind + (charset ? `; charset=${charset}` : '') };
  const answer: TableImport = await (await api.raw(`/imports/${what}?${query}`, { method: 'POST', headers, body, signal })).json();
  for (const result of answer.results) result.line ??= result.record; // what counts the rows of the file
  return answer;
}
