import { expect, test } from 'vitest';
import de from '../messages/de.staff';
import en from '../messages/en.staff';
import { detailWords } from './details';

test.each([
  ['title', 'is required', 'Title is missing', 'Titel fehlt'],
  ['description', 'is longer than 10000 characters', 'Description is longer than 10000 characters', 'Beschreibung ist länger als 10000 Zeichen'],
  ['authors', 'has more than 50 entries', 'Authors has more than 50 entries', 'Autoren hat mehr als 50 Einträge'],
  ['authors[2]', 'is required', 'Authors (3) is missing', 'Autoren (3) fehlt'],
  ['identifier', 'is not a UUID of 36 characters', 'Identifier is not a UUID', 'Kennung ist keine UUID'],
  ['isbn', 'is different in the library', 'ISBN is different in the catalogue', 'ISBN ist im Katalog anders'],
  ['title', 'is different there', 'Title is different in an earlier row', 'Titel ist in einer früheren Zeile anders'],
  ['binding', 'is new', 'binding is new', 'binding is new'],
])('%s %s', (field, message, english, german) => {
  expect(detailWords({ field, message }, en, String)).toBe(english);
  expect(detailWords({ field, message }, de, String)).toBe(german);
});
