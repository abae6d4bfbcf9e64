import { onDestroy, tick, untrack } from 'svelte';
import { asking } from './dialog.svelte';
import { detailWords } from './details';
import { fieldErrors, Problem, problemFrom } from './problem';
import { router } from './router.svelte';
import { session } from './session.svelte';
import { staff } from './staff.svelte';
import { i18n } from './i18n.svelte';

export type Errors<T> = Partial<Record<keyof T | '', string>>;

/**
 * A form: what was typed, what is wrong with it, and whether it would be lost.
 * It is made while a component is being set up, and belongs to that component.
 */
export class Form<T extends object> {
  values = $state() as T;
  errors = $state.raw<Errors<T>>({});
  saving = $state(false);
  /** What was typed before the session ended is back. */
  restored = $state(false);
  /** Somebody else has saved a newer version. */
  outdated = $state(false);
  problem = $state.raw<Problem | undefined>();
  #clean: string;
  /** Says again what is wrong: the reader may want it in another language. */
  #retell = (): void => undefined;
  #path = router.path;
  #visit = router.visit;
  #guard = (): Promise<boolean> => this.#leave();

  constructor(
    empty: T,
    private readonly check: (values: T) => Errors<T>,
  ) {
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
    $effect(() => {
      void staff.t;
      untrack(() => this.#retell());
    });
    onDestroy(() => {
      forget();
      removeEventListener('beforeunload', warn);
      this.#unguard();
    });
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

  /** Starts from these values, or from what was typed before the session ended. */
  fill(values: T): void {
    this.values = values;
    this.#clean = JSON.stringify(values);
    this.errors = {};
    this.#retell = () => undefined;
    this.problem = undefined;
    this.outdated = false;
    this.restored = false;
    const draft = untrack(() => session.drafts.take(this.#path, session.me?.identifier ?? ''));
    if (draft === undefined) return;
    this.values = { ...values, ...(draft as T) };
    this.restored = true;
  }

  #leave(): Promise<boolean> {
    const t = staff.t.form;
    return asking.ask({ title: t.leaveTitle, text: t.leaveText, yes: t.leaveYes, no: t.leaveNo, danger: true });
  }

  /** Checks, saves, and puts what is wrong beside the fields. Says whether it was saved. */
  async submit(form: HTMLFormElement, save: () => Promise<void>): Promise<boolean> {
    if (this.saving) return false;
    this.problem = undefined;
    this.#retell = () => void (this.errors = this.check(this.values));
    this.#retell();
    if (Object.keys(this.errors).length > 0) return this.#point(form);
    this.saving = true;
    const sent = JSON.stringify(this.values);
    try {
      await save();
      this.#clean = sent;
      this.#unguard();
      if (this.here) asking.answer(false); // what the question is about is saved
      return true;
    } catch (thrown) {
      const problem = problemFrom(thrown);
      if (problem.kind === 'ended' || !this.here) return false; // a dialog says so, or nobody is there to be told
      if (problem.kind === 'outdated') this.outdated = true;
      else {
        this.#retell = () => this.#assign(problem);
        this.#retell();
      }
      return this.#point(form);
    } finally {
      this.saving = false;
    }
  }

  /** Says what went wrong beside what was typed, which stays. */
  fail(thrown: unknown): void {
    const problem = problemFrom(thrown);
    if (problem.kind !== 'ended') this.problem = problem;
  }

  #assign(problem: Problem): void {
    const words = problem.details.map((d) => ({ field: d.field, message: detailWords(d, staff.t, (n) => i18n.number(n)) }));
    const errors = fieldErrors(new Problem(problem.kind, problem.code, '', words)) as Errors<T>;
    if (problem.code === 'email_taken') Object.assign(errors, { email: i18n.t.codes.email_taken });
    const known = Object.keys(errors).filter((k) => k in this.values);
    if (known.length > 0) this.errors = errors;
    else this.problem = problem;
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
