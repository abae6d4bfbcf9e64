import type { BookInput } from './api';

/** One of the fields that curators edit. */
interface BookField {
  name: Exclude<keyof BookInput, 'identifier'>;
  /** A code is a line in no language; a list has an entry per line; a text has several lines; a number is one from 1 on. */
  kind: 'line' | 'code' | 'list' | 'text' | 'number' | 'choice';
  /** How long it may be, or each of its entries, in characters; the largest number. */
  most: number;
  /** How many entries a list may have. */
  entries?: number;
  /** Whether the page of a book has it among the facts; otherwise it has a place of its own there. */
  fact?: true;
}

/**
 * Every field, in the order of the form. The form and the page of a book go through this list. Each name
 * has a label in `form` of the messages for staff, and a fact has one in `book` of the messages for everybody.
 */
export const bookFields = [
  { name: 'isbn', kind: 'code', most: 20, fact: true },
  { name: 'title', kind: 'line', most: 255 },
  { name: 'authors', kind: 'list', most: 255, entries: 50 },
  { name: 'subtitle', kind: 'line', most: 255 },
  { name: 'publisher', kind: 'line', most: 255, fact: true },
  { name: 'published', kind: 'number', most: 9999, fact: true },
  { name: 'series', kind: 'line', most: 255, fact: true },
  { name: 'volume', kind: 'line', most: 20, fact: true },
  { name: 'language', kind: 'code', most: 3, fact: true },
  { name: 'subjects', kind: 'list', most: 100, entries: 30, fact: true },
  { name: 'kind', kind: 'choice', most: 10, fact: true },
  { name: 'description', kind: 'text', most: 10_000 },
] as const satisfies readonly BookField[];

/** The kinds of books; `kinds` of the messages has their names. */
export const bookKinds = ['book', 'audio', 'film', 'game', 'magazine', 'map', 'music', 'device', 'other'] as const;
export type BookKind = (typeof bookKinds)[number];

/** Those that a form always shows; the others are in its fold. */
export const mainFields: readonly string[] = ['isbn', 'title', 'authors'];

export type BookFieldName = (typeof bookFields)[number]['name'];

/** Those that the page of a book has among the facts. */
export const bookFacts = bookFields.filter((field) => 'fact' in field);

/** What was typed into a field that is a list: an entry per line. */
export const entriesOf = (typed: string): string[] => typed.split('\n').map((entry) => entry.trim()).filter((entry) => entry !== '');

/** A book as its form has it. */
export type TypedFields = Record<BookFieldName, string>;

export function typedFields(book: Partial<BookInput>): TypedFields {
  return Object.fromEntries(bookFields.map(({ name }) => [name, [book[name] ?? ''].flat().join('\n')])) as TypedFields;
}

/** What is sent of what was typed. What is empty is left out, except the title. */
export function bookInput(typed: TypedFields): BookInput {
  const input: BookInput = { title: '' };
  for (const { name, kind } of bookFields) {
    const value = kind === 'list' ? entriesOf(typed[name]) : typed[name].trim();
    if (name === 'title' || value.length > 0) Object.assign(input, { [name]: kind === 'number' ? Number(value) : value });
  }
  return input;
}
