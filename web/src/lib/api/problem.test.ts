import { describe, expect, test } from 'vitest';
import { fieldErrors, isLost, Problem, problemFrom, problemOf, wasAborted, type Detail } from './problem';

const body = (code: string, more = {}) => ({ code, message: 'words', requestId: 'r1', ...more });

describe('an answer says what kind of problem it is', () => {
  test.each<[number, unknown, string]>([
    [400, body('invalid'), 'invalid'],
    [401, body('expired'), 'ended'],
    [401, body('unknown_user'), 'unregistered'],
    [401, body('email_not_verified'), 'unregistered'],
    [403, body('role_missing'), 'forbidden'],
    [404, body('book_not_found'), 'missing'],
    [409, body('already_borrowed'), 'conflict'],
    [412, body('outdated'), 'outdated'],
    [413, body('body_too_large'), 'invalid'],
    [418, body('some_day'), 'invalid'],
    [429, body('too_many_streams'), 'busy'],
    [500, body('internal'), 'unexpected'],
    [503, body('keys_unavailable'), 'busy'],
    [502, undefined, 'unreachable'],
    [504, '<html>', 'unreachable'],
    [500, null, 'unexpected'],
    [404, { code: 7, details: 'x' }, 'missing'],
  ])('%i %j is %s', (status, answer, want) => expect(problemOf(status, answer).kind).toBe(want));

  test('and keeps what helps', () => {
    const problem = problemOf(400, body('invalid', { details: [{ field: 'title', code: 'required', message: 'is required' }] }));
    expect(problem).toMatchObject({ code: 'invalid', message: 'words', requestId: 'r1', details: [{ field: 'title', code: 'required' }] });
  });
});

test('what is thrown on the way is sorted out', () => {
  const known = new Problem('ended');
  expect(problemFrom(known, false)).toBe(known);
  expect(problemFrom(new TypeError('Failed to fetch'), true).kind).toBe('unreachable');
  expect(problemFrom(new TypeError('Failed to fetch'), false).kind).toBe('offline');
  expect(problemFrom('what?', true).kind).toBe('unexpected');
  expect(wasAborted(new DOMException('', 'AbortError'))).toBe(true);
  expect(wasAborted(new Error('AbortError'))).toBe(false);
});

test('errors belong to fields, entries of a list to the list, and the first one counts', () => {
  const details: Detail[] = [
    { field: 'authors[2]', code: 'too_long', message: '' },
    { field: 'authors[3]', code: 'required', message: '' },
    { field: 'title', code: 'required', message: '' },
  ];
  expect(fieldErrors(details, (d) => d.code)).toEqual({ authors: 'too_long', title: 'required' });
});

test('a mail server that fails is not a library that does not answer: nothing is sent again', () => {
  const problem = problemOf(502, { code: 'mail_failed', details: [{ field: 'smtp', code: 'auth', message: '535' }] });
  expect([problem.kind, isLost(problem)]).toEqual(['unexpected', false]);
});
