import type { Policy } from '../api/api';
import { sayDate, sayDay, sayDue, type Where } from './due';
import { i18n } from '../text/i18n.svelte';
import { session } from '../session/session.svelte';

/** Says when things are, in the library's time zone and the reader's language. */
class Dates {
  /** The rules of the library, once they are read. */
  policy = $state.raw<Policy | undefined>();
  /** The time, to the minute: a page that is left open knows what is overdue. */
  now = $state(Date.now());

  /** The library's time zone; until it is known, that of the browser is the best guess. */
  get zone(): string {
    return this.policy?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  get where(): Where {
    return { zone: this.zone, now: this.now, language: i18n.language };
  }

  /** Reads the rules, and looks at the clock until the returned function is called. */
  start(): () => void {
    const look = (): void => void (this.now = Date.now());
    look();
    void this.read().catch(() => undefined);
    const timer = setInterval(look, 30_000);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }

  async read(): Promise<void> {
    this.policy = (await session.api.ask('get', '/policy', {})).data;
  }

  /** No line ends between a day and its month. */
  #whole(text: string): string {
    return text.replace(/(\d\.?) (?=\p{L})/u, '$1\u00a0');
  }

  /** “tomorrow”, “Friday”, “Friday, 12 December” */
  day(instant: string): string {
    return this.#whole(sayDay(instant, this.where));
  }

  /** “Friday, 12 December” */
  date(instant: string): string {
    return this.#whole(sayDate(instant, this.where));
  }

  /** “Due tomorrow”, “3 days overdue” */
  due(dueAt: string): string {
    return this.#whole(sayDue(dueAt, this.where, i18n.t.due));
  }

  /** The browser's word, or the server's: whichever notices first. */
  overdue(loan: { dueAt?: string; overdue: boolean; claimedAt?: string }): boolean {
    return loan.overdue || loan.claimedAt === undefined && loan.dueAt !== undefined && Date.parse(loan.dueAt) < this.now;
  }
}

export const dates = new Dates();
