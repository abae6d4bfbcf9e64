import { isCode } from '../api/codes';
import { isLost, problemFrom, type Problem } from '../api/problem';
import { Queue } from '../desk/queue.svelte';
import { lendAll, mostCopies, plan, peopleOf, tryCopy, type Setup } from './classapi';
import { recall, remember } from './memory';
import { absent, begin, bring, give, good, pairs, refuse, skip, takeOut, undo, waiting, without, type Pair, type Pairing, type Pupil, type Skip } from './pairing';

/** What waits for its turn: each means what it meant when the key was pressed. */
export type Item = { scan: string } | { absent: true } | { undo: true } | { bring: string } | { takeOut: string };

/** What the last scan or key has come to. */
export interface Said {
  id: number;
  kind: 'given' | 'absent' | 'undone' | 'brought' | 'refused' | 'twice' | 'nobody' | 'full';
  code?: string;
  pair?: Pair;
  person?: string;
  /** Who was skipped by this scan. */
  skipped?: Skip[];
  problem?: Problem;
}

/** What was lent, and to whom nothing was. */
export interface Done {
  setup: Setup;
  people: readonly Pupil[];
  pairs: Pair[];
  without: Skip[];
  /** Who had no turn. */
  rest: Pupil[];
  left: string[];
  /** It is not what the screen showed. */
  differs: boolean;
}

/** Copies for a class: collected scan by scan, and lent at once. It is kept across a reload or a session that ends. */
export class ClassLending {
  setup = $state.raw<Setup | undefined>();
  pairing = $state.raw<Pairing>(begin([]));
  /** Copies of the title that were free in the beginning. */
  free = $state<number | undefined>();
  said = $state.raw<Said | undefined>();
  done = $state.raw<Done | undefined>();
  /** Why nothing was lent. */
  problem = $state.raw<Problem | undefined>();
  busy = $state(false);
  readonly queue = new Queue<Item>(
    (item) => this.#handle(item),
    (item, problem) => () => this.#say({ kind: 'refused', code: 'scan' in item ? item.scan : undefined, problem }),
    () => this.#save(),
  );
  #key: string | undefined; // under which the copies are lent once
  #next = 1;

  constructor(private readonly heard: (said: Said) => void) {}

  /** Goes on where this person was interrupted, until the returned function is called. */
  start(): () => void {
    return this.queue.start(this.#restore());
  }

  /** Reads the class. Reports whether anybody is in it. */
  async open(setup: Setup): Promise<boolean> {
    const people = await peopleOf(setup.group);
    if (people.length === 0) return false;
    // Copies that somebody takes in this moment are no reason not to begin.
    const { free, skipped } = await plan(setup, people).catch((thrown: unknown) => {
      if (problemFrom(thrown).code === 'copies_refused') return { free: undefined, skipped: [] };
      throw thrown;
    });
    [this.setup, this.free, this.said, this.done] = [{ ...setup, group: people[0]?.group ?? setup.group }, free, undefined, undefined];
    this.#put(begin(people, skipped));
    return true;
  }

  /** Begins anew, with nothing lent. */
  close(): void {
    [this.setup, this.said, this.done] = [undefined, undefined, undefined];
    this.#put(begin([]));
  }

  scan(text: string): void {
    const code = text.trim();
    if (code !== '') this.queue.add({ scan: code });
  }
  absent(): void {
    this.queue.add({ absent: true });
  }
  undo(): void {
    this.queue.add({ undo: true });
  }
  bring(person: string): void {
    this.queue.add({ bring: person });
  }
  takeOut(copy: string): void {
    this.queue.add({ takeOut: copy });
  }

  /** Lends what was scanned: all of it or nothing. */
  async lend(): Promise<void> {
    const { setup, pairing } = this;
    const all = good(pairing);
    if (!setup || this.busy || all.length === 0 || this.queue.items.length > 0) return;
    this.busy = true;
    this.problem = undefined;
    this.#key ??= crypto.randomUUID();
    this.#save();
    try {
      const lent = await lendAll(setup, all, this.#key);
      this.done = { setup, people: pairing.people, pairs: lent.pairs, without: [...without(pairing), ...lent.skipped], rest: waiting(pairing), left: lent.left, differs: lent.skipped.length > 0 };
      this.setup = undefined;
      this.#put(begin([]));
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.code === 'copies_refused') {
        this.said = undefined;
        this.#put(refuse(pairing, problem.details));
      } else if (!isLost(problem)) this.#key = undefined;
      this.problem = problem;
    }
    this.busy = false;
  }

  async #handle(item: Item): Promise<() => void> {
    if (!('scan' in item)) return () => this.#step(item);
    const { setup, pairing } = this;
    const code = item.scan;
    const waits = waiting(pairing);
    if (!setup) return () => this.#save();
    if (waits.length === 0) return () => this.#say({ kind: 'nobody', code });
    if (good(pairing).length >= mostCopies) return () => this.#say({ kind: 'full', code });
    if (!isCode(code)) return () => this.#say({ kind: 'refused', code });
    const { pair, skipped } = await tryCopy(setup, code, waits);
    const before = pairs(pairing).find(({ copy, refused }) => copy === pair?.copy && !refused);
    return () => {
      if (before) return this.#say({ kind: 'twice', code, pair: before });
      // A copy that was refused before can be lent by now.
      const now = pair ? give(takeOut(pairing, pair.copy), pair, skipped) : skip(pairing, skipped);
      this.#say(pair ? { kind: 'given', code, pair, person: pair.person, skipped } : { kind: 'nobody', code, skipped }, now);
    };
  }

  /** What needs no answer of the library. */
  #step(item: Exclude<Item, { scan: string }>): void {
    const { pairing } = this;
    if ('absent' in item) {
      const person = waiting(pairing)[0]?.identifier;
      return person ? this.#say({ kind: 'absent', person }, absent(pairing)) : this.#save();
    }
    if ('bring' in item) return this.#say({ kind: 'brought', person: item.bring }, bring(pairing, item.bring));
    if ('takeOut' in item) return this.#put(takeOut(pairing, item.takeOut));
    const last = pairing.steps.at(-1);
    if (!last) return this.#save();
    this.#say('pair' in last ? { kind: 'undone', pair: last.pair, person: last.pair.person } : { kind: 'undone', person: last.absent }, undo(pairing));
  }

  #say(said: Omit<Said, 'id'>, pairing: Pairing = this.pairing): void {
    this.said = { id: this.#next++, ...said };
    if (pairing === this.pairing) this.#save();
    else this.#put(pairing);
    this.heard(this.said);
  }

  /** Takes what is to be lent. What was not lent until now gets another key. */
  #put(pairing: Pairing): void {
    [this.pairing, this.#key, this.problem] = [pairing, undefined, undefined];
    this.#save();
  }

  #save(): void {
    const { setup, pairing, free, done } = this;
    remember({ lending: { setup, pairing, free, key: this.#key, done, items: this.queue.items } });
  }

  #restore(): Item[] {
    const { setup, pairing = begin([]), free, key, done, items = [] } = recall().lending ?? {};
    [this.setup, this.pairing, this.free, this.#key, this.done] = [setup, pairing, free, key, done];
    return items;
  }
}
