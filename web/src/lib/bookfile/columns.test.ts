import { expect, test } from 'vitest';
import formats from '../../../../docs/formats.md?raw';
import { asciiBytes, choose, columnsOf, guess, meanings, withHeadings } from './columns';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const text = (file: Uint8Array): string => new TextDecoder().decode(file);

test('the headings are those of the formats that the library reads', () => {
  const rows = [...formats.matchAll(/^\| (\w+) \| (`.*`)/gm)].filter(([, field]) => meanings.includes(field as (typeof meanings)[number]));
  expect(new Set(rows.map(([, field]) => field))).toEqual(new Set(meanings));
  for (const [, field, headings = ''] of rows) {
    for (const [, heading = ''] of headings.matchAll(/`([^`]+)`/g)) expect(guess([heading]), heading).toEqual([field]);
  }
});

test.each([
  ['a;b\n1;2\n', ';', ['a', 'b'], [['1'], ['2']]],
  ['"a, b",c\r\n"1\n2",\r\n3,4\r\n', ',', ['a, b', 'c'], [['1\n2', '3'], ['4']]],
  ['sep=|\na|b\n', '|', ['a', 'b'], [[], []]],
  ['\ufeffTitel\t"Wo ""es"" steht"\nX\tY', '\t', ['Titel', 'Wo "es" steht'], [['X'], ['Y']]],
] as const)('the columns of %j', (file, separator, headings, examples) => {
  expect(columnsOf(bytes(file))).toMatchObject({ separator, headings, examples });
});

test('only the heading is another one, whatever the file is written in', () => {
  const latin = Uint8Array.from('W\xf6rter;Wer;x\r\nM\xfcll;A;B\r\n', (c) => c.charCodeAt(0));
  const columns = columnsOf(latin);
  expect(columns?.headings).toEqual(['Wörter', 'Wer', 'x']);
  const sent = columns && withHeadings(latin, columns, ['title', 'authors', undefined]);
  expect(new TextDecoder('windows-1252').decode(sent)).toBe('title;author1;unused 3\r\nMüll;A;B\r\n');
  const wide = asciiBytes(Uint8Array.from([0xff, 0xfe, ...[...'ä,b\n1,2'].flatMap((c) => [c.charCodeAt(0), 0])]));
  expect(text(wide)).toBe('ä,b\n1,2');
});

test.each([
  ['Momo;Ende\r\nEmma;Austen\r\n', 'title;author1\r\nMomo;Ende\r\nEmma;Austen\r\n'],
  ['\ufeffsep=;\nMomo;Ende', '\ufeffsep=;\ntitle;author1\nMomo;Ende'],
  ['"Mo\nmo",Ende\rEmma,Austen', 'title,author1\r"Mo\nmo",Ende\rEmma,Austen'],
])('a file without headings, %j, gets some before its first line', (file, sent) => {
  const columns = columnsOf(bytes(file));
  expect(columns && new TextDecoder('utf-8', { ignoreBOM: true }).decode(withHeadings(bytes(file), columns, ['title', 'authors'], true))).toBe(sent);
});

test('a meaning is given to one column, authors to several', () => {
  expect(choose(['title', undefined], 1, 'title')).toEqual([undefined, 'title']);
  expect(choose(['authors', undefined], 1, 'authors')).toEqual(['authors', 'authors']);
  expect(columnsOf(bytes(''))).toBeUndefined();
});
