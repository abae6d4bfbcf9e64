import type { components } from '../api/schema';
import type { Language } from '../text/language';
import { sayFull, type Forms } from './rules';

export type PolicyTrial = components['schemas']['PolicyTrial'];
type Reason = PolicyTrial['refused']['by'][number];

/** The words for a trial; `#` stands for a number, `~` for days. */
export interface TrialWords {
  looked: (loans: string, holds: string, day: string) => string;
  loans: Forms;
  holds: Forms;
  same: string;
  refused: Forms;
  holdsRefused: Forms;
  to: { plain: (who: string) => string; all: (who: string) => string; some: (count: string, who: string) => string };
  category: (name: string) => string;
  noCategory: string;
  reason: (count: string, who: string, why: string) => string;
  only: (why: string) => string;
  limit: (rule: string) => string;
  limitOfAll: string;
  notReservable: (rule: string) => string;
  others: Forms;
  earlier: Forms;
  later: Forms;
  dated: Forms;
  undated: Forms;
  days: Forms;
  renewals: Forms;
  onClosedDays: Forms;
  quoted: (rule: string) => string;
  hidden: (rule: string, by: string) => string;
  over: (rule: string) => string;
}

/** A sentence, and its reasons where there are some. */
export interface TrialSentence {
  text: string;
  reasons: string[];
}

const mostReasons = 8;

/** What other rules would have changed, in sentences. Without any, nothing would have been different. */
export class SaidTrial {
  readonly looked: string;
  readonly changes: TrialSentence[];
  /** About rules without effect. */
  readonly dead: string[];
  readonly #plurals: Intl.PluralRules;

  constructor(trial: PolicyTrial, private readonly language: Language, private readonly words: TrialWords) {
    this.#plurals = new Intl.PluralRules(language);
    const list = new Intl.ListFormat(language === 'de' ? 'de' : 'en-GB', { type: 'conjunction' });
    this.looked = words.looked(this.#count(trial.loans, words.loans), this.#count(trial.holds, words.holds), sayFull(trial.from, language));
    const plain = (n: number, forms: Forms): TrialSentence[] => (n === 0 ? [] : [{ text: this.#count(n, forms), reasons: [] }]);
    this.changes = [
      ...this.#refused(trial.refused, words.refused),
      ...this.#refused(trial.holdsRefused, words.holdsRefused),
      ...this.#shifted(trial.dueEarlier, words.earlier, words.dated),
      ...this.#shifted(trial.dueLater, words.later, words.undated),
      ...plain(trial.onClosedDays, words.onClosedDays),
      ...plain(trial.renewalsRefused, words.renewals),
    ];
    this.dead = trial.dead.map(({ rule, hiddenBy }) => (hiddenBy.length > 0 ? words.hidden(rule, list.format(hiddenBy.map(words.quoted))) : words.over(rule)));
  }

  #count(n: number, forms: Forms): string {
    return (this.#plurals.select(n) === 'one' ? forms.one : forms.other).replace('#', n.toLocaleString(this.language));
  }

  /** Without a day on one side there is no difference in days. */
  #shifted({ count, days }: PolicyTrial['dueEarlier'], moved: Forms, otherwise: Forms): TrialSentence[] {
    if (count === 0) return [];
    const text = days === 0 ? this.#count(count, otherwise) : this.#count(count, moved).replace('~', this.#count(days, this.words.days));
    return [{ text, reasons: [] }];
  }

  /** “41 loans would have been refused, 38 of them to pupils”, and all reasons if there are several. */
  #refused({ count, by }: { count: number; by: readonly Reason[] }, forms: Forms): TrialSentence[] {
    if (count === 0) return [];
    const perPerson = new Map<string, number>();
    for (const reason of by) perPerson.set(this.#who(reason), (perPerson.get(this.#who(reason)) ?? 0) + reason.count);
    const [[who, most] = ['', 0]] = [...perPerson].sort((a, b) => b[1] - a[1]);
    const { plain, all, some } = this.words.to;
    const to = count === 1 ? plain(who) : most === count ? all(who) : some(most.toLocaleString(this.language), who);
    if (by.length === 1) return [{ text: `${this.#count(count, forms)}, ${to}.`, reasons: by.map((reason) => this.words.only(this.#why(reason))) }];
    const reasons = by.slice(0, mostReasons).map((reason) => this.words.reason(reason.count.toLocaleString(this.language), this.#who(reason), this.#why(reason)));
    if (by.length > mostReasons) reasons.push(this.#count(by.length - mostReasons, this.words.others));
    return [{ text: `${this.#count(count, forms)}, ${to}.`, reasons }];
  }

  #who({ category }: Reason): string {
    return category === undefined ? this.words.noCategory : this.words.category(category);
  }

  #why({ code, rule }: Reason): string {
    if (rule === undefined) return this.words.limitOfAll;
    return code === 'not_reservable' ? this.words.notReservable(rule) : this.words.limit(rule);
  }
}
