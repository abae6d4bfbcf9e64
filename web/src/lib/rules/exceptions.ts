import type { Policy } from '../api/api';
import type { Language } from '../text/language';
import { sayFull, type Forms } from './rules';

type Rule = Policy['rules'][number];
type Kind = NonNullable<Rule['kinds']>[number];

/** The words for a rule; `#` stands for a number. */
export interface ExceptionWords {
  kinds: Record<Kind, string>;
  everything: string;
  everybody: string;
  lentTo: (what: string, who: string) => string;
  days: Forms;
  nothing: string;
  noDate: string;
  until: (day: string) => string;
  over: (text: string) => string;
  timesRenewed: Forms;
  notRenewed: string;
  loans: (most: string) => string;
  anyLoans: string;
  holds: (most: string) => string;
  anyHolds: string;
  selfBorrow: { yes: string; no: string };
  reserve: { yes: string; no: string };
  lend: { yes: string; no: string };
}

/** One rule of the policy in a sentence. `today` is a day of the library. */
export function sayException(rule: Rule, today: string, language: Language, words: ExceptionWords): string {
  const list = (parts: readonly string[]): string => new Intl.ListFormat(language === 'de' ? 'de' : 'en-GB', { type: 'conjunction' }).format(parts);
  const plurals = new Intl.PluralRules(language);
  const count = (n: number, forms: Forms): string => (plurals.select(n) === 'one' ? forms.one : forms.other).replace('#', n.toLocaleString(language));
  const what = rule.kinds ? list(rule.kinds.map((kind) => words.kinds[kind])) : words.everything;
  const said: string[] = [];
  const number = (n: number | undefined, none: string, some: (n: number) => string): unknown => n !== undefined && said.push(n === 0 ? none : some(n));
  const choice = (is: boolean | undefined, { yes, no }: { yes: string; no: string }): unknown => is !== undefined && said.push(is ? yes : no);
  choice(rule.lend, words.lend);
  number(rule.loanDays, words.noDate, (n) => count(n, words.days));
  if (rule.until) said.push((rule.until < today ? words.over : String)(words.until(sayFull(rule.until, language))));
  number(rule.renewals, words.notRenewed, (n) => count(n, words.timesRenewed));
  number(rule.maxLoans, words.anyLoans, (n) => words.loans(n.toLocaleString(language)));
  number(rule.maxHolds, words.anyHolds, (n) => words.holds(n.toLocaleString(language)));
  choice(rule.selfBorrow, words.selfBorrow);
  choice(rule.holds, words.reserve);
  return `${words.lentTo(what.charAt(0).toLocaleUpperCase(language) + what.slice(1), rule.categories ? list(rule.categories) : words.everybody)}: ${said.join(', ') || words.nothing}.`;
}
