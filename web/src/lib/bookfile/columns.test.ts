import { expect, test } from 'vitest';
import { asciiBytes, columnsOf, withHeadings } from './columns';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const text = (file: Uint8Array): string => new TextDecoder().decode(file);

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
  const sent = columns && withHeadings(latin, columns, ['title', 'author1', 'unused 3']);
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
  expect(columns && new TextDecoder('utf-8', { ignoreBOM: true }).decode(withHeadings(bytes(file), columns, ['title', 'author1'], true))).toBe(sent);
});

test('an empty file has no columns', () => {
  expect(columnsOf(bytes(''))).toBeUndefined();
});
