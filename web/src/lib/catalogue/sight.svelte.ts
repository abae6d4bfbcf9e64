import { flushSync, untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import { long } from './long';

/** Books that come and go together. */
const size = 6;
/** Screens above and below the one that is seen. After each that is scrolled, books come and go: that lays out the whole list. */
const margin = 2;

/** How high books were when they were last there, by identifier, in a list of one width. */
class Heights {
  width = 0;
  of = new Map<string, number>();
}

/** For somebody who comes back to a list: of cards, and of rows. */
const kept = { cards: new Heights(), rows: new Heights() };

/**
 * Which books of a long list are near enough to be drawn. Of the others only the room is there that they take.
 * docs/performance.md has the figures.
 */
export class Sight {
  /** The groups that are far, by their number. */
  #far: SvelteSet<number>;
  #ids: readonly string[] = [];
  #list: Element | undefined;
  #seen = 0;
  #heights: Heights;

  constructor(
    kind: keyof typeof kept,
    private readonly ids: () => readonly string[],
  ) {
    this.#heights = kept[kind];
    // Of a list that somebody comes back to, what was measured is far until it is looked at.
    this.#ids = untrack(ids);
    this.#far = new SvelteSet(Array.from({ length: Math.ceil(this.#ids.length / size) }, (_, at) => at).filter((at) => this.#isKnown(at)));
  }

  near(index: number, id: string): boolean {
    return !this.#far.has(Math.floor(index / size)) || !this.#heights.of.has(id);
  }

  /** Leaves room for a book that is far. */
  room = (id: string) => (element: HTMLElement): void => {
    element.style.blockSize = `${this.#heights.of.get(id) ?? 0}px`;
  };

  /** Follows the list, whose items are those of the identifiers. */
  watch = (list: Element): (() => void) => {
    const moved = (): void => void (Math.abs(scrollY - this.#seen) < innerHeight || this.#look());
    const resized = (): void => this.#look();
    const whole = (): void => flushSync(() => this.#far.clear());
    this.#list = list;
    this.#ids = this.ids();
    untrack(() => this.#begin(list));
    addEventListener('scroll', moved, { passive: true });
    addEventListener('resize', resized);
    addEventListener('beforeprint', whole);
    return () => {
      removeEventListener('scroll', moved);
      removeEventListener('resize', resized);
      removeEventListener('beforeprint', whole);
    };
  };

  #begin({ clientWidth }: Element): void {
    if (clientWidth !== this.#heights.width) this.#heights.of.clear();
    this.#heights.width = clientWidth;
    // Others may stand where something far was; their heights are not known yet.
    for (const at of [...this.#far]) if (at * size >= this.#ids.length || !this.#isKnown(at)) this.#far.delete(at);
    this.#look();
  }

  #members = (at: number): readonly string[] => this.#ids.slice(at * size, (at + 1) * size);
  #isKnown = (at: number): boolean => this.#members(at).every((id) => this.#heights.of.has(id));

  #look(): void {
    const { length } = this.#ids;
    if (!this.#list) return;
    this.#seen = scrollY;
    const [first, last] = length > long ? [this.#at(-margin * innerHeight), this.#at((margin + 1) * innerHeight)] : [0, length];
    const leaving: number[] = [];
    for (let at = 0; at * size < length; at++) {
      const near = (at + 1) * size > first && at * size <= last;
      if (near) this.#far.delete(at);
      else if (!this.#far.has(at) && this.#measure(at)) leaving.push(at);
    }
    for (const at of leaving) this.#far.add(at);
  }

  /** Notes how high the books of a group are, unless the focus is in one: that would be lost. */
  #measure(at: number): boolean {
    const books = this.#members(at).map((_, i) => this.#list?.children[at * size + i]?.firstElementChild);
    if (books.some((book) => !book || book.contains(document.activeElement))) return false;
    this.#members(at).forEach((id, i) => this.#heights.of.set(id, books[i]?.getBoundingClientRect().height ?? 0));
    return true;
  }

  /** The item that is, or would be, at that height of the screen. */
  #at(y: number): number {
    const items = this.#list?.children ?? [];
    let [low, high] = [0, items.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((items[middle]?.getBoundingClientRect().bottom ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
