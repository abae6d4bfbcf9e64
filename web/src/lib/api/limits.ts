import { longestCode } from './codes';

/** How long fields may be, in characters, and how many authors a book may have. A test compares them with the contract file. */
export const limits = {
  book: { title: 255, author: 255, authors: 50, isbn: 20, description: 10_000, copies: 999 },
  user: { firstName: 100, lastName: 100, email: 254, card: longestCode },
} as const;
