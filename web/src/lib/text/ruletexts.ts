import { LateTexts } from './late.svelte';

/** The texts of the rules of lending. */
export const ruleTexts = new LateTexts({ en: () => import('../../messages/en.rules'), de: () => import('../../messages/de.rules') });
