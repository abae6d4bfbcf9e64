import { LateTexts } from './late.svelte';

export type { StockMessages } from '../../messages/en.stock';

/** What is said about stocktaking. */
export const stockTexts = new LateTexts({ en: () => import('../../messages/en.stock'), de: () => import('../../messages/de.stock') });
