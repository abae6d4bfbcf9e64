/** A person who may have a group: a class, a department. */
export interface Grouped {
  group?: string;
}

/** The form in which groups are compared: without regard to case, as the library does. */
export const groupKey = (group = ''): string => group.toLowerCase();

/** Class 9 comes before class 10, and no group at the end. */
export function groupOrder(language: string): (a?: string, b?: string) => number {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return (a = '', b = '') => (a === '' || b === '' ? Number(a === '') - Number(b === '') : byKey(groupKey(a), groupKey(b), compare));
}

/** Groups that are written alike, such as 07a and 7a, are still two. */
function byKey(a: string, b: string, compare: (a: string, b: string) => number): number {
  return compare(a, b) || Number(a > b) - Number(a < b);
}

/** The groups of people, each once. */
export function groupsOf(people: readonly Grouped[], language: string): string[] {
  const all = new Map<string, string>();
  for (const { group } of people) if (group && !all.has(groupKey(group))) all.set(groupKey(group), group);
  return [...all.values()].sort(groupOrder(language));
}

/** Records that are in the order of their groups, a part for each group. */
export function inGroups<T>(records: readonly T[], groupOf: (record: T) => string | undefined): { group: string; records: T[] }[] {
  const parts: { group: string; records: T[] }[] = [];
  for (const record of records) {
    const group = groupOf(record) ?? '';
    const last = parts.at(-1);
    if (last && groupKey(last.group) === groupKey(group)) last.records.push(record);
    else parts.push({ group, records: [record] });
  }
  return parts;
}
