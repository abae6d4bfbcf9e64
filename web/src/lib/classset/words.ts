import type { Problem } from '../api/problem';
import type { Words } from '../desk/deskwords';
import type { Sound } from '../desk/sound';
import { nameOf } from '../people/name';
import type { ClassMessages } from '../text/classtexts';
import { isIn } from './classapi';
import type { Entry } from './collecting.svelte';
import type { Said } from './lending.svelte';
import type { Pupil, Skip } from './pairing';

/** What it takes to put an answer into words. */
export interface Speech {
  t: ClassMessages;
  people: readonly Pupil[];
  explain: (problem: Problem) => string;
}

/** What somebody of the class is called. */
export const nameIn = (people: readonly Pupil[], person = ''): string => nameOf(people.find(({ identifier }) => identifier === person));

/** Why a copy cannot be lent. */
export const refusalOf = (code: string, { refused }: ClassMessages): string => refused[code as keyof typeof refused] ?? code;

export function whyText({ why, rule }: Skip, t: ClassMessages): string {
  return rule ? t.byRule(t.why[why], rule) : t.why[why];
}

/** What has come of a scan or a key. */
export function wordsOf(said: Said, { t, people, explain }: Speech): { lines: string[]; sound: Sound } {
  const { kind, code = '', pair, person, skipped = [], problem } = said;
  const name = nameIn(people, person ?? pair?.person);
  const passed = skipped.map((skip) => t.skipped(nameIn(people, skip.person), whyText(skip, t)));
  switch (kind) {
    case 'given':
      return { lines: [...passed, t.given(pair?.barcode ?? code, name)], sound: passed.length > 0 ? 'act' : 'done' };
    case 'absent':
      return { lines: [t.absentNow(name)], sound: 'done' };
    case 'brought':
      return { lines: [t.brought(name)], sound: 'done' };
    case 'undone':
      return { lines: [pair ? t.undoneCopy(pair.barcode, name) : t.undoneAbsent(name)], sound: 'done' };
    case 'twice':
      return { lines: [t.twice(pair?.barcode ?? code, name)], sound: 'bad' };
    case 'nobody':
      return { lines: [...passed, t.nobody(code)], sound: 'bad' };
    case 'full':
      return { lines: [t.full], sound: 'bad' };
    case 'refused': {
      const [detail] = problem?.code === 'copies_refused' ? problem.details : [];
      if (problem && !detail) return { lines: [explain(problem)], sound: 'bad' };
      return { lines: [t.notThis(code, refusalOf(detail?.code ?? 'unknown_code', t))], sound: 'bad' };
    }
  }
}

/** What it takes to say what has come back. */
export interface ReturnSpeech extends Omit<Speech, 'people'> {
  group: string;
  date: (instant: string) => string;
  /** What somebody is called whose name is deleted. */
  forgotten: string;
}

/** What has come of a copy that was brought back. */
export function returnWords({ code, loan, problem }: Entry, { t, group, date, forgotten, explain }: ReturnSpeech): Words {
  const said = t.collecting;
  if (!loan) {
    if (problem?.code === 'not_borrowed') return { head: said.free, lines: [said.freeText(code)], sound: 'act' };
    if (problem?.code === 'unknown_code') return { head: said.unknown, lines: [said.unknownText(code)], sound: 'bad' };
    return { head: said.refused, lines: [code, problem ? explain(problem) : ''].filter(Boolean), sound: 'bad' };
  }
  const { user, hold, copy, book, swapped } = loan;
  const name = user ? nameOf(user) : forgotten;
  const lines = [said.back(copy?.barcode ?? code, book.title)];
  if (swapped) lines.push(said.swapped);
  if (user && !isIn(group, user)) lines.push(user.group ? said.ofAnother(name, user.group) : said.ofNone(name));
  if (!hold) return { head: name, lines, sound: 'done' };
  const holder = hold.user ? nameOf(hold.user) : forgotten;
  return { head: hold.until ? said.asideUntil(holder, date(hold.until)) : said.aside(holder), lines: [said.from(name), ...lines], sound: 'act' };
}
