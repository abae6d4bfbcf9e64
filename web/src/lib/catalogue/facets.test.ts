import { describe, expect, test } from 'vitest';
import { filterQuery, noFilter, parseFilter } from '../shell/router';
import { choose, facetGroups, isChosen, yearsOf, type Facet } from './facets';

const subject = (value: string): Facet => ({ kind: 'subject', value, count: 1 });
const decade = (value: string): Facet => ({ kind: 'decade', value, count: 1 });
const language = (value: string): Facet => ({ kind: 'language', value, count: 1 });
const available: Facet = { kind: 'available', value: '', count: 1 };

/** The address after a facet was pressed. */
const pressed = (search: string, facet: Facet): string => filterQuery({ ...parseFilter(search), ...choose(parseFilter(search), facet) });

describe('a facet that is pressed', () => {
  test.each([
    ['', subject('Engines'), '?subject=Engines'],
    ['?subject=Numbers', subject('Engines'), '?subject=Numbers&subject=Engines'],
    ['?language=de', language('en'), '?language=en'],
    ['?from=1843', decade('1990'), '?from=1990&to=1999'],
    ['?q=go', available, '?q=go&show=available'],
    ['?show=lent', available, '?show=available'],
  ])('in %j narrows the list', (search, facet, want) => {
    expect(isChosen(parseFilter(search), facet)).toBe(false);
    expect(pressed(search, facet)).toBe(want);
  });

  test.each([
    ['?subject=engines&subject=Numbers', subject('Engines'), '?subject=Numbers'],
    ['?language=de&author=Eve', language('de'), '?author=Eve'],
    ['?from=1990&to=1999&q=go', decade('1990'), '?q=go'],
    ['?show=available', available, ''],
  ])('and is in %j already is taken away, however it is spelt', (search, facet, want) => {
    expect(isChosen(parseFilter(search), facet)).toBe(true);
    expect(pressed(search, facet)).toBe(want);
  });
});

test('the first decade begins with the year 1', () => expect([yearsOf('0'), yearsOf('1990')]).toEqual([['1', '9'], ['1990', '1999']]));

test('kinds that no book has are left out', () => {
  const counts = { total: 2, exact: true, subjects: [{ value: 'Engines', count: 2 }], languages: [], kinds: [], decades: [], availability: { available: 0, unavailable: 2 } };
  expect(facetGroups(counts)).toEqual([['subject', [{ kind: 'subject', value: 'Engines', count: 2 }]]]);
  expect(isChosen(noFilter, subject('Engines'))).toBe(false);
});
