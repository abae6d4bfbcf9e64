import { LateTexts } from './late.svelte';

/** What is said to readers who scan what they have in their hand. */
export const scanTexts = new LateTexts({ en: () => import('../../messages/en.scan'), de: () => import('../../messages/de.scan') });
