import { bookFields, typedFields, type BookFieldName, type TypedFields } from '../api/bookfields';
import { compactIsbn } from './isbn';
import { session } from '../session/session.svelte';

/** What another catalogue says of a book, as the form has it. */
export interface Found {
  source: string;
  fields: TypedFields;
}

/** Asks the other catalogues; a problem says why there is no answer. */
export async function lookUp(isbn: string, signal?: AbortSignal): Promise<Found[]> {
  const { data } = await session.api.ask('get', '/lookups/{isbn}', { path: { isbn: compactIsbn(isbn) }, signal });
  return data.map(({ source, book }) => ({ source, fields: typedFields(book) }));
}

/** What was typed, without the values that the sources of an earlier look-up have filled in. */
export function without(typed: TypedFields, found: readonly Found[]): TypedFields {
  const now = { ...typed };
  for (const { name } of bookFields) if (name !== 'isbn' && sourceOf(name, now[name], found)) now[name] = '';
  return now;
}

/** The sources whose values stand in the fields, each once. */
export function sourcesOf(typed: TypedFields, found: readonly Found[]): string[] {
  return [...new Set(bookFields.flatMap(({ name }) => (name !== 'isbn' && sourceOf(name, typed[name], found)) || []))];
}

/** Takes for each empty field what the first source says that knows it. A volume is one of its source's series. */
export function filled(typed: TypedFields, found: readonly Found[]): TypedFields {
  const now = { ...typed };
  for (const { name } of bookFields) {
    if (now[name].trim() !== '') continue;
    const source = found.find(({ fields }) => fields[name] !== '' && (name !== 'volume' || fields.series === now.series));
    if (source) now[name] = source.fields[name];
  }
  return now;
}

const same = (a: string, b: string): boolean => a.trim() === b.trim();

/** Which source says what stands in a field. */
export function sourceOf(name: BookFieldName, typed: string, found: readonly Found[]): string | undefined {
  return typed.trim() === '' ? undefined : found.find(({ fields }) => same(fields[name], typed))?.source;
}

/** What sources say instead, each value once. An ISBN is what they were asked for. */
export function offers(name: BookFieldName, typed: string, found: readonly Found[]): { source: string; value: string }[] {
  const others = name === 'isbn' ? [] : found.map(({ source, fields }) => ({ source, value: fields[name] }));
  return others.filter(({ value }, i) => value !== '' && !same(value, typed) && others.findIndex((other) => other.value === value) === i);
}
