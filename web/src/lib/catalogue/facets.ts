import type { components } from '../api/schema';
import type { Filter, Narrow } from '../shell/router';
import { isSame } from './related';

export type Facets = components['schemas']['Facets'];
export type FacetKind = 'available' | 'subject' | 'language' | 'kind' | 'decade';

/** What the books of a list are counted by: one value. */
export interface Facet {
  kind: FacetKind;
  /** A subject, the code of a language, or the first year of a decade. */
  value: string;
  count: number;
}

/** The years of a decade, the first and the last. There is no year 0. */
export const yearsOf = (decade: string): [string, string] => [String(Math.max(1, Number(decade))), String(Number(decade) + 9)];

/** What a facet narrows a list to. */
function narrowsTo({ kind, value }: Facet): Narrow[] {
  if (kind === 'available') return [];
  if (kind !== 'decade') return [[kind, value]];
  const [from, to] = yearsOf(value);
  return [['from', from], ['to', to]];
}

const has = (filter: Filter, [key, value]: Narrow): boolean => filter.narrow.some(([k, v]) => k === key && isSame(v, value));

/** Whether the list is narrowed to that already. */
export function isChosen(filter: Filter, facet: Facet): boolean {
  return facet.kind === 'available' ? filter.show === 'available' : narrowsTo(facet).every((one) => has(filter, one));
}

/** Chooses a facet, or takes it away if it was chosen. Subjects can be several; of everything else there is one. */
export function choose(filter: Filter, facet: Facet): Partial<Filter> {
  const chosen = isChosen(filter, facet);
  if (facet.kind === 'available') return { show: chosen ? 'all' : 'available' };
  const wanted = narrowsTo(facet);
  const keys = wanted.map(([key]) => key);
  const others = filter.narrow.filter(([key, value]) => !keys.includes(key) || (key === 'subject' && !isSame(value, facet.value)));
  return { narrow: chosen ? others : [...others, ...wanted] };
}

/** What there is to choose from, in the order in which it is shown. */
export function facetGroups({ availability, subjects, languages, kinds, decades }: Facets): [FacetKind, Facet[]][] {
  const of = (kind: FacetKind, counts: { value: string | number; count: number }[]): [FacetKind, Facet[]] => [kind, counts.map(({ value, count }) => ({ kind, value: String(value), count }))];
  return [
    of('available', [{ value: '', count: availability.available }]),
    of('subject', subjects),
    of('language', languages),
    of('kind', kinds.length > 1 ? kinds : kinds.filter(({ value }) => value !== 'book')),
    of('decade', decades),
  ].map(([kind, all]): [FacetKind, Facet[]] => [kind, all.filter(({ count }) => count > 0)]).filter(([, all]) => all.length > 0);
}
