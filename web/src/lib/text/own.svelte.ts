import { LateTexts } from './late.svelte';

/** The texts of what is the reader's own: loans, reservations, history, account. */
export const own = new LateTexts({ en: () => import('../../messages/en.own'), de: () => import('../../messages/de.own') });
