import type { User } from '../api/api';

/** What somebody is called; '' for nobody. */
export const nameOf = (person: Pick<User, 'firstName' | 'lastName'> | undefined): string => (person ? `${person.firstName} ${person.lastName}` : '');

/** Programs have addresses that begin so. They and stations are no people: they need no card and are on no list. */
export const isProgram = ({ email, station }: Pick<User, 'email' | 'station'>): boolean => station || email.startsWith('service-account-');
