import { classTexts } from '../lib/text/classtexts';
import { mailTexts } from '../lib/text/mailtexts';
import { ruleFormTexts } from '../lib/text/ruleformtexts';
import { ruleTexts } from '../lib/text/ruletexts';
import { scanTexts } from '../lib/text/scantexts';
import { stockTexts } from '../lib/text/stocktexts';

// Pages with texts of their own, which are neither for the staff alone nor for every page of a reader.
type Page = Promise<{ default: unknown }>;

export const read = async (): Page => ({ default: await ruleTexts.component(() => import('./Rules.svelte')) });
export const edit = async (): Page => ({ default: (await Promise.all([ruleTexts.component(() => import('./RulesForm.svelte')), ruleFormTexts.load()]))[0] });
export const notices = async (): Page => ({ default: await mailTexts.component(() => import('./NoticePages.svelte')) });
export const scan = async (): Page => ({ default: await scanTexts.component(() => import('./OwnScan.svelte')) });
export const stocktakes = async (): Page => ({ default: await stockTexts.component(() => import('./Stocktakes.svelte')) });
export const stocktake = async (): Page => ({ default: await stockTexts.component(() => import('./Stocktake.svelte')) });
export const classSet = async (): Page => ({ default: await classTexts.component(() => import('./ClassSet.svelte')) });
