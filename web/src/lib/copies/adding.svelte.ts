import type { Book, ImportResult } from '../api/api';
import { bookInput, typedFields, type TypedFields } from '../api/bookfields';
import { isCode } from '../api/codes';
import { Problem, problemFrom } from '../api/problem';
import { bookStore } from '../catalogue/bookstore.svelte';
import { catalogue } from '../catalogue/catalogue.svelte';
import { checkIsbn } from '../catalogue/isbncheck';
import { compactIsbn } from '../catalogue/isbn';
import { filled, lookUp, type Found } from '../catalogue/lookup';
import { session } from '../session/session.svelte';
import { addCopy, looksLikeIsbn, looksLikeScan, rememberBarcode } from './copies';

/** What is waited for: an ISBN, other catalogues, the barcode of a copy of a book that is there, or that of a new one. */
export type Step = 'isbn' | 'busy' | 'copy' | 'new';

/** Why a scan was refused here. */
export type Bad = 'not_isbn' | 'is_isbn' | 'bad_code' | 'no_code';

/** What came of a book, or of a scan that could not be used. */
export interface Entry {
  id: number;
  kind: 'added' | 'copied' | 'skipped' | 'lost';
  title: string;
  book?: string;
  barcode?: string;
}

/** The twelve digits by which ISBNs are the same, whether they have 10 digits or 13. */
function digits(isbn: string): string {
  const compact = compactIsbn(isbn);
  return compact.length === 10 ? '978' + compact.slice(0, 9) : compact.slice(0, 12);
}

/**
 * Adds books one after the other: ISBN, barcode, ISBN, barcode. Scans are worked on in their order, however fast
 * they come; after one that was refused the rest is not guessed at, but listed to be scanned again.
 */
export class Adding {
  step = $state<Step>('isbn');
  /** The book that the library has already. */
  book = $state.raw<Book | undefined>();
  /** The fields of a new one. */
  typed = $state<TypedFields>(typedFields({}));
  /** Its title is to be typed by hand; what is scanned meanwhile waits. */
  typing = $state(false);
  found = $state.raw<Found[]>([]);
  shelf = $state('');
  bad = $state.raw<{ why: Bad; code: string } | undefined>();
  /** Why something was not saved, or why other catalogues say nothing. */
  problem = $state.raw<Problem | undefined>();
  queue = $state.raw<string[]>([]);
  entries = $state.raw<Entry[]>([]);
  #working = false;
  #entries = 0;
  /** Under which a new book is added, once, however often its answer is lost. */
  #identifier = '';

  /** Is called after every scan: it was good, somebody has to type, or it was refused. */
  constructor(private readonly heard: (came: 'done' | 'act' | 'bad') => void) {}

  /** Takes up a new book whose fields were typed before. */
  restore(typed: TypedFields): void {
    this.#identifier = crypto.randomUUID();
    this.typed = typed;
    this.step = 'new';
    this.typing = typed.title.trim() === '';
  }

  /** Takes what came into the box: a title that is waited for, or a scan. What looks like a scan is never a title. */
  enter(text: string): void {
    const code = text.trim();
    if (!this.typing || looksLikeScan(code)) return this.scan(code);
    this.typed.title = code;
    this.goOn();
  }

  scan(code: string): void {
    if (this.typing && code.trim() !== '') this.heard('act');
    else if (this.typing) return;
    this.queue = [...this.queue, code.trim()];
    void this.#work();
  }

  /** The title is there: what was scanned meanwhile goes on. */
  goOn(): void {
    if (this.typed.title.trim() === '') return;
    this.typing = false;
    void this.#work();
  }

  /** Leaves the book and waits for the next one. */
  skip(): void {
    if (this.step === 'busy') return;
    if (this.step === 'new') this.#enter('skipped', this.typed.title || this.typed.isbn);
    this.#begin();
    void this.#work();
  }

  #begin(): void {
    this.step = 'isbn';
    this.typing = false;
    this.book = this.bad = this.problem = undefined;
    this.found = [];
    this.typed = typedFields({});
  }

  #enter(kind: Entry['kind'], title: string, book?: string, barcode?: string): void {
    this.entries = [{ id: ++this.#entries, kind, title, book, barcode }, ...this.entries].slice(0, 500);
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let code = this.queue[0]; code !== undefined && !this.typing; code = this.queue[0]) {
      this.queue = this.queue.slice(1);
      const good = await this.#take(code);
      this.heard(this.typing ? 'act' : good ? 'done' : 'bad');
      if (!good) this.#drop();
    }
    this.#working = false;
  }

  #drop(): void {
    for (const code of this.queue) this.#enter('lost', code);
    this.queue = [];
  }

  async #take(code: string): Promise<boolean> {
    this.bad = this.problem = undefined;
    if (this.step === 'isbn' || (this.step === 'copy' && looksLikeIsbn(code))) {
      return checkIsbn(code) === 'good' ? this.#find(code) : this.#refuse('not_isbn', code);
    }
    if (code === '') return this.step === 'new' ? this.#save() : this.#refuse('no_code', code);
    if (looksLikeIsbn(code)) return this.#refuse('is_isbn', code);
    if (!isCode(code)) return this.#refuse('bad_code', code);
    return this.step === 'new' ? this.#save(code) : this.#copy(code);
  }

  #refuse(why: Bad, code: string): false {
    this.bad = { why, code };
    return false;
  }

  async #find(isbn: string): Promise<boolean> {
    this.#begin();
    this.step = 'busy';
    try {
      const { items } = await session.api.books({ q: compactIsbn(isbn) }, 20);
      this.book = items.find((book) => book.isbn && digits(book.isbn) === digits(isbn));
    } catch (thrown) {
      this.problem = problemFrom(thrown);
      this.step = 'isbn';
      return false;
    }
    if (this.book) {
      this.step = 'copy';
      return true;
    }
    this.#identifier = crypto.randomUUID();
    try {
      if (session.me?.lookup) this.found = await lookUp(isbn);
    } catch (thrown) {
      this.problem = problemFrom(thrown); // it can be typed
    }
    this.typed = filled(typedFields({ isbn }), this.found);
    this.step = 'new';
    this.typing = this.typed.title === '';
    return true;
  }

  async #copy(barcode: string): Promise<boolean> {
    const book = this.book;
    if (!book) return false;
    this.step = 'busy';
    try {
      await addCopy(book.identifier, { barcode, shelf: this.shelf.trim() || undefined });
    } catch (thrown) {
      this.problem = problemFrom(thrown);
      this.step = 'copy';
      return false;
    }
    this.#done('copied', book.title, book.identifier, barcode);
    return true;
  }

  /** Adds the book and its copy at once: there is never one without the other. */
  async #save(barcode?: string): Promise<boolean> {
    this.step = 'busy';
    try {
      const input = { ...bookInput(this.typed), identifier: this.#identifier, copies: 1, shelf: this.shelf.trim() || undefined, ...(barcode && { barcode: [barcode] }) };
      const { data } = await session.api.ask('post', '/imports/books', { body: [input] });
      const [result] = data as unknown as ImportResult[];
      if (result?.outcome !== 'added' && result?.outcome !== 'unchanged') throw new Problem('invalid', result?.code, result?.message, result?.details);
      this.#done('added', input.title, result.identifier, barcode);
      return true;
    } catch (thrown) {
      this.problem = problemFrom(thrown);
      this.step = 'new';
      return false;
    }
  }

  #done(kind: Entry['kind'], title: string, book?: string, barcode?: string): void {
    if (barcode) rememberBarcode(barcode);
    if (book) void bookStore.markStale(book);
    catalogue.invalidate();
    this.#enter(kind, title, book, barcode);
    this.#begin();
  }
}
