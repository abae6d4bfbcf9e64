import { expect, test } from 'vitest';
import contract from '../../../../api/openapi.yaml?raw';
import de from '../../messages/de.staff';
import deAll from '../../messages/de';
import en from '../../messages/en.staff';
import enAll from '../../messages/en';
import page from '../../views/Book.svelte?raw';
import type { Book } from './api';
import { bookFacts, bookFields, bookInput, typedFields } from './bookfields';

/** The properties of a schema, each with its text in the contract file. */
function properties(schema: string): Map<string, string> {
  const schemas = contract.slice(contract.indexOf('\n  schemas:\n'));
  const from = schemas.slice(schemas.indexOf(`\n    ${schema}:\n`) + 1);
  const one = from.slice(0, from.slice(1).search(/\n {4}\w/) + 2);
  const inside = one.slice(one.indexOf('\n      properties:\n'));
  return new Map(inside.split(/\n(?= {8}\w)/).slice(1).map((text) => [/^ {8}(\w+)/.exec(text)?.[1] ?? '', text]));
}

const number = (text: string | undefined, keyword: string): number | undefined => {
  const found = new RegExp(`\\b${keyword}: (\\d+)`).exec(text ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

const names = bookFields.map((field) => field.name);
const written = properties('BookInput');

/** A book with every field of the contract file, whether the list has it or not. */
const filled = Object.fromEntries([...written].map(([name, text]) => [name, /array/.test(text) ? [`${name} 1`, `${name} 2`] : /integer/.test(text) ? 1999 : `some ${name}`])) as unknown as Book;

test('every field of a book in the contract file is in the list, and nothing else', () => {
  expect([...names].sort()).toEqual([...written.keys()].filter((name) => name !== 'identifier').sort());
  expect([...properties('Book').keys()]).toEqual(expect.arrayContaining(names));
  expect([...properties('RowBook').keys()]).toEqual(expect.arrayContaining(names));
});

test.each(bookFields.filter((field) => field.kind !== 'choice').map((field) => [field.name, field] as const))('%s has the limits of the contract file', (name, field) => {
  expect(field.most).toBe(number(written.get(name), field.kind === 'number' ? 'maximum' : 'maxLength'));
  expect('entries' in field ? field.entries : undefined).toBe(number(written.get(name), 'maxItems'));
  expect(field.kind === 'list').toBe(/array/.test(written.get(name) ?? ''));
});

test('every field of a book goes through the form', () => {
  const { identifier: _, ...fields } = filled;
  expect(bookInput(typedFields(filled))).toEqual(fields);
  expect(bookInput(typedFields({ title: 'Emma' }))).toEqual({ title: 'Emma' });
});

test('every field of a book is on its page', () => {
  const facts = new Set<string>(bookFacts.map((fact) => fact.name));
  for (const { name } of bookFields) if (!facts.has(name)) expect(page).toContain(`book.${name}`);
});

test('every field of a book has its words', () => {
  for (const { name } of bookFields) {
    expect(en.import.columns, 'what the page about imports says').toContain(name);
    expect(de.import.columns).toContain(de.form[name]);
  }
  for (const { name } of bookFacts) expect([enAll.book[name], deAll.book[name]]).toEqual([en.form[name], de.form[name]]);
});
