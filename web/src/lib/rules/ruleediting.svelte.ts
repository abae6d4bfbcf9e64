import { SvelteMap } from 'svelte/reactivity';
import type { Detail } from '../api/problem';
import { checkRule, refusedIn, valueOf, type Refused, type RuleContext, type RuleFaults, type RuleFaultWords, type TypedRule } from './typedrule';

/** Which rules are being edited, and what is to be said about them. Its sets are maps, of which the catalogue has the code already. */
export class RuleEditing {
  /** The rules whose fields are shown. */
  readonly open = new SvelteMap<number, true>();
  /** With these somebody was done: what they lack is a fault from then on. */
  readonly #asked = new SvelteMap<number, true>();
  #refused = $state.raw<Refused[]>([]);

  constructor(
    private readonly context: () => RuleContext,
    private readonly say: () => RuleFaultWords,
  ) {}

  faults(rule: TypedRule): RuleFaults {
    const { wrong, missing } = checkRule(rule, this.context(), this.say());
    const found = this.#asked.has(rule.id) ? { ...missing, ...wrong } : wrong;
    for (const { id, field, text, value } of this.#refused) {
      if (id === rule.id && valueOf(rule, field) === value) found[field] ??= text;
    }
    return found;
  }

  /** Shows what is wrong with these rules, and what they lack. Says whether there is anything. */
  ask(rules: readonly TypedRule[]): boolean {
    const faulty = rules.filter((rule) => {
      this.#asked.set(rule.id, true);
      return Object.keys(this.faults(rule)).length > 0;
    });
    for (const { id } of faulty) this.open.set(id, true);
    return faulty.length > 0;
  }

  /** Shows what the library has refused. */
  refuse(details: readonly Detail[], rules: readonly TypedRule[]): void {
    this.#refused = refusedIn(details, rules, this.say());
    for (const { id } of this.#refused) this.open.set(id, true);
  }
}
