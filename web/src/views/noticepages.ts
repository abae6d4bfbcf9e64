import { mailTexts } from '../lib/text/mailtexts';

// The pages about mails come with texts of their own.
const withTexts = async (load: () => Promise<{ default: unknown }>): Promise<{ default: unknown }> => ({ default: await mailTexts.component(load) });

export const list = (): Promise<{ default: unknown }> => withTexts(() => import('./NoticePages.svelte'));
