/** Which people a list shows, as it is in the address. */
export interface PeopleFilter {
  q: string;
  group: string;
  category: string;
  /** Only those who are switched off. */
  off: boolean;
}

export function parsePeople(search: string): PeopleFilter {
  const given = new URLSearchParams(search);
  const text = (name: string): string => (given.get(name) ?? '').slice(0, 1000);
  return { q: text('q'), group: text('group'), category: text('category'), off: given.get('show') === 'off' };
}

/** The query string of a filter, "" for none. */
export function peopleQuery({ q, group, category, off }: PeopleFilter): string {
  const out = new URLSearchParams();
  if (q.trim() !== '') out.set('q', q.trim());
  if (group !== '') out.set('group', group);
  if (category !== '') out.set('category', category);
  if (off) out.set('show', 'off');
  return out.size > 0 ? `?${out}` : '';
}
