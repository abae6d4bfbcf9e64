import type { User } from '../api/api';

/** What somebody is called; '' for nobody. */
export const nameOf = (person: Pick<User, 'firstName' | 'lastName'> | undefined): string => (person ? `${person.firstName} ${person.lastName}` : '');
