import { ruleTexts } from '../lib/text/ruletexts';

// The pages of the rules come with texts that are neither for the staff alone nor for every page of a reader.
const withTexts = async (load: () => Promise<{ default: unknown }>): Promise<{ default: unknown }> => ({ default: await ruleTexts.component(load) });

export const read = (): Promise<{ default: unknown }> => withTexts(() => import('./Rules.svelte'));
export const edit = (): Promise<{ default: unknown }> => withTexts(() => import('./RulesForm.svelte'));
