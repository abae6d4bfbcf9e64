/** The time zones to choose from. Browsers leave out UTC. */
export function zones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

/** Whether the browser can count days there. Offsets such as +01:00 are no names. */
export function isZone(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** “New York” */
export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

/** The zone that somebody means by a name, a city or a part of one; what was typed if that is not clear. */
export function findZone(typed: string, all: readonly string[]): string {
  const plain = (text: string): string => text.trim().toLowerCase().replace(/[\s_]+/g, ' ');
  const wanted = plain(typed);
  if (wanted === '') return '';
  const same = all.find((zone) => plain(zone) === wanted);
  if (same) return same;
  for (const matches of [
    (zone: string) => plain(cityOf(zone)) === wanted,
    (zone: string) => plain(zone).includes(wanted),
  ]) {
    const found = all.filter(matches);
    if (found.length === 1) return found[0] ?? '';
  }
  return typed.trim();
}
