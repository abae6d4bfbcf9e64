import type { BookInput } from './api';
import { delimiterOf, parseCsv } from './csv';

/** One row of a file with books. */
export interface Row {
  line: number;
  title: string;
  book?: BookInput;
  /** Why it cannot even be sent. */
  fault?: { kind: 'fields'; has: number; wants: number } | { kind: 'cut'; value: string } | { kind: 'long' };
}

export interface Table {
  rows: Row[];
  /** Columns that mean nothing to us. */
  ignored: string[];
}

/** A file that is no table of books. */
export class TableError extends Error {
  override name = 'TableError';
  constructor(
    readonly kind: 'empty' | 'noTitle' | 'twice' | 'noRows',
    readonly column = '',
  ) {
    super(kind);
  }
}

type Member = 'title' | 'authors' | 'isbn' | 'description' | 'identifier';

/** The names of the columns, the better one first. */
const names: Record<Member, string[]> = {
  title: ['title', 'titel', 'buchtitel', 'booktitle'],
  authors: ['authors', 'author', 'autoren', 'autor', 'autorin', 'autorinnen', 'verfasser', 'verfasserin'],
  isbn: ['isbn', 'isbn13', 'isbn10'],
  description: ['description', 'beschreibung', 'summary', 'zusammenfassung', 'inhalt'],
  identifier: ['identifier', 'id', 'uuid', 'kennung'],
};

const members = Object.keys(names) as Member[];

/** The name of a column without what people vary: case, accents, spaces, hyphens. */
export function plainName(name: string): string {
  return name.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Reads a table of books. */
export function readTable(text: string): Table {
  const [head, ...rest] = parseCsv(text, delimiterOf(text));
  if (!head) throw new TableError('empty');
  const columns = columnsOf(head.fields);
  if (rest.length === 0) throw new TableError('noRows');
  const used = new Set(columns.values());
  return {
    rows: rest.map(({ line, fields }) => rowOf(line, fields, head.fields.length, columns)),
    ignored: head.fields.filter((_, i) => !used.has(i)).map((n) => n.trim()).filter((n) => n !== ''),
  };
}

function columnsOf(head: string[]): Map<Member, number> {
  const plain = head.map(plainName);
  const columns = new Map<Member, number>();
  for (const member of members) {
    const name = names[member].find((n) => plain.includes(n));
    if (name === undefined) continue;
    const at = plain.indexOf(name);
    if (plain.lastIndexOf(name) !== at) throw new TableError('twice', (head[at] as string).trim());
    columns.set(member, at);
  }
  if (!columns.has('title')) throw new TableError('noTitle');
  return columns;
}

/** Words for an ISBN that is not there, as plainName makes them; also -, ? and 0. */
const noIsbn = /^(na|nan|none|null|nil|no|noisbn|unknown|keine|ohne|unbekannt|nichtvorhanden|0*)$/;

/** What spreadsheets make of long numbers: the digits are gone. */
const cutShort = /^\d+([.,]\d+)?e\+\d+$/i;

/** What a cell of the ISBN column says, '' if it says that there is none. */
function isbnOf(cell: string): string {
  const text = (/^="([^"]*)"$/.exec(cell)?.[1] ?? cell).trim();
  return noIsbn.test(plainName(text)) ? '' : text;
}

function rowOf(line: number, fields: string[], wants: number, columns: Map<Member, number>): Row {
  const cell = (member: Member): string => (fields[columns.get(member) ?? -1] ?? '').trim();
  const title = cell('title');
  if (fields.length !== wants) return { line, title, fault: { kind: 'fields', has: fields.length, wants } };
  // What is empty is left out: an import never clears anything.
  const book: BookInput = { title };
  const authors = cell('authors').split(';').map((a) => a.trim()).filter((a) => a !== '');
  if (authors.length > 0) book.authors = authors;
  const isbn = isbnOf(cell('isbn'));
  if (cutShort.test(isbn)) return { line, title, fault: { kind: 'cut', value: isbn } };
  if (isbn !== '') book.isbn = isbn;
  for (const member of ['description', 'identifier'] as const) {
    const value = cell(member);
    if (value !== '') book[member] = value;
  }
  if (weight(book) > mostBytes) return { line, title, fault: { kind: 'long' } };
  return { line, title, book };
}

const mostRows = 200;
const mostBytes = 1_000_000; // of the 1 MiB that a request may have

const encoder = new TextEncoder();

function weight(book: BookInput): number {
  return encoder.encode(JSON.stringify(book)).length + 1;
}

/** Rows in portions that the server takes. Rows that cannot be sent are left out. */
export function batches(rows: readonly Row[], most = mostRows, bytes = mostBytes): Row[][] {
  const all: Row[][] = [];
  let size = 0;
  for (const row of rows) {
    if (!row.book) continue;
    const w = weight(row.book);
    const last = all.at(-1);
    if (!last || last.length >= most || size + w > bytes) {
      all.push([row]);
      size = w;
    } else {
      last.push(row);
      size += w;
    }
  }
  return all;
}
