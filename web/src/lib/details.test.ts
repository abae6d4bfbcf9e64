import { expect, test } from 'vitest';
import de from '../messages/de.staff';
import en from '../messages/en.staff';
import type { ImportResult } from './api';
import { detailText, rowText } from './details';
import type { Detail } from './problem';

test.each<[Omit<Detail, 'message'>, string, string]>([
  [{ field: 'title', code: 'required' }, 'Title is missing', 'Titel fehlt'],
  [{ field: 'description', code: 'too_long', limit: 10000 }, 'Description is longer than 10000 characters', 'Beschreibung ist länger als 10000 Zeichen'],
  [{ field: 'authors', code: 'too_many', limit: 50 }, 'Authors has more than 50 entries', 'Autoren hat mehr als 50 Einträge'],
  [{ field: 'loanDays', code: 'out_of_range', least: 0, limit: 3650 }, 'Loan period in days is not a whole number from 0 to 3650', 'Leihfrist in Tagen ist keine ganze Zahl von 0 bis 3650'],
  [{ field: 'limit', code: 'out_of_range', limit: 1000 }, 'limit is not a whole number from 1 to 1000', 'limit ist keine ganze Zahl von 1 bis 1000'],
  [{ field: 'authors[2]', code: 'required' }, 'Authors (3) is missing', 'Autoren (3) fehlt'],
  [{ field: 'identifier', code: 'not_a_uuid' }, 'Identifier is not a UUID', 'Kennung ist keine UUID'],
  [{ field: 'isbn', code: 'differs_from_library' }, 'ISBN is different in the catalogue', 'ISBN ist im Katalog anders'],
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
  [{ outcome: 'differs', code: 'book_differs' }, en.import.differs],
  [{ outcome: 'invalid', message: 'said by the server' }, 'said by the server'],
])('a row with %j', (result, want) => expect(rowText(result as ImportResult, en, String)).toBe(want));
