import type { Api, TableImport } from '../api/api';
import { Problem } from '../api/problem';

/** How much of a file goes in one request: enough for a heading and some hundred rows. */
const usual = 128 << 10;
/** A request has at most 1 MiB, and the heading at most 64 KiB of it. */
const most = 900 << 10;

export interface Part {
  body: Uint8Array<ArrayBuffer>;
  part: 'more' | 'last';
  line?: number;
  charset?: string;
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
    if (read === 0 && size >= most) throw new RowTooLong(next.line);
    size = read === 0 ? Math.min(size * 2, most) : usual;
    at += read;
    ({ heading, line } = next);
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
}

/** Adds what is in a part of a CSV file, or says what would become of it. */
export async function importTable(api: Pick<Api, 'raw'>, { body, part, line, charset }: Part, { update, dryRun, what = 'books', emailPattern = '', roles = '' }: How, signal?: AbortSignal): Promise<TableImport> {
  const query = `part=${part}&update=${update}&dryRun=${dryRun}` + (line ? `&line=${line}` : '') + (emailPattern && `&emailPattern=${encodeURIComponent(emailPattern)}`) + (roles && `&roles=${roles}`);
  const headers = { 'Content-Type': 'text/csv' + (charset ? `; charset=${charset}` : '') };
  return (await api.raw(`/imports/${what}?${query}`, { method: 'POST', headers, body, signal })).json();
}
