import { isCode } from '../api/codes';
import { Problem, problemFrom } from '../api/problem';
import { checkIsbn } from '../catalogue/isbncheck';
import type { Sound } from '../desk/sound';
import type { StationApi, Visitor } from './stationapi';

/** What a scan has come to. */
export interface Line {
  id: number;
  kind: 'borrowed' | 'returned' | 'aside' | 'refused';
  title: string;
  authors?: string[];
  dueAt?: string;
  /** Why it was refused: a code of the library, or one of ours. */
  code?: string;
  /** The copy that may be given back instead. */
  barcode?: string;
}

const visitTime = 20; // seconds without input that end a visit
const warnTime = 10; // seconds before that
const twice = 2000; // milliseconds within which the same code is the same scan

/** Refusals after which the person may want to give the copy back. */
const mayReturn = ['has_it', 'copy_on_loan', 'already_borrowed'];

/**
 * Visit is one person at a station, from the card to the end, or somebody who gives books back without one. Nothing of it
 * is kept anywhere else, and all of it is forgotten at the end. What is scanned is done in order.
 */
export class Visit {
  person = $state.raw<Visitor>();
  lines = $state.raw<Line[]>([]);
  /** What the last scan has come to. */
  last = $state.raw<Line>();
  busy = $state(false);
  /** Seconds until the visit ends, once there is a warning. */
  left = $state<number>();
  /** Grows with the end of each visit: an answer that comes later is nobody's. */
  era = $state(0);
  #card = '';
  #work: (() => Promise<void>)[] = [];
  #before: { code: string; at: number } | undefined;
  #touched = 0;
  #next = 1;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly api: StationApi,
    private readonly play: (sound: Sound) => void,
    /** Called when the station itself may not go on. */
    private readonly closed: (problem: Problem) => void,
    private readonly ended: () => void,
  ) {}

  get open(): boolean {
    return this.person !== undefined || this.last !== undefined || this.lines.length > 0;
  }

  /** Somebody is there. */
  touch(): void {
    this.#touched = Date.now();
    this.left = undefined;
    this.#timer ??= setInterval(() => this.#tick(), 500);
  }

  #tick(): void {
    if (this.busy) this.#touched = Date.now();
    const left = visitTime - Math.floor((Date.now() - this.#touched) / 1000);
    if (left <= 0) this.end();
    else this.left = left <= warnTime && this.open ? left : undefined;
  }

  scan(text: string): void {
    const code = text.trim();
    if (code === '') return;
    this.touch();
    const [before, at] = [this.#before, Date.now()];
    this.#before = { code, at };
    if (before?.code === code && at - before.at < twice) return;
    this.#do(() => this.#scan(code));
  }

  /** Ends the visit after what was scanned before. */
  done(): void {
    this.#do(() => Promise.resolve(this.end()));
  }

  /** Gives back what was scanned to borrow. */
  giveBack({ barcode = '' }: Line): void {
    this.touch();
    this.#do(() => this.#giveBack(barcode));
  }

  /** Forgets everything, for the next person. */
  end(): void {
    this.#forget();
    this.ended();
  }

  #forget(): void {
    this.era++;
    clearInterval(this.#timer);
    this.#timer = this.#before = this.person = this.last = this.left = undefined;
    this.#card = '';
    this.#work = [];
    this.lines = [];
    this.busy = false;
  }

  #do(work: () => Promise<void>): void {
    this.#work.push(work);
    if (!this.busy) void this.#go();
  }

  async #go(): Promise<void> {
    const era = this.era;
    this.busy = true;
    for (let work = this.#work.shift(); work && era === this.era; work = this.#work.shift()) await work();
    if (era === this.era) this.busy = false;
  }

  /** Asks the library; the answer counts only in the visit in which it was asked for. Refusals are returned. */
  async #ask<T>(work: Promise<T>): Promise<T | Problem | undefined> {
    const era = this.era;
    const answer = await work.catch((thrown: unknown) => problemFrom(thrown));
    if (era !== this.era) return undefined;
    this.touch();
    return answer;
  }

  async #scan(code: string): Promise<void> {
    if (!isCode(code)) this.#say({ kind: 'refused', title: '', code: 'unknown_code' });
    else if (this.person && code === this.#card) this.end();
    else if (this.person) await this.#lend(code);
    else await this.#giveBack(code);
  }

  async #lend(barcode: string): Promise<void> {
    const loan = await this.#ask(this.api.lend(this.#card, barcode));
    if (!(loan instanceof Problem)) {
      if (loan) this.#say({ kind: 'borrowed', ...loan.book, dueAt: loan.dueAt });
    } else if (loan.code === 'unknown_code') await this.#greet(barcode);
    else this.#refuse(loan, mayReturn.includes(loan.code) ? barcode : undefined);
  }

  async #giveBack(barcode: string): Promise<void> {
    const back = await this.#ask(this.api.takeBack(barcode));
    if (!(back instanceof Problem)) {
      if (back) this.#say({ kind: back.setAside ? 'aside' : 'returned', ...back.book });
    } else if (back.code === 'unknown_code' && !this.person) await this.#greet(barcode);
    else this.#refuse(back);
  }

  /** Takes a code that no book has for a card: somebody comes, perhaps before the one before has ended the visit. */
  async #greet(card: string): Promise<void> {
    // An ISBN is on every book, and a station may try few cards.
    if (checkIsbn(card) === 'good') return this.#say({ kind: 'refused', title: '', code: 'isbn' });
    const person = await this.#ask(this.api.visitor(card));
    if (person instanceof Problem) return this.#refuse(person);
    if (!person) return;
    const [work, before] = [this.#work, this.#before];
    // Whoever has chosen a language before the card keeps it.
    if (this.person) this.end();
    else this.#forget();
    this.#work = work;
    this.#before = before;
    this.busy = true;
    this.#card = card;
    this.person = person;
    this.touch();
    this.play('done');
    void this.#go();
  }

  #refuse(problem: Problem, barcode?: string): void {
    if (['ended', 'unregistered', 'forbidden'].includes(problem.kind)) {
      this.end();
      return this.closed(problem);
    }
    this.#say({ kind: 'refused', title: '', code: problem.code || problem.kind, barcode });
  }

  #say(line: Omit<Line, 'id'>): void {
    const made = { ...line, id: this.#next++ };
    this.last = made;
    if (line.kind !== 'refused') this.lines = [made, ...this.lines];
    this.play(line.kind === 'refused' ? 'bad' : line.kind === 'aside' ? 'act' : 'done');
  }
}
