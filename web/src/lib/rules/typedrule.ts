import type { Policy } from '../api/api';
import { limits } from '../api/limits';
import type { Detail } from '../api/problem';
import { isDay } from '../dates/days';
import { policyLimits, whole } from './limits';

export type Rule = Policy['rules'][number];

/** The limits of rules that are no numbers. A test compares them with the contract file. */
export const ruleLimits = { rules: 50, name: 60, categories: 50, category: limits.user.category } as const;

export const ruleNumbers = ['loanDays', 'renewals', 'maxLoans', 'maxHolds'] as const;
export const ruleChoices = ['selfBorrow', 'holds', 'lend'] as const;
type NumberOf = (typeof ruleNumbers)[number];
type ChoiceOf = (typeof ruleChoices)[number];

/** Nothing is said: other rules or the policy decide. */
export type Choice = 'yes' | 'no' | '';

/** A rule for some people and books as it is typed. What is empty is left out. */
export type TypedRule = Record<NumberOf, string> & Record<ChoiceOf, Choice> & {
  /** Stays the same when the rule is moved or named otherwise. */
  id: number;
  name: string;
  categories: string[];
  kinds: NonNullable<Rule['kinds']>;
  until: string;
};

export type RuleField = Exclude<keyof TypedRule, 'id'> | 'values';
export type RuleFaults = Partial<Record<RuleField, string>>;

export function typedRule(rule: Partial<Rule>, id: number): TypedRule {
  const number = (n: number | undefined): string => (n === undefined ? '' : String(n));
  const choice = (is: boolean | undefined): Choice => (is === undefined ? '' : is ? 'yes' : 'no');
  return {
    id,
    name: rule.name ?? '',
    categories: [...(rule.categories ?? [])],
    kinds: [...(rule.kinds ?? [])],
    loanDays: number(rule.loanDays),
    until: rule.until ?? '',
    renewals: number(rule.renewals),
    maxLoans: number(rule.maxLoans),
    maxHolds: number(rule.maxHolds),
    selfBorrow: choice(rule.selfBorrow),
    holds: choice(rule.holds),
    lend: choice(rule.lend),
  };
}

/** The rule that was typed, without what cannot be read. */
export function ruleOf(typed: TypedRule): Rule {
  const rule: Rule = { name: typed.name.trim() };
  if (typed.categories.length > 0) rule.categories = [...typed.categories];
  if (typed.kinds.length > 0) rule.kinds = [...typed.kinds];
  for (const name of ruleNumbers) if (isNumber(typed, name)) rule[name] = whole(typed[name]);
  if (isDay(typed.until)) rule.until = typed.until;
  for (const name of ruleChoices) if (typed[name] !== '') rule[name] = typed[name] === 'yes';
  return rule;
}

function isNumber(typed: TypedRule, name: NumberOf): boolean {
  const [least, most] = policyLimits.numbers[name];
  const n = whole(typed[name]);
  return n >= least && n <= most;
}

const lowerASCII = (word: string): string => word.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether two categories, or two names, are the same to the library. */
export const sameWord = (a: string, b: string): boolean => lowerASCII(a) === lowerASCII(b);

/** Categories, each once, in their first spelling. */
export function distinctWords(words: readonly string[]): string[] {
  return words.filter((word, i) => words.findIndex((other) => sameWord(other, word)) === i);
}

/** The rules with one more, in which nothing is said. */
export function withBlank(rules: readonly TypedRule[]): TypedRule[] {
  return [...rules, typedRule({}, 1 + Math.max(-1, ...rules.map((rule) => rule.id)))];
}

/** The rules with one in another place. */
export function moved(rules: readonly TypedRule[], from: number, to: number): TypedRule[] {
  const others = rules.filter((_, i) => i !== from);
  return [...others.slice(0, to), ...rules.slice(from, from + 1), ...others.slice(to)];
}

/** The words for what is wrong with a rule. */
export interface RuleFaultWords {
  required: string;
  about: string;
  nothing: string;
  namesake: string;
  control: string;
  past: string;
  date: string;
  tooLong: (most: number) => string;
  tooMany: (most: number) => string;
  range: (least: number, most: number) => string;
}

/** What a check has to know beside the rule. */
export interface RuleContext {
  rules: readonly TypedRule[];
  /** As they are on record. */
  before: readonly Rule[];
  /** The day of the library. */
  today: string;
}

/** What the library would refuse: what is wrong, and what is missing yet. */
export function checkRule(typed: TypedRule, { rules, before, today }: RuleContext, say: RuleFaultWords): { wrong: RuleFaults; missing: RuleFaults } {
  const wrong: RuleFaults = {};
  const missing: RuleFaults = {};
  const name = typed.name.trim();
  if (name === '') missing.name = say.required;
  else if (/\p{Cc}/u.test(name)) wrong.name = say.control;
  else if ([...name].length > ruleLimits.name) wrong.name = say.tooLong(ruleLimits.name);
  else if (rules.slice(0, rules.findIndex((rule) => rule.id === typed.id)).some((rule) => sameWord(rule.name, name))) wrong.name = say.namesake;
  if (typed.categories.length > ruleLimits.categories) wrong.categories = say.tooMany(ruleLimits.categories);
  if (typed.categories.length + typed.kinds.length === 0) missing.categories = say.about;
  for (const field of ruleNumbers) {
    const [least, most] = policyLimits.numbers[field];
    if (typed[field].trim() !== '' && !isNumber(typed, field)) wrong[field] = say.range(least, most);
  }
  if (typed.until !== '' && !isDay(typed.until)) wrong.until = say.date;
  else if (typed.until !== '' && typed.until < today && !before.some((rule) => sameWord(rule.name, name) && rule.until === typed.until)) wrong.until = say.past;
  if ([...ruleNumbers, ...ruleChoices, 'until' as const].every((field) => typed[field].trim() === '')) missing.values = say.nothing;
  return { wrong, missing };
}

/** Says what is wrong with a category that somebody types; '' if nothing. */
export function checkCategory(text: string, say: RuleFaultWords): string {
  if (/\p{Cc}/u.test(text.trim())) return say.control;
  return [...text.trim()].length > ruleLimits.category ? say.tooLong(ruleLimits.category) : '';
}

/** A fault that the library has found in a field, as long as the field stays as it is. */
export interface Refused {
  id: number;
  field: RuleField;
  text: string;
  value: string;
}

/** What stands in a field, to see that it has changed. */
export const valueOf = (typed: TypedRule, field: RuleField): string => JSON.stringify(field === 'values' ? { ...typed, name: '' } : typed[field]);

/** Finds the rules that the library means: `rules[3].until`. */
export function refusedIn(details: readonly Detail[], rules: readonly TypedRule[], say: RuleFaultWords): Refused[] {
  return details.flatMap((detail) => {
    const [, index, name = 'values'] = /^rules\[(\d+)\](?:\.(\w+))?/.exec(detail.field) ?? [];
    const rule = rules[Number(index)];
    if (!rule) return [];
    const field = (name in rule ? name : 'values') as RuleField;
    return [{ id: rule.id, field, text: textOf(field, detail, say), value: valueOf(rule, field) }];
  });
}

function textOf(field: RuleField, { code, least = 0, limit, message }: Detail, say: RuleFaultWords): string {
  switch (code) {
    case 'required': return field === 'values' ? say.nothing : field === 'categories' ? say.about : say.required;
    case 'duplicate': return say.namesake;
    case 'control_character': return say.control;
    case 'not_a_date': return say.date;
    case 'too_long': return say.tooLong(limit ?? ruleLimits.name);
    case 'too_many': return say.tooMany(limit ?? ruleLimits.categories);
    case 'out_of_range': return limit === undefined ? say.past : say.range(least, limit);
    default: return message;
  }
}
