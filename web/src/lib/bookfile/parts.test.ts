import { expect, test } from 'vitest';
import type { TableImport } from '../api/api';
import { importTable, kindOf, sendParts, type Part } from './parts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const text = (body: Uint8Array<ArrayBuffer>): string => new TextDecoder().decode(body);

/** Reads rows of one line each, as the library would, three at a time. */
function reader(heading: string) {
  const parts: Part[] = [];
  const rows: string[] = [];
  const send = async (part: Part): Promise<TableImport> => {
    parts.push(part);
    const body = text(part.body);
    expect(body.startsWith(heading)).toBe(true);
    const lines = body.slice(heading.length).split('\n');
    const open = lines.pop() ?? '';
    if (part.part === 'last' && open !== '') lines.push(open);
    const taken = lines.slice(0, 3);
    rows.push(...taken);
    const isMore = part.part === 'more' || lines.length > 3;
    const byte = heading.length + taken.join('\n').length + (taken.length > 0 ? 1 : 0);
    const line = (part.line ?? 2) + taken.length;
    return { results: [], charset: 'utf-8', ...(isMore && { next: { heading: heading.length, byte, line } }) };
  };
  return { parts, rows, send };
}

test('a file goes in parts, each with the heading, until the library has read it to its end', async () => {
  const { parts, rows, send } = reader('title\n');
  const reported: number[] = [];
  await sendParts(bytes('title\na\nb\nc\nd\ne\nf\ng'), send, (_, done) => reported.push(done));
  expect(rows).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(reported).toEqual([12, 18, 19]);
  expect(parts.map((p) => [text(p.body), p.part, p.line, p.charset])).toEqual([
    ['title\na\nb\nc\nd\ne\nf\ng', 'last', undefined, undefined],
    ['title\nd\ne\nf\ng', 'last', 5, 'utf-8'],
    ['title\ng', 'last', 8, 'utf-8'],
  ]);
});

test('a row that is longer than a part makes the part longer', async () => {
  const { parts, rows, send } = reader('title\n');
  const long = 'x'.repeat(300_000);
  await sendParts(bytes(`title\na\n${long}\nb\n`), send, () => undefined);
  expect(rows).toEqual(['a', long, 'b']);
  expect(Math.max(...parts.map((p) => p.body.length))).toBeLessThan(1 << 20);
});

test('a row that fits into no request ends the import and names its line', async () => {
  const { rows, send } = reader('title\n');
  const sent = sendParts(bytes(`title\na\n${'x'.repeat(2_000_000)}\nb\n`), send, () => undefined);
  await expect(sent).rejects.toMatchObject({ code: 'row_too_long', line: 3 });
  expect(rows).toEqual(['a']);
});

test.each([
  ['00720cam a22002051  4500001', 'application/marc'],
  ['<?xml version="1.0"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">', 'application/marcxml+xml'],
  ['\ufeff<marc:record><marc:leader>00720cam', 'application/marcxml+xml'],
  ['<html><body>', 'text/csv'],
  ['title;isbn\n12345;1', 'text/csv'],
] as const)('%s is %s', (start, kind) => {
  expect(kindOf(bytes(start))).toBe(kind);
});

test('records of a catalogue are counted, and shown like lines', async () => {
  const asked: string[] = [];
  const raw = async (path: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(path, headers['Content-Type'] ?? '');
    return { json: async () => ({ results: [{ outcome: 'added', record: 7 }] }) };
  };
  const part: Part = { body: bytes('x'), part: 'last', line: 7 };
  const answer = await importTable({ raw } as never, part, { update: false, dryRun: true, kind: 'application/marc' });
  expect(asked).toEqual(['/imports/books?part=last&update=false&dryRun=true&record=7', 'application/marc']);
  expect(answer.results[0]?.line).toBe(7);
});
