import { untrack } from 'svelte';
import type { StaffMessages } from '../messages/en.staff';
import { i18n } from './i18n.svelte';
import type { Language } from './language';

const files = { en: () => import('../messages/en.staff'), de: () => import('../messages/de.staff') };

/** The texts of the pages for curators and admins, each language when somebody needs it. */
class Staff {
  #loaded = $state.raw<Partial<Record<Language, StaffMessages>>>({});

  /** There once `load` is done: no page of these is shown before. */
  get t(): StaffMessages {
    return (this.#loaded[i18n.language] ?? this.#loaded.en ?? this.#loaded.de) as StaffMessages;
  }

  /** Refusals by their code; none until `load` is done. */
  get codes(): Partial<Record<string, string>> {
    return (this.t as StaffMessages | undefined)?.codes ?? {};
  }

  // Who loads does not depend on the language: a page would begin anew when it changes.
  async load(language: Language = untrack(() => i18n.language)): Promise<void> {
    const { default: texts } = await files[language]();
    this.#loaded = { ...this.#loaded, [language]: texts };
  }

  /** Loads a component together with its texts. */
  async component<T>(load: () => Promise<{ default: T }>): Promise<T> {
    return (await Promise.all([load(), this.load()]))[0].default;
  }

  constructor() {
    // A change of the language waits for these, too, if somebody has them in the other one.
    i18n.alongside = async (language) => {
      if (Object.keys(this.#loaded).length > 0) await this.load(language);
    };
  }
}

export const staff = new Staff();
