import { expect, test } from 'vitest';
import { breadth, fit, fromRight, groundOf, hash, motifs, shorten, wrap } from './cover';

const coverOf = (title: string, author: string) => ({ ...groundOf(title, author), ...fit(title) });

test('a book always has the same cover', () => {
  expect(coverOf('Momo', 'Michael Ende')).toEqual(coverOf('Momo', 'Michael Ende'));
  expect(hash('Momo')).toBe(hash('Momo'));
});

test('two books of one title and different authors have different covers', () => {
  const looks = ['Jane Austen', 'Emma Donoghue', 'Alexander McCall Smith', ''].map((author) => coverOf('Emma', author));
  expect(new Set(looks.map((c) => `${c.paper} ${c.motif} ${c.turn}`)).size).toBe(4);
});

test('books have different covers', () => {
  const looks = Array.from({ length: 500 }, (_, i) => coverOf(`Book ${i}`, ''));
  expect(new Set(looks.map((c) => c.paper)).size).toBe(12);
  expect(new Set(looks.map((c) => c.motif)).size).toBe(motifs);
});

test.each(['', 'Momo', 'OAuth 2 in Action', 'The Hitchhiker’s Guide to the Galaxy', 'Donaudampfschifffahrtsgesellschaftskapitän', 'x'.repeat(255), 'a '.repeat(127), '📚'.repeat(60), 'W'.repeat(255), 'Ad The Hitchhiker’s Guide to the Whole of the Galaxy', '戦争と平和'.repeat(5), '👩‍👩‍👧‍👦'.repeat(30), 'สงครามและสันติภาพ'.repeat(4), 'שִׁיר הַשִּׁירִים', 'ﷺ الف ليلة وليلة'])(
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
  expect(wrap('戦争と平和', 4)).toEqual(['戦争', 'と', '平和']);
});

test('words stay whole', () => expect(wrap('The Left Hand of Darkness', 9)).toEqual(['The Left', 'Hand of', 'Darkness']));

/** What people see as one character. */
const seen = (text: string): string[] => [...new Intl.Segmenter().segment(text)].map((s) => s.segment);

test.each(['👩‍👩‍👧‍👦', '🇦🇹', 'é'.normalize('NFD'), 'क्षि', 'שִׁ', '👍🏽', 'ที่'])('%j is never cut in two', (character) => {
  const long = character.repeat(40);
  for (let chars = 3; chars < 20; chars++) {
    for (const c of seen(shorten(long, chars).slice(0, -1))) expect(c, `cut after ${chars}`).toBe(character);
    const lines = wrap(long, chars, true);
    expect(lines.join('')).toBe(long);
    for (const line of lines) for (const c of seen(line)) expect(c, `wrapped after ${chars}`).toBe(character);
  }
});

test('Thai, which has no spaces, is broken between its words', () => {
  expect(wrap('สงครามและสันติภาพ', 7)).toEqual(['สงคราม', 'และ', 'สันติภาพ']);
});

test.each([['שיר השירים', true], ['„الف ليلة“', true], ['123 – שיר', true], ['Momo', false], ['1984', false], ['戦争', false], ['The שיר', false]])('%j from right to left: %s', (title, want) => {
  expect(fromRight(title)).toBe(want);
  expect(coverOf(title, '').rtl).toBe(want);
});
