import { browserStorage } from '../shell/storage';
import en from '../../messages/en';
import type { Messages } from '../../messages/en';
import { pickLanguage, type Language } from './language';
import { load } from '../shell/load';
import { problemFrom, type Problem } from '../api/problem';

const key = 'library.language';

class I18n {
  language = $state<Language>('en');
  /** The texts. */
  t = $state.raw<Messages>(en);
  /** The name that somebody has given it. */
  named = '';
  /** What the library calls itself. */
  name = $derived(this.named || this.t.name);
  #plurals = $derived(new Intl.PluralRules(this.language));
  #numbers = $derived(new Intl.NumberFormat(this.language));
  #lists = $derived(new Intl.ListFormat(this.language, { type: 'conjunction' }));

  /** Fetch more texts in a language before it is used. */
  alongside: ((language: Language) => Promise<void>)[] = [];

  async use(language: Language): Promise<void> {
    await Promise.all(this.alongside.map((fetch) => fetch(language)));
    this.t = language === 'de' ? (await load(() => import('../../messages/de'))).default : en;
    this.language = language;
    document.documentElement.lang = language;
  }

  /** The reader's choice, or else the browser's. Says why it is not to be had. */
  async start(): Promise<Problem | undefined> {
    const saved = browserStorage.getItem(key);
    const language = saved === 'de' || saved === 'en' ? saved : pickLanguage(navigator.languages);
    try {
      await this.use(language);
      return undefined;
    } catch (thrown) {
      await this.use('en');
      return problemFrom(thrown);
    }
  }

  async choose(language: Language): Promise<void> {
    await this.use(language);
    browserStorage.setItem(key, language);
  }

  /** Picks the form for a number and puts the number in for `#`. */
  count(n: number, forms: { one: string; other: string }): string {
    const form = this.#plurals.select(n) === 'one' ? forms.one : forms.other;
    return form.replace('#', this.number(n));
  }

  number(n: number): string {
    return this.#numbers.format(n);
  }

  list(names: readonly string[]): string {
    return this.#lists.format(names);
  }
}

export const i18n = new I18n();
