import type { Role, User } from '../api/api';
import { isProgram } from './name';

/** From the lowest to the highest. */
const roles: Role[] = ['LIBRARY_USER', 'LIBRARY_CURATOR', 'LIBRARY_ADMIN'];

const highest = (user: User): number => Math.max(-1, ...(user.roles ?? []).map((role) => roles.indexOf(role)));

export interface Missing {
  people: User[];
  /** They are more than half of all active people: the file is likely to be a wrong one. */
  most: boolean;
}

/**
 * The active people who are not in a file, and whose highest role somebody of the file has, as
 * in the terminal. Who asks, and programs, are never missing; nobody is if the file has nobody.
 */
export function missing(everybody: readonly User[], listed: ReadonlySet<string>, me: string): Missing {
  const ranks = new Set(everybody.filter((user) => listed.has(user.identifier)).map(highest));
  const active = everybody.filter((user) => user.active);
  const people = active.filter((user) => !listed.has(user.identifier) && ranks.has(highest(user)) && user.identifier !== me && !isProgram(user));
  return { people, most: 2 * people.length > active.length };
}
