import { LateTexts } from './late.svelte';

export type { ClassMessages } from '../../messages/en.class';

/** What is said about class sets. */
export const classTexts = new LateTexts({ en: () => import('../../messages/en.class'), de: () => import('../../messages/de.class') });
