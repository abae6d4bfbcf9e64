import { onDestroy, tick, untrack } from 'svelte';
import { confirmDialog } from '../shell/dialog.svelte';
import { detailText } from '../text/details';
import { fieldErrors, problemFrom, type Problem } from '../api/problem';
import { router } from '../shell/router.svelte';
import { session } from '../session/session.svelte';
import { staff } from '../text/staff.svelte';
import { i18n } from '../text/i18n.svelte';

export type Errors<T> = Partial<Record<keyof T | '', string>>;

/** What a form edits, with the tag of the version that was read: the two belong together. */
export interface Versioned {
  etag: string;
}

/** Refusals that concern one field. */
const taken: Partial<Record<string, string>> = { email_taken: 'email', card_taken: 'card' };

/**
 * A form: what was typed, what is wrong with it, and whether it would be lost.
 * It is made while a component is being set up, and belongs to that component.
 */
export class Form<T extends Versioned> {
  values = $state() as T;
  saving = $state(false);
  /** There is something to edit. */
  ready = $state(false);
  /** Why there is nothing to edit. */
  missing = $state.raw<Problem | undefined>();
  /** What was typed before the session ended is back. */
  restored = $state(false);
  /** Somebody else has saved a newer version. */
  outdated = $state(false);
  /** That version, to compare, once it is read. */
  newer = $state.raw<T | undefined>();
  /** What was typed when the newer version was taken in its place. */
  aside = $state.raw<T | undefined>();
  problem = $state.raw<Problem | undefined>();
  /** What was found wrong, and with which values. */
  #validation = $state.raw<{ values: T; errors: () => Errors<T> } | undefined>();
  #clean: string;
  #path = router.path;
  #visit = router.visit;
  #guard = (): Promise<boolean> => this.#leave();

  /** What is wrong with the fields. One that has changed since is checked again, without asking the library. */
  errors = $derived.by((): Errors<T> => {
    const validation = this.#validation;
    if (!validation) return {};
    const now = this.#check(this.values);
    const still: Errors<T> = {};
    for (const [name, message] of Object.entries(validation.errors()) as [keyof T, string][]) {
      const same = JSON.stringify(this.values[name]) === JSON.stringify(validation.values[name]);
      const error = same ? message : now[name];
      if (error) still[name] = error;
    }
    return still;
  });
  readonly #check: (values: T) => Errors<T>;
  readonly #read: () => Promise<T>;

  /** The values are read with `read`; `check` finds what the library would refuse. */
  constructor(empty: T, check: (values: T) => Errors<T>, read: () => Promise<T>) {
    this.#check = check;
    this.#read = read;
    this.values = empty;
    this.#clean = JSON.stringify(empty);
    const forget = session.drafts.watch(this.#path, () => (this.dirty ? $state.snapshot(this.values) : undefined));
    const warn = (event: BeforeUnloadEvent): void => {
      if (this.dirty && !session.leaving) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    $effect(() => {
      if (this.dirty) router.guard = this.#guard;
      else this.#unguard();
    });
    onDestroy(() => {
      forget();
      removeEventListener('beforeunload', warn);
      this.#unguard();
    });
    untrack(() => void this.load());
  }

  /** Whether the reader is still at this form: an answer may come late. */
  get here(): boolean {
    return router.visit === this.#visit;
  }

  #unguard(): void {
    if (router.guard === this.#guard) router.guard = undefined;
  }

  get dirty(): boolean {
    return JSON.stringify(this.values) !== this.#clean;
  }

  /** Reads what is to be edited, or takes what was typed before the session ended. */
  async load(): Promise<void> {
    this.missing = undefined;
    try {
      this.#fill(await this.#read());
      this.ready = true;
    } catch (thrown) {
      this.missing = problemFrom(thrown);
      return;
    }
    const draft = untrack(() => session.drafts.take(this.#path, session.me?.identifier ?? ''));
    if (draft === undefined) return;
    this.values = { ...this.values, ...(draft as T) };
    this.restored = true;
  }

  #fill(values: T): void {
    this.values = { ...values };
    this.#clean = JSON.stringify(values);
    this.#validation = undefined;
    this.problem = undefined;
    this.outdated = false;
    this.restored = false;
  }

  /** The record was changed beside the fields of the form: what is typed belongs to its new version. */
  adopt(etag: string): void {
    this.#clean = JSON.stringify({ ...(JSON.parse(this.#clean) as T), etag });
    this.values.etag = etag;
  }

  #leave(): Promise<boolean> {
    const t = staff.t.form;
    return confirmDialog.ask({ title: t.leaveTitle, text: t.leaveText, yes: t.leaveYes, no: t.leaveNo, danger: true });
  }

  /** Says whether there is something that the library would not take, as far as that is known here. */
  #faulty(): boolean {
    this.problem = undefined;
    const values = $state.snapshot(this.values) as T;
    this.#validation = { values, errors: () => this.#check(values) };
    return Object.keys(this.errors).length > 0;
  }

  /** The values, to ask the library about; none if something is wrong, and then the reader is taken there. */
  async checked(form: HTMLFormElement): Promise<T | undefined> {
    if (!this.#faulty()) return $state.snapshot(this.values) as T;
    await this.#point(form);
    return undefined;
  }

  /** Checks, saves, and puts what is wrong beside the fields. Says whether it was saved. */
  async submit(form: HTMLFormElement, save: () => Promise<void>): Promise<boolean> {
    if (this.saving) return false;
    if (this.#faulty()) return this.#point(form);
    const values = $state.snapshot(this.values) as T;
    this.saving = true;
    try {
      await save();
      this.#clean = JSON.stringify(values);
      this.aside = undefined;
      this.#unguard();
      if (this.here) confirmDialog.answer(false); // what the question is about is saved
      return true;
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.kind === 'ended' || !this.here) return false; // a dialog says so, or the page was left
      if (problem.kind === 'outdated') await this.#compare();
      else return this.refuse(form, problem, values);
      return this.#point(form);
    } finally {
      this.saving = false;
    }
  }

  /** Reads the newer version. What was typed stays, whatever comes of it. */
  async #compare(): Promise<T | undefined> {
    this.outdated = true;
    this.aside = undefined;
    this.newer = undefined;
    try {
      this.newer = await this.#read();
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.kind !== 'ended') this.problem = problem;
    }
    return this.newer;
  }

  /** Puts the newer version in the place of what was typed, which can be had back. */
  async takeNewer(): Promise<boolean> {
    this.problem = undefined;
    const newer = this.newer ?? (await this.#compare());
    if (!newer) return false;
    this.aside = $state.snapshot(this.values) as T;
    this.#fill(newer);
    return true;
  }

  /** What was typed is back, and to be compared again. */
  undoTake(): void {
    if (!this.aside) return;
    this.values = { ...this.aside };
    this.aside = undefined;
    this.outdated = true;
  }

  /** Keeps what was typed, to be saved over the version that it was compared with. */
  async keepMine(): Promise<boolean> {
    this.problem = undefined;
    const newer = this.newer ?? (await this.#compare());
    if (!newer) return false;
    this.values.etag = newer.etag;
    this.outdated = false;
    return true;
  }

  /** Puts beside the fields why the library has refused these values, and takes the reader there. */
  refuse(form: HTMLFormElement, problem: Problem, values: T): Promise<false> {
    const errors = (): Errors<T> => {
      const found = fieldErrors(problem.details, (d) => detailText(d, staff.t, (n) => i18n.number(n))) as Errors<T>;
      const field = taken[problem.code];
      return field ? Object.assign(found, { [field]: staff.t.codes[problem.code as keyof typeof staff.t.codes] }) : found;
    };
    if (Object.keys(errors()).some((name) => name in values)) this.#validation = { values, errors };
    else this.problem = problem;
    return this.#point(form);
  }

  /** Takes the reader to the first field that needs another look. */
  async #point(form: HTMLFormElement): Promise<false> {
    await tick();
    form.querySelector<HTMLElement>('[aria-invalid="true"], [data-summary]')?.focus();
    return false;
  }
}

/** The length as the library counts it: in code points. */
export function length(text: string): number {
  return [...text].length;
}
