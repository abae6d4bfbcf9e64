import type { Problem } from '../api/problem';
import type { Sound } from '../desk/sound';
import { nameOf } from '../people/name';
import type { ClassMessages } from '../text/classtexts';
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
