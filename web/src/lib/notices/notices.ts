import { page, type Notice, type Page } from '../api/api';
import { session } from '../session/session.svelte';
import type { Language } from '../text/language';
import type { MailMessages } from '../text/mailtexts';

export type Kind = Notice['kind'];
export type State = Notice['state'];
export const kinds: readonly Kind[] = ['overdue', 'hold_ready', 'due_soon', 'wanted', 'hold_expired'];
export const states: readonly State[] = ['waiting', 'paused', 'sent', 'dropped', 'failed'];

/** Which notices are listed, as it is in the address. */
export interface NoticeFilter {
  state?: State;
  kind?: Kind;
}

export function parseNotices(search: string): NoticeFilter {
  const given = new URLSearchParams(search);
  return { state: states.find((s) => s === given.get('state')), kind: kinds.find((k) => k === given.get('kind')) };
}

export function noticesQuery({ state, kind }: NoticeFilter): string {
  const out = new URLSearchParams({ ...(state && { state }), ...(kind && { kind }) }).toString();
  return out && '?' + out;
}

export async function notices(query: NoticeFilter, limit: number, cursor?: string, signal?: AbortSignal): Promise<Page<Notice>> {
  return page(await session.api.ask('get', '/notices', { query: { ...query, limit, cursor }, signal }));
}

/** How many notices wait until an admin lets them go; nothing if mails are sent. */
export async function paused(): Promise<number | undefined> {
  if (!(await session.api.ask('get', '/notices/outbox', {})).data.paused) return undefined;
  return (await notices({ state: 'paused' }, 1)).total;
}

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

export async function preview(kind: Kind, locale: Language, signal: AbortSignal): Promise<Mail> {
  return (await session.api.ask('get', '/notices/preview', { query: { kind, locale }, signal })).data;
}

/** Why a mail did not get through, in a sentence or two. */
export function sayProblem({ stage, code }: { stage: string; code?: number | string }, words: MailMessages): string {
  const known = stage === 'connect' && code ? 'refused' : stage;
  const step = words.stages[known as keyof MailMessages['stages']] ?? words.stages.connect;
  if (code) return `${step} ${words.answer(String(code))}`;
  return stage === 'connect' || stage === 'slow' ? step : `${step} ${words.noAnswer}`;
}
