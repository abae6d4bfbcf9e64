import { expect, test } from 'vitest';
import { breadth, coverOf, hash, motifs, shorten, wrap } from './cover';

test('a book always has the same cover', () => {
  expect(coverOf('Momo', 'Michael Ende')).toEqual(coverOf('Momo', 'Michael Ende'));
  expect(hash('Momo')).toBe(hash('Momo'));
});

test('books have different covers', () => {
  const looks = Array.from({ length: 500 }, (_, i) => coverOf(`Book ${i}`, ''));
  expect(new Set(looks.map((c) => c.paper)).size).toBe(12);
  expect(new Set(looks.map((c) => c.motif)).size).toBe(motifs);
});

test.each(['', 'Momo', 'OAuth 2 in Action', 'The Hitchhiker’s Guide to the Galaxy', 'Donaudampfschifffahrtsgesellschaftskapitän', 'x'.repeat(255), 'a '.repeat(127), '📚'.repeat(60), 'W'.repeat(255), 'Ad The Hitchhiker’s Guide to the Whole of the Galaxy', '戦争と平和'.repeat(5)])(
  'the title %j has room on its cover',
  (title) => {
    const { lines, size } = coverOf(title, '');
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(size * (0.8 + 1.12 * lines.length), 'above the drawing').toBeLessThanOrEqual(118);
    for (const line of lines) expect(breadth(line) * size * 0.6).toBeLessThanOrEqual(156);
  },
);

test('what is too broad is cut', () => {
  expect(shorten('Michael Ende', 24)).toBe('Michael Ende');
  expect(shorten('A'.repeat(40), 10)).toBe('AAAAAAA…');
  expect(breadth('戦争')).toBeGreaterThan(breadth('ab'));
});

test('words without spaces are broken when nothing else helps', () => {
  expect(wrap('abcdefghij', 4)).toEqual(['abcdefghij']);
  expect(wrap('x abcdefgh', 4, true)).toEqual(['x ab', 'cdef', 'gh']);
  expect(wrap('戦争と平和', 5)).toEqual(['戦争', 'と平', '和']);
});

test('words stay whole', () => expect(wrap('The Left Hand of Darkness', 9)).toEqual(['The Left', 'Hand of', 'Darkness']));
