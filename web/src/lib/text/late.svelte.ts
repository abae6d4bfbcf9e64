import { untrack } from 'svelte';
import { i18n } from './i18n.svelte';
import type { Language } from './language';
import { load } from '../shell/load';

type Files<T> = Record<Language, () => Promise<{ default: T }>>;

/** Texts that not everybody needs, each language when somebody does. */
export class LateTexts<T> {
  #loaded = $state.raw<Partial<Record<Language, T>>>({});

  /** There once `load` is done: nothing that needs them is shown before. */
  get t(): T {
    return (this.#loaded[i18n.language] ?? this.#loaded.en ?? this.#loaded.de) as T;
  }

  // Who loads does not depend on the language: a page would begin anew when it changes.
  async load(language: Language = untrack(() => i18n.language)): Promise<T> {
    const { default: texts } = await load(this.files[language]);
    this.#loaded = { ...this.#loaded, [language]: texts };
    return texts;
  }

  /** Loads a component together with its texts. */
  async component<C>(part: () => Promise<{ default: C }>): Promise<C> {
    return (await Promise.all([load(part), this.load()]))[0].default;
  }

  constructor(private readonly files: Files<T>) {
    // A change of the language waits for these, too, if somebody has them in the other one.
    i18n.alongside.push(async (language) => {
      if (Object.keys(this.#loaded).length > 0) await this.load(language);
    });
  }
}
