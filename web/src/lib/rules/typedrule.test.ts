import { describe, expect, test } from 'vitest';
import contract from '../../../../api/openapi.yaml?raw';
import type { Detail } from '../api/problem';
import { policyLimits } from './limits';
import { checkCategory, checkRule, distinctWords, moved, refusedIn, ruleLimits, ruleNumbers, ruleOf, sameWord, typedRule, withBlank, type Rule, type TypedRule } from './typedrule';

const say = {
  required: 'required', about: 'about', nothing: 'nothing', namesake: 'namesake', control: 'control', past: 'past', date: 'date',
  tooLong: (most: number) => `at most ${most}`, tooMany: (most: number) => `at most ${most} words`, range: (least: number, most: number) => `${least}–${most}`,
};
const whole: Rule = { name: 'Films', categories: ['pupil', 'Upper school'], kinds: ['game', 'film'], loanDays: 3, until: '2027-07-02', renewals: 0, maxLoans: 2, maxHolds: 0, selfBorrow: false, holds: false, lend: true };
const films: Rule = { name: 'Films', kinds: ['film'], loanDays: 3 };
const typed = (change: Partial<TypedRule>): TypedRule => ({ ...typedRule(films, 7), ...change });

test.each([whole, films, { name: 'Guests', categories: ['guest'], lend: false }])('what is read is what is sent, if nobody types', (rule) => {
  expect(JSON.parse(JSON.stringify(ruleOf(typedRule(rule, 0))))).toEqual(rule);
  expect(Object.keys(ruleOf(typedRule(rule, 0))).sort()).toEqual(Object.keys(rule).sort());
});

describe('a rule is checked as the library checks it', () => {
  const before: Rule[] = [{ name: 'films', kinds: ['film'], until: '2026-11-01' }];
  const check = (rule: TypedRule, others: TypedRule[] = []) => checkRule(rule, { rules: [...others, rule], before, today: '2026-11-14' }, say);

  test.each<[Partial<TypedRule>, object]>([
    [{}, {}],
    [{ name: ' Films ' }, {}],
    [{ name: 'é'.repeat(60) }, {}],
    [{ name: 'é'.repeat(61) }, { name: 'at most 60' }],
    [{ name: 'a\tb' }, { name: 'control' }],
    [{ loanDays: '3651' }, { loanDays: '0–3650' }],
    [{ loanDays: '2.5' }, { loanDays: '0–3650' }],
    [{ loanDays: ' 0 ', renewals: '99', maxLoans: '999', maxHolds: '0' }, {}],
    [{ renewals: '100', maxLoans: '1000', maxHolds: 'x' }, { renewals: '0–99', maxLoans: '0–999', maxHolds: '0–999' }],
    [{ until: '2026-11-14' }, {}],
    [{ until: '2026-11-13' }, { until: 'past' }],
    [{ until: '2026-11-01' }, {}],
    [{ until: '2026-11-01', name: 'FILMS' }, {}],
    [{ until: '2026-11-01', name: 'Other' }, { until: 'past' }],
    [{ until: '2026-02-30' }, { until: 'date' }],
    [{ categories: Array.from({ length: 51 }, (_, i) => `c${i}`) }, { categories: 'at most 50 words' }],
  ])('%j is wrong in %j', (change, wrong) => expect(check(typed(change))).toEqual({ wrong, missing: {} }));

  test.each<[Partial<TypedRule>, object]>([
    [{ name: ' ' }, { name: 'required' }],
    [{ kinds: [] }, { categories: 'about' }],
    [{ kinds: [], categories: ['pupil'] }, {}],
    [{ loanDays: ' ' }, { values: 'nothing' }],
    [{ loanDays: '', lend: 'no' }, {}],
    [{ loanDays: '', until: '2026-12-01' }, {}],
  ])('%j lacks %j', (change, missing) => expect(check(typed(change))).toEqual({ wrong: {}, missing }));

  test('the second of a name is wrong, whatever the case of its letters', () => {
    const other = typedRule({ ...films, name: 'FILMS' }, 1);
    expect(check(typed({}), [other]).wrong).toEqual({ name: 'namesake' });
    expect(checkRule(other, { rules: [other, typed({})], before, today: '2026-11-14' }, say).wrong).toEqual({});
    expect(check(typed({ name: 'Ä' }), [typedRule({ ...films, name: 'ä' }, 1)]).wrong).toEqual({});
  });
});

test('categories are the same but for the case of ASCII letters, and have 40 characters at most', () => {
  expect([sameWord('Pupil', 'pUPIL '), sameWord('Ä', 'ä')]).toEqual([true, false]);
  expect(distinctWords(['Pupil', 'teacher', 'pupil'])).toEqual(['Pupil', 'teacher']);
  expect([checkCategory(` ${'é'.repeat(40)} `, say), checkCategory('é'.repeat(41), say), checkCategory('a\u0007', say)]).toEqual(['', 'at most 40', 'control']);
});

test('a rule moves, and a new one has an identifier of its own', () => {
  const rules = ['A', 'B', 'C'].map((name, i) => typedRule({ name }, i));
  const names = (from: number, to: number): string => moved(rules, from, to).map(({ name }) => name).join('');
  expect([names(0, 1), names(2, 1), names(0, 2), names(1, 1)]).toEqual(['BAC', 'ACB', 'BCA', 'ABC']);
  expect(withBlank(moved(rules, 2, 0)).map(({ id }) => id)).toEqual([2, 0, 1, 3]);
  expect(withBlank([]).map(({ id }) => id)).toEqual([0]);
});

test('a fault of the library is at the rule that it means', () => {
  const rules = moved([typedRule(films, 0), typedRule({ ...films, name: 'Guests' }, 1)], 1, 0);
  const detail = (field: string, code: Detail['code'], more: Partial<Detail> = {}): Detail => ({ field, code, message: 'in words', ...more });
  const found = refusedIn([
    detail('rules[1].until', 'out_of_range'), detail('rules[0].loanDays', 'out_of_range', { limit: 3650 }), detail('rules[0]', 'required'), detail('rules[0].categories', 'required'),
    detail('rules[1].kinds[2]', 'unknown_value'), detail('rules[0].categories[4]', 'too_long', { limit: 40 }), detail('rules[9].name', 'required'), detail('loanDays', 'out_of_range'),
  ], rules, say);
  expect(found.map(({ id, field, text }) => [id, field, text])).toEqual([
    [0, 'until', 'past'], [1, 'loanDays', '0–3650'], [1, 'values', 'nothing'], [1, 'categories', 'about'], [0, 'kinds', 'in words'], [1, 'categories', 'at most 40'],
  ]);
});

test('the limits are those of the contract file', () => {
  const lines = contract.split('\n    PolicyRule:\n')[1]?.split('\n    PolicyRuleInput:\n')[0] ?? '';
  const number = (text: string, keyword: string): number => Number(new RegExp(`\\b${keyword}: (\\d+)`).exec(text)?.[1]);
  for (const name of ruleNumbers) {
    const line = lines.split('\n').find((one) => one.trim().startsWith(`${name}:`)) ?? '';
    expect([number(line, 'minimum'), number(line, 'maximum')], name).toEqual([...policyLimits.numbers[name]]);
  }
  expect(number(lines, 'maxLength'), 'name').toBe(ruleLimits.name);
  expect(number(lines, 'maxItems'), 'categories').toBe(ruleLimits.categories);
  expect(number(contract.split('\n        rules:\n')[1] ?? '', 'maxItems')).toBe(ruleLimits.rules);
});
