import { expect, test } from 'vitest';
import de from '../../messages/de.staff';
import en from '../../messages/en.staff';
import type { ImportResult } from '../api/api';
import { brief, copiesText, detailText, personText, rowText } from './details';
import type { Detail } from '../api/problem';

test.each<[Omit<Detail, 'message'>, string, string]>([
  [{ field: 'title', code: 'required' }, 'Title is missing', 'Titel fehlt'],
  [{ field: 'description', code: 'too_long', limit: 10000 }, 'Description is longer than 10000 characters', 'Beschreibung ist länger als 10000 Zeichen'],
  [{ field: 'authors', code: 'too_many', limit: 50 }, 'Authors has more than 50 entries', 'Autor/innen hat mehr als 50 Einträge'],
  [{ field: 'loanDays', code: 'out_of_range', least: 0, limit: 3650 }, 'Loan period in days is not a whole number from 0 to 3650', 'Leihfrist in Tagen ist keine ganze Zahl von 0 bis 3650'],
  [{ field: 'limit', code: 'out_of_range', limit: 1000 }, 'limit is not a whole number from 1 to 1000', 'limit ist keine ganze Zahl von 1 bis 1000'],
  [{ field: 'authors[2]', code: 'required' }, 'Authors (3) is missing', 'Autor/innen (3) fehlt'],
  [{ field: 'identifier', code: 'not_a_uuid' }, 'Identifier is not a UUID', 'Kennung ist keine UUID'],
  [{ field: 'isbn', code: 'differs_from_library' }, 'ISBN is different in the catalogue', 'ISBN ist im Katalog anders'],
  [{ field: 'barcode', code: 'too_long', limit: 40 }, 'Barcode is longer than 40 characters', 'Barcode ist länger als 40 Zeichen'],
  [{ field: 'shelf', code: 'control_character' }, 'Shelf contains a control character', 'Standort enthält ein Steuerzeichen'],
  [{ field: 'title', code: 'differs_from_row' }, 'Title is different in an earlier row', 'Titel ist in einer früheren Zeile anders'],
])('%j, whatever the server says in English', (detail, english, german) => {
  expect(detailText({ ...detail, message: 'English words' }, en, String)).toBe(english);
  expect(detailText({ ...detail, message: 'English words' }, de, String)).toBe(german);
});

test('of a code that is not known here the server’s words are shown', () => {
  const detail = { field: 'binding', code: 'too_loose', message: 'is loose' } as unknown as Detail;
  expect(detailText(detail, de, String)).toBe('binding is loose');
});

test.each<[Partial<ImportResult>, string]>([
  [{ outcome: 'added' }, ''],
  [{ outcome: 'invalid', code: 'cell_count' }, en.import.unreadable.cell_count],
  [{ outcome: 'invalid', code: 'ambiguous_book' }, en.import.crowded],
  [{ outcome: 'invalid', code: 'ambiguous_book', details: [{ field: 'identifier', code: 'candidate', message: 'an identifier' }] }, en.import.ambiguous],
  [{ outcome: 'invalid', code: 'ambiguous_book', details: [{ field: 'isbn', code: 'differs_from_row', message: '' }] }, 'ISBN is different in an earlier row'],
  [{ outcome: 'invalid', code: 'invalid', details: [{ field: 'title', code: 'required', message: '' }] }, 'Title is missing'],
  [{ outcome: 'invalid', code: 'copies_number' }, en.import.unreadable.copies_number],
  [{ outcome: 'invalid', code: 'barcode_taken', message: 'English', details: [{ field: 'barcode', code: 'duplicate', message: 'E-1 is taken' }] }, en.import.taken],
  [{ outcome: 'invalid', code: 'too_many_copies', message: 'English' }, en.codes.too_many_copies],
  [{ outcome: 'differs', code: 'book_differs' }, en.import.differs],
  [{ outcome: 'invalid', code: 'required', details: [{ field: 'email', code: 'required', message: '' }] }, en.import.unreadable.required],
  [{ outcome: 'invalid', code: 'invalid', details: [{ field: 'firstName', code: 'required', message: '' }] }, 'First name is missing'],
  [{ outcome: 'invalid', code: 'card_taken', details: [{ field: 'card', code: 'duplicate', message: 'is the card of another person' }] }, en.importUsers.taken],
  [{ outcome: 'invalid', code: 'last_admin' }, en.codes.last_admin],
  [{ outcome: 'differs', code: 'user_differs' }, en.importUsers.differs],
  [{ outcome: 'differs', code: 'user_differs', details: [{ field: 'group', code: 'differs_from_library', message: '' }, { field: 'active', code: 'differs_from_row', message: '' }] }, 'Group is different in the library; Access is different in an earlier row'],
  [{ outcome: 'invalid', message: 'said by the server' }, 'said by the server'],
])('a row with %j', (result, want) => expect(rowText(result as ImportResult, en, String)).toBe(want));

test('a value of thousands of characters is shown in part', () => {
  expect(brief('x'.repeat(2000))).toMatch(/^x{70,80}…$/);
  expect(brief('Emma')).toBe('Emma');
});

test.each<[NonNullable<ImportResult['book']>, string]>([
  [{ title: 'Emma' }, ''],
  [{ copies: 0 }, '0 copies'],
  [{ copies: 1, shelf: 'A 1' }, '1 copy · Shelf A 1'],
  [{ copies: 3, barcode: ['E-1', 'E-2'], shelf: 'A 1' }, '3 copies · Barcode E-1, E-2 · Shelf A 1'],
])('of copies, %j', (book, want) => expect(copiesText(book, en.import, (n, forms) => (n === 1 ? forms.one : forms.other).replace('#', String(n)))).toBe(want));

test('a long row of barcodes is shown in part', () => {
  expect(copiesText({ barcode: Array.from({ length: 900 }, (_, i) => `B-${i}`), shelf: 'S'.repeat(2000) }, en.import, String).length).toBeLessThan(220);
});

test.each<[NonNullable<ImportResult['user']>, string]>([
  [{ firstName: 'Ada' }, ''],
  [{ email: 'ada@school.example', group: '7a', card: 'S-1' }, 'ada@school.example · 7a · S-1'],
  [{ email: 'ada@school.example', roles: ['LIBRARY_ADMIN', 'x'], active: false }, 'ada@school.example · role LIBRARY_ADMIN, role x · Deactivated'],
  [{ email: 'ada@school.example', active: true }, 'ada@school.example'],
])('of a person %j it says %j', (user, want) => expect(personText(user, en, (role) => `role ${role}`)).toBe(want));
