import { LateTexts } from './late.svelte';

export type { MailMessages } from '../../messages/en.mail';

/** What is said about mails, where the library sends some. */
export const mailTexts = new LateTexts({ en: () => import('../../messages/en.mail'), de: () => import('../../messages/de.mail') });
