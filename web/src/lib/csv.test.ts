import { describe, expect, test } from 'vitest';
import { CsvError, decodeText, delimiterOf, parseCsv } from './csv';

const fields = (text: string, delimiter?: string): string[][] => parseCsv(text, delimiter).map((r) => r.fields);

describe('a file is read as RFC 4180 has it', () => {
  test.each<[string, string, string[][]]>([
    ['nothing is nothing', '', []],
    ['lines end in CR LF', 'a,b\r\nc,d\r\n', [['a', 'b'], ['c', 'd']]],
    ['lines may end in LF', 'a,b\nc,d', [['a', 'b'], ['c', 'd']]],
    ['lines may end in CR', 'a,b\rc,d', [['a', 'b'], ['c', 'd']]],
    ['the last line needs no end', 'a', [['a']]],
    ['fields may be empty', ',\n,a,', [['', ''], ['', 'a', '']]],
    ['spaces belong to the field', ' a , b ', [[' a ', ' b ']]],
    ['marks enclose a delimiter', '"a,b",c', [['a,b', 'c']]],
    ['marks enclose a line break', '"a\r\nb",c', [['a\r\nb', 'c']]],
    ['doubled marks are one', '"a ""b"" c"', [['a "b" c']]],
    ['nothing but doubled marks', '""""', [['"']]],
    ['an empty field in marks', '"",a', [['', 'a']]],
    ['empty lines are left out', 'a\n\n\r\nb\n', [['a'], ['b']]],
    ['a text in a formula needs no marks around it', '="a,""b""",=""\n=,==', [['="a,"b""', '=""'], ['=', '==']]],
    ['a byte order mark is no text', '\uFEFFa,b', [['a', 'b']]],
    ['a byte order mark before a mark', '\uFEFF"a",b', [['a', 'b']]],
  ])('%s', (_, text, want) => expect(fields(text)).toEqual(want));

  test('other delimiters', () => expect(fields('a;"b;c"\nd,e;f', ';')).toEqual([['a', 'b;c'], ['d,e', 'f']]));

  test('each record knows the line on which it begins', () => {
    const lines = parseCsv('a\n"b\nb\r\nb"\n\nc\n').map((r) => r.line);
    expect(lines).toEqual([1, 2, 6]);
  });

  test('a large file is read in one go', () => {
    const text = '"a, b",c,d\r\n'.repeat(100_000);
    expect(parseCsv(text)).toHaveLength(100_000);
  });
});

describe('what breaks the rules is told with its line', () => {
  test.each<[string, string, CsvError['kind'], number]>([
    ['a mark within a field', 'a\nb"c', 'quote', 2],
    ['text behind a closing mark', 'a\n\n"b"c', 'quote', 3],
    ['text behind a closing mark, lines later', '"a\nb"c', 'quote', 2],
    ['a space behind a closing mark', '"a" ,b', 'quote', 1],
    ['a mark that is never closed', 'a\n"b\nc\n', 'open', 2],
    ['a lone mark', '"', 'open', 1],
    ['a formula of more than a text', 'a\n="b"&"c"', 'quote', 2],
    ['a formula that is never closed', '="b', 'open', 1],
  ])('%s', (_, text, kind, line) => {
    expect(() => parseCsv(text)).toThrow(expect.objectContaining({ name: 'CsvError', kind, line }));
  });
});

test.each([
  ['a,b;c,d', ','],
  ['a;b;c\nd,e,f,g,h', ';'],
  ['a\tb', '\t'],
  ['"a;b;c",d', ','],
  ['title', ','],
])('the first line of %j is separated by %j', (text, want) => expect(delimiterOf(text)).toBe(want));

test('text is UTF-8, or else what older spreadsheets write', () => {
  expect(decodeText(new TextEncoder().encode('Märchen'))).toBe('Märchen');
  expect(decodeText(new Uint8Array([0x4d, 0xe4, 0x72]))).toBe('Mär');
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x4d, 0, 0xe4, 0]))).toBe('Mä');
  expect(decodeText(new Uint8Array([0xfe, 0xff, 0, 0x4d, 0, 0xe4]))).toBe('Mä');
  expect(decodeText(new Uint8Array([]))).toBe('');
});

test('a first line for Excel names the delimiter and is no row', () => {
  for (const text of ['sep=;\r\na;b,c\r\n', '\uFEFFSEP=;\na;b,c']) {
    expect(delimiterOf(text)).toBe(';');
    expect(parseCsv(text, ';')).toEqual([{ line: 2, fields: ['a', 'b,c'] }]);
  }
});
