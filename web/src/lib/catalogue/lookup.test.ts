import { expect, test, vi } from 'vitest';
import { typedFields } from '../api/bookfields';

vi.mock('../session/session.svelte', () => ({ session: {} }));

const { filled, offers, sourceOf, sourcesOf, without } = await import('./lookup');

const found = [
  { source: 'dnb', fields: typedFields({ title: 'Momo', series: 'dtv', language: 'de' }) },
  { source: 'loc', fields: typedFields({ title: 'Momo', authors: ['Michael Ende'], volume: '7', language: 'de', published: 1973 }) },
  { source: 'openlibrary', fields: typedFields({ title: 'MOMO', authors: ['Ende, Michael'] }) },
];

test('a field is filled by the first source that knows it, and what was typed stays', () => {
  const now = filled(typedFields({ title: 'Momo!', isbn: '1' }), found);
  expect(now).toMatchObject({ title: 'Momo!', isbn: '1', authors: 'Michael Ende', series: 'dtv', language: 'de', published: '1973' });
  expect(now.volume, 'of another series').toBe('');
});

test('it is known where a value comes from, and what others say is offered once', () => {
  expect(sourceOf('title', 'Momo ', found)).toBe('dnb');
  expect(sourceOf('title', 'Mono', found)).toBeUndefined();
  expect(sourceOf('subtitle', '', found)).toBeUndefined();
  expect(offers('title', 'Momo', found)).toEqual([{ source: 'openlibrary', value: 'MOMO' }]);
  expect(offers('title', '', found).map((o) => o.source)).toEqual(['dnb', 'openlibrary']);
  expect(offers('isbn', '', found)).toEqual([]);
});

test('the next look-up begins without the values of the last one, and with what was typed', () => {
  const first = filled(typedFields({ isbn: '1', subtitle: 'Typed' }), found);
  expect(without({ ...first, isbn: '2' }, found)).toEqual(typedFields({ isbn: '2', subtitle: 'Typed' }));
});

test('every source of a value is named once', () => {
  expect(sourcesOf(filled(typedFields({ isbn: '1' }), found), found)).toEqual(['dnb', 'loc']);
  expect(sourcesOf(typedFields({ title: 'Typed' }), found)).toEqual([]);
});
