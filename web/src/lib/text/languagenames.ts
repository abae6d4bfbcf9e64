import type { Language } from './language';

/** What the languages of the library call themselves. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' };
