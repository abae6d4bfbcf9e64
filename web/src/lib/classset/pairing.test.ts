import { expect, test } from 'vitest';
import { absent, begin, bring, give, good, pairs, refuse, skip, takeOut, undo, waiting, without, type Pair, type Pairing } from './pairing';

const people = ['anna', 'ben', 'cem', 'dora'].map((identifier) => ({ identifier, firstName: identifier, lastName: 'X' }));

const copy = (name: string, person: string): Pair => ({ copy: name, barcode: name.toUpperCase(), title: 'Emma', person });
const next = (pairing: Pairing): string | undefined => waiting(pairing)[0]?.identifier;
const shown = (pairing: Pairing): string[] => pairs(pairing).map(({ copy, person, refused }) => [person, copy, refused].filter(Boolean).join(' '));

/** Scans copies, each for the next. */
const scan = (pairing: Pairing, ...copies: string[]): Pairing => copies.reduce((now, name) => give(now, copy(name, next(now) ?? '')), pairing);

test('copies go round in the order of the class', () => {
  const now = scan(begin(people), 'c1', 'c2');
  expect(shown(now)).toEqual(['anna c1', 'ben c2']);
  expect(waiting(now).map(({ identifier }) => identifier)).toEqual(['cem', 'dora']);
  expect(next(scan(now, 'c3', 'c4'))).toBeUndefined();
});

test('who is absent is left out, and nobody else is after the last', () => {
  const now = absent(scan(begin(people), 'c1'));
  expect(next(now)).toBe('cem');
  expect(without(now)).toEqual([{ person: 'ben', why: 'absent' }]);
  const all = absent(absent(now));
  expect(absent(all)).toBe(all);
});

test('the last step is taken back, a copy or an absence, and then the one before', () => {
  let now = scan(absent(scan(begin(people), 'c1')), 'c2');
  expect(shown(now)).toEqual(['anna c1', 'cem c2']);
  now = undo(now);
  expect(next(now)).toBe('cem');
  now = undo(now);
  expect(next(now)).toBe('ben');
  now = undo(now);
  expect(next(now)).toBe('anna');
  expect(undo(now).steps).toEqual([]);
});

test('whom the library skips gets no copy, and stays skipped when the scan is taken back', () => {
  const now = give(begin(people), copy('c1', 'ben'), [{ person: 'anna', why: 'blocked' }]);
  expect(shown(now)).toEqual(['ben c1']);
  expect(next(now)).toBe('cem');
  expect(next(undo(now))).toBe('ben');
  expect(without(undo(now))).toEqual([{ person: 'anna', why: 'blocked' }]);
});

test('who comes late is the next, and the others keep their copies', () => {
  const now = scan(bring(scan(absent(begin(people)), 'c1'), 'anna'), 'c2');
  expect(shown(now)).toEqual(['ben c1', 'anna c2']);
  expect(next(now)).toBe('cem');
  const last = bring(scan(skip(begin(people), [{ person: 'ben', why: 'has_it' }]), 'c1', 'c2', 'c3'), 'ben');
  expect(next(last)).toBe('ben');
  expect(bring(last, 'anna'), 'who has a copy stays').toBe(last);
});

test('a copy that the library refuses leaves its person waiting, and nobody else changes', () => {
  const now = refuse(scan(begin(people), 'c1', 'c2', 'c3'), [{ field: 'copies[1]', code: 'copy_on_loan' }]);
  expect(shown(now)).toEqual(['anna c1', 'ben c2 copy_on_loan', 'cem c3']);
  expect(good(now).map((pair) => pair.copy)).toEqual(['c1', 'c3']);
  expect(next(now)).toBe('ben');
  const again = scan(now, 'c4');
  expect(shown(again), 'in its place').toEqual(['anna c1', 'cem c3', 'ben c4']);
  expect(next(again)).toBe('dora');
  // The places in a refusal are those of the good ones.
  expect(shown(refuse(now, [{ field: 'copies[1]', code: 'reserved' }]))).toEqual(['anna c1', 'ben c2 copy_on_loan', 'cem c3 reserved']);
  expect(shown(takeOut(now, 'c2'))).toEqual(['anna c1', 'cem c3']);
});
