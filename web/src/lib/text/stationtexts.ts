import { LateTexts } from './late.svelte';

/** What a station says. */
export const stationTexts = new LateTexts({ en: () => import('../../messages/en.station'), de: () => import('../../messages/de.station') });
