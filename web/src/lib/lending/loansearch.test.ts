import { expect, test } from 'vitest';
import type { Loan } from '../api/api';
import { matching } from './loansearch';

const loan = (identifier: string, firstName: string, lastName: string, title: string, author: string, barcode?: string): Loan =>
  ({ identifier, user: { identifier: 'u', firstName, lastName }, book: { title, authors: [author] }, copy: { identifier: 'c', barcode } }) as Loan;
const all = [
  loan('a', 'Selina', 'Kyle', 'Der Prozeß', 'Franz Kafka', 'LIB-0001'),
  loan('b', 'Bruce', 'Wayne', 'Frankenstein', 'Mary Shelley', 'LIB-0012'),
  { ...loan('c', '', '', 'Émile', 'Jean-Jacques Rousseau'), user: undefined, copy: undefined } as Loan,
];

test.each([
  ['', ['a', 'b', 'c']],
  ['  ', ['a', 'b', 'c']],
  ['kyle', ['a']],
  ['WAY br', ['b']],
  ['frank', ['b']],
  ['fran', ['a', 'b']],
  ['prozess', ['a']],
  ['emile', ['c']],
  ['jacques', ['c']],
  ['kyle frankenstein', []],
  ['LIB-0012', ['b']],
  ['lib-00', ['a', 'b']],
  ['0012', []],
  ['yle', []],
  ['-', []],
])('a search for %j finds %j', (question, want) => expect(matching(all, question).map((l) => l.identifier)).toEqual(want));
