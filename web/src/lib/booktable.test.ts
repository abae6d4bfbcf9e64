import { expect, describe, test } from 'vitest';
import { batches, plainName, readTable, TableError } from './booktable';

describe('the first line says what the columns mean', () => {
  test.each([
    'title,authors,isbn,description,identifier',
    'Title,Author,ISBN,Description,ID',
    'Titel;Autoren;ISBN;Beschreibung;Kennung',
    'TITEL;Autor;ISBN-13;Inhalt;UUID',
    ' title , Author ,isbn 10,Summary,identifier',
  ])('%s', (head) => {
    const d = head.includes(';') ? ';' : ',';
    const { rows, ignored } = readTable(`${head}\n${['T', '"A; B"', '123', 'D', 'I'].join(d)}`);
    expect(rows).toEqual([{ line: 2, title: 'T', book: { title: 'T', authors: ['A', 'B'], isbn: '123', description: 'D', identifier: 'I' } }]);
    expect(ignored).toEqual([]);
  });

  test('of two columns for the same thing the better one counts', () => {
    const { rows, ignored } = readTable('isbn10,isbn,title\n1,2,T');
    expect(rows[0]?.book).toEqual({ title: 'T', isbn: '2' });
    expect(ignored).toEqual(['isbn10']);
  });

  test('columns that mean nothing are named', () => {
    expect(readTable('title,Shelf,,Price\nT,1,2,3').ignored).toEqual(['Shelf', 'Price']);
  });

  test.each([
    ['', 'empty'],
    ['\n\n', 'empty'],
    ['name,isbn\na,b', 'noTitle'],
    ['title,Title\na,b', 'twice'],
    ['title\n', 'noRows'],
  ])('%j is no table: %s', (text, kind) => {
    expect(() => readTable(text)).toThrow(TableError);
    expect(() => readTable(text)).toThrow(expect.objectContaining({ kind }));
  });
});

describe('rows', () => {
  test('what is empty is left out, so that an import clears nothing', () => {
    expect(readTable('title,authors,isbn\n T ," ; ", ').rows[0]?.book).toEqual({ title: 'T' });
  });

  test('a row without a title goes to the server, which says what is wrong', () => {
    expect(readTable('title,isbn\n,1').rows[0]).toEqual({ line: 2, title: '', book: { title: '', isbn: '1' } });
  });

  test('a row with too few or too many fields is not sent', () => {
    const { rows } = readTable('title,isbn\nT\nU,1,2');
    expect(rows.map((r) => r.fault)).toEqual([
      { kind: 'fields', has: 1, wants: 2 },
      { kind: 'fields', has: 3, wants: 2 },
    ]);
    expect(batches(rows)).toEqual([]);
  });

  test('a row that is larger than a request may be is not sent', () => {
    expect(readTable(`title\n${'x'.repeat(1_100_000)}`).rows[0]?.fault).toEqual({ kind: 'long' });
  });
});

describe('what other programs have for an ISBN', () => {
  const isbn = (cell: string): string | undefined => readTable(`title;isbn\nT;${cell}`).rows[0]?.book?.isbn;

  test.each(['n/a', 'N.A.', '-', '–', 'None', 'NULL', '#N/A', '0', '0000000000', '?', 'unknown', 'keine', 'NaN', '=""', '"="""""', '="n/a"'])(
    '%s is none',
    (cell) => expect(isbn(cell)).toBeUndefined(),
  );

  test.each([
    ['="0132350882"', '0132350882'],
    ['"=""0132350882"""', '0132350882'],
    ['978-0-13-235088-4', '978-0-13-235088-4'],
    ['A7', 'A7'],
    ['12E4', '12E4'],
  ])('%s is %s', (cell, want) => expect(isbn(cell)).toBe(want));

  test.each(['9.78013E+12', '9,78013e+12', '9E+12'])('%s has lost its digits', (value) => {
    expect(readTable(`title;isbn\nT;${value}`).rows).toEqual([{ line: 2, title: 'T', fault: { kind: 'cut', value } }]);
  });
});

describe('portions', () => {
  const rows = (n: number, size = 1) => Array.from({ length: n }, (_, i) => ({ line: i, title: '', book: { title: 'x'.repeat(size) } }));

  test('have at most 200 rows', () => expect(batches(rows(450)).map((b) => b.length)).toEqual([200, 200, 50]));
  test('stay below what a request may have', () => {
    for (const batch of batches(rows(40, 90_000))) {
      expect(JSON.stringify(batch.map((r) => r.book)).length).toBeLessThan(1 << 20);
    }
  });
  test('lose no row and keep the order', () => expect(batches(rows(401, 9000)).flat()).toEqual(rows(401, 9000)));
  test('count bytes, not characters', () => {
    const umlauts = [1, 2].map((line) => ({ line, title: '', book: { title: 'ä'.repeat(300_000) } }));
    expect(batches(umlauts)).toHaveLength(2);
  });
});

test('names of columns vary in case, accents and separators', () => {
  expect(plainName(' ISBN-13 ')).toBe('isbn13');
  expect(plainName('Verfässer_in')).toBe('verfasserin');
});
