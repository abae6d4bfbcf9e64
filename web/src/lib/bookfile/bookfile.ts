import type { Book } from '../api/api';
import { bookColumns, bookMembers, type BookFieldName } from '../api/bookfields';
import { spreadsheet } from '../files/csv';
import type { Copy } from '../lending/lending';

/** How books are written: CSV that can be imported again, CSV for people to read in a spreadsheet, or JSON with a book per line. */
export type TableFormat = 'csv' | 'spreadsheet' | 'jsonl';
export type Format = TableFormat | 'marc' | 'marcxml';

/** A kind of file that is written part by part. */
export interface FileWriter {
  start: string;
  text: (books: readonly { book: Book; copies: readonly Copy[] }[]) => string;
  end: string;
}

export const tableWriter = (format: TableFormat, separator: ',' | ';'): FileWriter => ({
  start: fileStart(format, separator),
  text: (books) => fileText(books.map(({ book, copies }) => fileBook(book, copies)), format, separator),
  end: '',
});

/** A book as a file has it: what the terminal's `books export` writes. */
interface FileBook extends Partial<Record<BookFieldName, string | number | readonly string[]>> {
  identifier: string;
  copies: number;
  barcode?: string[];
  shelf?: string;
}

const fields = ['identifier', ...bookColumns, 'copies', 'barcode', 'shelf'] as const;

/** Of copies, those that can be lent count, and their shelf if all stand on one. What is empty is left out. */
export function fileBook(book: Book, all: readonly Copy[]): FileBook {
  const lendable = all.filter((copy) => copy.state === 'lendable');
  const barcode = lendable.flatMap((copy) => copy.barcode ?? []);
  const shelves = new Set(lendable.map((copy) => copy.shelf));
  return {
    identifier: book.identifier,
    ...Object.fromEntries(bookMembers.map((name) => [name, [book[name] ?? ''].flat().join('') === '' ? undefined : book[name]])),
    copies: book.copies,
    barcode: barcode.length > 0 ? barcode : undefined,
    shelf: shelves.size === 1 ? [...shelves][0] || undefined : undefined,
  };
}

/** What stands before the first book. */
export const fileStart = (format: TableFormat, separator: ',' | ';'): string =>
  format === 'jsonl' ? '' : format === 'csv' ? fields.join(',') + '\n' : spreadsheet([fields], separator);

/** Books as a part of a file. Only a spreadsheet gets cells that are no formulas: what is imported again has to be as it was. */
export function fileText(books: readonly FileBook[], format: TableFormat, separator: ',' | ';'): string {
  if (format === 'jsonl') return books.map((book) => JSON.stringify(book) + '\n').join('');
  const rows = books.map((book) => fields.map((field) => cell(book[field])));
  if (format === 'spreadsheet') return spreadsheet(rows, separator).slice(1); // the mark stands at the beginning of the file alone
  return rows.map((row) => row.map((value) => quoted(String(value))).join(',') + '\n').join('');
}

/** In a list, a backslash takes the meaning of a semicolon away. */
function cell(value: FileBook[keyof FileBook]): string | number {
  return typeof value === 'object' ? value.map((entry) => entry.replace(/[\\;]/g, '\\$&')).join('; ') : (value ?? '');
}

const quoted = (text: string): string => (/[",\r\n]|^\s|^\\\.$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
