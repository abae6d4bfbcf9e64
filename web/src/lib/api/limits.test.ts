import { expect, test } from 'vitest';
import contract from '../../../../api/openapi.yaml?raw';
import { copyLimits } from '../copies/copies';
import { limits } from './limits';

/** The number that a keyword has in a property of a schema. */
function inContract(schema: string, property: string, keyword: string): number {
  const from = contract.slice(contract.indexOf(`\n    ${schema}:\n`) + 1);
  const fields = from.slice(from.indexOf(`\n        ${property}:`) + 1);
  const one = fields.slice(0, 1 + fields.slice(1).search(/\n {0,8}\w/));
  return Number(new RegExp(`\\b${keyword}: (\\d+)`).exec(one)?.[1]);
}

test('the limits of forms are those of the contract file', () => {
  const user = (property: string): number => inContract('UserInput', property, 'maxLength');
  expect(limits).toEqual({
    book: { copies: Number(/\n {4}NewBookInput:[^]*? copies:[^]*? maximum: (\d+)/.exec(contract)?.[1]) },
    user: { firstName: user('firstName'), lastName: user('lastName'), email: user('email'), card: user('card'), group: user('group'), category: user('category'), block: user('block'), note: user('note') },
  });
});

test('the limits of a copy are those of the contract file', () => {
  const copy = (property: string): number => inContract('CopyInput', property, 'maxLength');
  expect(copyLimits).toEqual({ barcode: copy('barcode'), shelf: copy('shelf'), note: copy('note') });
});
