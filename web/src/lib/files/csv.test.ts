import { expect, test } from 'vitest';
import { spreadsheet } from './csv';

test('a table for a spreadsheet', () => {
  expect(spreadsheet([['Title', 'Days'], ['Say "no", twice', 12], ['two\nlines', -3]], ',')).toBe('\ufeffTitle,Days\r\n"Say ""no"", twice",12\r\n"two\nlines",-3\r\n');
  expect(spreadsheet([['a;b', 'c']], ';')).toBe('\ufeff"a;b";c\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =cmd|x', '＝1', '\n+1'])('%j is not run as a formula', (cell) => {
  const written = spreadsheet([[cell]], ',').slice(1, -2);
  expect(written.replace(/^"/, '')).toMatch(/^'/);
});

test('a number on a label keeps its zeros', () => {
  expect(spreadsheet([['00042'], ['12345678901234567'], ['1234'], ['B0042']], ',')).toBe('\ufeff"=""00042"""\r\n"=""12345678901234567"""\r\n1234\r\nB0042\r\n');
});
