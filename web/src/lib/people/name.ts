import type { User } from '../api/api';

/** What somebody is called. */
export const nameOf = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string => `${firstName} ${lastName}`;
