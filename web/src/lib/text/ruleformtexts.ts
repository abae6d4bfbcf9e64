import { LateTexts } from './late.svelte';

/** The texts for editing and trying rules for some people and books. */
export const ruleFormTexts = new LateTexts({ en: () => import('../../messages/en.ruleform'), de: () => import('../../messages/de.ruleform') });
