import { longestCode } from './codes';

/** How long fields of a user may be, in characters, and how many copies a book may have. A test compares them with the contract file. */
export const limits = {
  book: { copies: 999 },
  user: { firstName: 100, lastName: 100, email: 254, card: longestCode, group: 60, category: 40, block: 200, note: 1000 },
} as const;
