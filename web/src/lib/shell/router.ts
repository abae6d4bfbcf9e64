/** The pages. */
export type Route =
  | { name: 'books' }
  | { name: 'book'; id: string }
  | { name: 'addBook' }
  | { name: 'scan' }
  | { name: 'editBook'; id: string }
  | { name: 'loans' }
  | { name: 'ownScan' }
  | { name: 'history' }
  | { name: 'account' }
  | { name: 'desk' }
  | { name: 'lending' }
  | { name: 'overdue' }
  | { name: 'claimed' }
  | { name: 'holds' }
  | { name: 'readers' }
  | { name: 'reader'; id: string }
  | { name: 'labels' }
  | { name: 'class' }
  | { name: 'copies' }
  | { name: 'stocktakes' }
  | { name: 'stocktake'; id: string }
  | { name: 'import' }
  | { name: 'users' }
  | { name: 'addUser' }
  | { name: 'editUser'; id: string }
  | { name: 'importUsers' }
  | { name: 'rules' }
  | { name: 'editRules' }
  | { name: 'statistics' }
  | { name: 'notices'; id: string }
  | { name: 'unknown' };

const uuid = '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})';

const table: [RegExp, (id: string) => Route][] = [
  [/^$/, () => ({ name: 'books' })],
  [/^(loans|history|account|desk|lending|readers|import|users|rules|statistics)$/, (name) => ({ name }) as Route],
  [/^books\/new$/, () => ({ name: 'addBook' })],
  [/^books\/scan$/, () => ({ name: 'scan' })],
  [new RegExp(`^books/${uuid}$`, 'i'), (id) => ({ name: 'book', id })],
  [new RegExp(`^books/${uuid}/edit$`, 'i'), (id) => ({ name: 'editBook', id })],
  [/^scan$/, () => ({ name: 'ownScan' })],
  [/^lending\/(overdue|claimed|holds|copies|stocktakes|labels|class)$/, (name) => ({ name }) as Route],
  [new RegExp(`^lending/stocktakes/${uuid}$`, 'i'), (id) => ({ name: 'stocktake', id })],
  [new RegExp(`^readers/${uuid}$`, 'i'), (id) => ({ name: 'reader', id })],
  [/^users\/new$/, () => ({ name: 'addUser' })],
  [/^users\/import$/, () => ({ name: 'importUsers' })],
  [new RegExp(`^users/${uuid}$`, 'i'), (id) => ({ name: 'editUser', id })],
  [/^rules\/edit$/, () => ({ name: 'editRules' })],
  [/^notices(?:\/(previews))?$/, (id) => ({ name: 'notices', id })],
];

/** The page at a path. */
export function routeOf(path: string, basePath: string): Route {
  if (path + '/' === basePath) return { name: 'books' };
  if (!path.startsWith(basePath)) return { name: 'unknown' };
  const rest = path.slice(basePath.length).replace(/\/$/, '');
  for (const [pattern, make] of table) {
    const found = pattern.exec(rest);
    if (found) return make((found[1] ?? '').toLowerCase());
  }
  return { name: 'unknown' };
}

export type Show = 'all' | 'available' | 'lent';
/** An order that somebody has chosen; '' is the usual one: by title, or the best first if words are searched for. */
export type Sort = '' | 'title' | '-title' | '-created' | 'created' | '-published' | 'published';

/** What the list is narrowed to, besides words: subjects can be several. */
const narrowing = ['author', 'subject', 'language', 'kind', 'series', 'from', 'to'] as const;
export type Narrow = [key: (typeof narrowing)[number], value: string];

/** What the catalogue shows, as it is in the address. */
export interface Filter {
  q: string;
  show: Show;
  sort: Sort;
  narrow: Narrow[];
  /** The words as they are, even if no book has them. */
  exact: boolean;
}

export const noFilter: Filter = { q: '', show: 'all', sort: '', narrow: [], exact: false };

export function parseFilter(search: string): Filter {
  const given = new URLSearchParams(search);
  const one = <T extends string>(key: string, allowed: readonly T[]): T =>
    allowed.find((a) => a === given.get(key)) ?? (allowed[0] as T);
  return {
    q: (given.get('q') ?? '').slice(0, 1000),
    show: one('show', ['all', 'available', 'lent'] as const),
    sort: one('sort', ['', 'title', '-title', '-created', 'created', '-published', 'published'] as const),
    narrow: ([...given] as Narrow[]).filter(([key, value]) => narrowing.includes(key) && value),
    exact: given.has('exact'),
  };
}

/** The query string of a filter, "" for none. Defaults are left out. */
export function filterQuery(filter: Filter): string {
  const out = new URLSearchParams();
  if (filter.q.trim() !== '') {
    out.set('q', filter.q.trim());
    if (filter.exact) out.set('exact', 'true');
  }
  if (filter.show !== 'all') out.set('show', filter.show);
  if (filter.sort) out.set('sort', filter.sort);
  for (const [key, value] of filter.narrow) out.append(key, value);
  const text = out.toString();
  return text === '' ? '' : '?' + text;
}
