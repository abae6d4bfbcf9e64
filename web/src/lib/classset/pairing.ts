/** Why somebody gets no copy: as the library says it, or because the person is not here. */
export type Why = 'has_it' | 'blocked' | 'inactive' | 'not_for_you' | 'loan_limit' | 'has_overdue' | 'absent';

/** One of the class. */
export interface Pupil {
  identifier: string;
  firstName: string;
  lastName: string;
  group?: string;
}

/** A copy for somebody. */
export interface Pair {
  copy: string;
  barcode: string;
  title: string;
  person: string;
  dueAt?: string;
  /** Why it cannot be lent after all. The person waits for another one. */
  refused?: string;
}

export interface Skip {
  person: string;
  why: Why;
  /** The rule that decided. */
  rule?: string;
}

/** What can be taken back: a copy for somebody, or that a person is absent. */
type Step = { pair: Pair } | { absent: string };

/** Who gets which copy, before anything is lent. */
export interface Pairing {
  /** The class, in the order in which the copies go round. */
  people: readonly Pupil[];
  steps: readonly Step[];
  /** Whom the library skips. */
  skipped: readonly Skip[];
}

export const begin = (people: readonly Pupil[], skipped: readonly Skip[] = []): Pairing => ({ people, steps: [], skipped });

/** All copies, in the order of the scans. */
export const pairs = ({ steps }: Pairing): Pair[] => steps.flatMap((step) => ('pair' in step ? [step.pair] : []));

/** The copies that can be lent. */
export const good = (pairing: Pairing): Pair[] => pairs(pairing).filter(({ refused }) => refused === undefined);

/** Everybody who gets no copy, in the order of the class. */
export function without({ people, steps, skipped }: Pairing): Skip[] {
  const absent = steps.flatMap((step): Skip[] => ('absent' in step ? [{ person: step.absent, why: 'absent' }] : []));
  const all = new Map([...skipped, ...absent].map((skip) => [skip.person, skip]));
  return people.flatMap(({ identifier }) => all.get(identifier) ?? []);
}

/** Those who still wait for a copy. The first is the next. */
export function waiting(pairing: Pairing): Pupil[] {
  const gone = new Set([...good(pairing), ...without(pairing)].map(({ person }) => person));
  return pairing.people.filter(({ identifier }) => !gone.has(identifier));
}

/** Gives a copy to somebody, as the library has answered, in place of one that was refused. Those before, whom it skips, get none. */
export function give(pairing: Pairing, pair: Pair, skipped: readonly Skip[] = []): Pairing {
  const steps = pairing.steps.filter((step) => !('pair' in step && step.pair.refused && step.pair.person === pair.person));
  return { ...skip(pairing, skipped), steps: [...steps, { pair }] };
}

/** Skips people. */
export const skip = (pairing: Pairing, more: readonly Skip[]): Pairing => ({ ...pairing, skipped: [...pairing.skipped, ...more] });

/** Notes that the next one is not here. */
export function absent(pairing: Pairing): Pairing {
  const [next] = waiting(pairing);
  return next ? { ...pairing, steps: [...pairing.steps, { absent: next.identifier }] } : pairing;
}

/** Takes the last step back. Whom it was about is the next again. */
export const undo = (pairing: Pairing): Pairing => ({ ...pairing, steps: pairing.steps.slice(0, -1) });

/** Makes somebody the next who was absent or skipped: the person has come, or the reason is gone. */
export function bring(pairing: Pairing, person: string): Pairing {
  const one = pairing.people.find(({ identifier }) => identifier === person);
  if (!one || !without(pairing).some((skip) => skip.person === person)) return pairing;
  const [next] = waiting(pairing);
  const others = pairing.people.filter((other) => other !== one);
  const at = next ? others.indexOf(next) : others.length;
  return {
    people: [...others.slice(0, at), one, ...others.slice(at)],
    steps: pairing.steps.filter((step) => !('absent' in step && step.absent === person)),
    skipped: pairing.skipped.filter((skip) => skip.person !== person),
  };
}

/** Takes a copy out. */
export const takeOut = (pairing: Pairing, copy: string): Pairing => ({ ...pairing, steps: pairing.steps.filter((step) => !('pair' in step && step.pair.copy === copy)) });

/** Notes why copies cannot be lent, by their places in a request for all good ones. */
export function refuse(pairing: Pairing, details: readonly { field: string; code: string }[]): Pairing {
  const asked = good(pairing);
  const why = new Map(details.map(({ field, code }) => [asked[Number(/\[(\d+)\]/.exec(field)?.[1])]?.copy, code]));
  return { ...pairing, steps: pairing.steps.map((step) => ('pair' in step && why.has(step.pair.copy) ? { pair: { ...step.pair, refused: why.get(step.pair.copy) } } : step)) };
}
