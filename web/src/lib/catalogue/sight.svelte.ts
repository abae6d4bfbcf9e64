import { flushSync, untrack } from 'svelte';
import { long } from './long';

/** Screens above and below the one that is seen: books that are nearer are drawn. */
const margin = 2;
/** The part of a screen after which books come and go: few at a time, so that no frame waits for many. */
const step = 1 / 3;

/**
 * How high the row of each book was when it was last there, up to the next row: of cards, and of rows. For somebody who
 * comes back to a list, or turns the phone, that is near enough until the books are there again.
 */
const kept = { cards: new Map<string, number>(), rows: new Map<string, number>() };

/** What makes an item the empty room of books that are far. */
export type Room = (item: HTMLElement) => void;

/** From a book up to another, by their places in the list. */
type Span = readonly [first: number, end: number];

/** Where the rows of a list begin, and last where it ends; and the books whose rows were never there. */
interface Plan {
  ids: readonly string[];
  tops: readonly number[];
  unknown: readonly Span[];
}

/**
 * What is drawn of a long list: the books that are near and, in the place of those that are far, room, so that the
 * page has as many elements however long the list is. docs/performance.md has the figures.
 */
export class Sight {
  /** Identifiers of books, and room for others. */
  parts: readonly (string | Room)[] = $derived.by(() => this.#divide(this.ids(), this.#near));
  /** What is to be drawn; nothing of a list that somebody comes back to until it is looked at. */
  #near = $state.raw<readonly Span[]>([]);
  #seen = 0;
  #columns = 1;
  #gap = 0;
  /** Made again when the list or a height has changed, and not whenever somebody scrolls. */
  #plan: Plan | undefined;
  #heights: Map<string, number>;

  constructor(
    kind: keyof typeof kept,
    private readonly ids: () => readonly string[],
  ) {
    this.#heights = kept[kind];
  }

  /** Follows the list, whose items are the parts. */
  watch = (list: Element): (() => void) => {
    const moved = (): void => void (Math.abs(scrollY - this.#seen) < innerHeight * step || this.#look(list));
    const resized = (): void => this.#begin(list);
    const whole = (): void => flushSync(() => void (this.#near = [[0, Infinity]]));
    this.ids();
    untrack(() => this.#begin(list));
    $effect(() => this.#number(list));
    addEventListener('scroll', moved, { passive: true });
    addEventListener('resize', resized);
    addEventListener('beforeprint', whole);
    return () => {
      removeEventListener('scroll', moved);
      removeEventListener('resize', resized);
      removeEventListener('beforeprint', whole);
    };
  };

  #begin(list: Element): void {
    const { gridTemplateColumns, rowGap } = getComputedStyle(list);
    this.#columns = gridTemplateColumns.split(' ').length;
    this.#gap = parseFloat(rowGap) || (list.lastElementChild ? parseFloat(getComputedStyle(list.lastElementChild).marginBlockStart) : 0);
    this.#plan = undefined;
    this.#look(list);
  }

  #look(list: Element): void {
    const ids = this.ids();
    this.#seen = scrollY;
    this.#measure(list);
    this.#near = ids.length > long ? [this.#inSight(list), ...this.#focused(list)] : [[0, Infinity]];
  }

  /** Notes how high every row is that is drawn. */
  #measure(list: Element): void {
    let [row, next] = [Infinity, list.getBoundingClientRect().bottom + this.#gap];
    for (let i = this.parts.length - 1; i >= 0; i--) {
      const top = list.children[i]?.getBoundingClientRect().top ?? 0;
      if (top < row && row < Infinity) next = row;
      row = top;
      const part = this.parts[i];
      if (typeof part !== 'string' || this.#heights.get(part) === next - top) continue;
      this.#heights.set(part, next - top);
      this.#plan = undefined;
    }
  }

  /** The books that are near the screen. */
  #inSight(list: Element): Span {
    const { tops } = this.#planFor(this.ids());
    const { top } = list.getBoundingClientRect();
    const rowAt = (y: number): number => {
      let [low, high] = [0, tops.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((tops[middle] ?? 0) <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    return [rowAt(-margin * innerHeight - top) * this.#columns, (rowAt((margin + 1) * innerHeight - top) + 1) * this.#columns];
  }

  /** The book that has the focus, which would be lost. */
  #focused(list: Element): Span[] {
    const item = [...list.children].findIndex((item) => item.contains(document.activeElement));
    const at = item < 0 ? -1 : this.ids().indexOf(String(this.parts[item]));
    return at < 0 ? [] : [[at, at + 1]];
  }

  /** Says which of how many books each is, since not all are there to be counted. */
  #number({ children }: Element): void {
    const ids = this.ids();
    let at = -1;
    for (const [i, part] of this.parts.entries()) {
      const item = children[i];
      if (typeof part !== 'string' || !item) continue;
      at = ids[at + 1] === part ? at + 1 : ids.indexOf(part);
      const [place, size] = [String(at + 1), String(ids.length)];
      if (item.ariaPosInSet !== place || item.ariaSetSize !== size) Object.assign(item, { ariaPosInSet: place, ariaSetSize: size });
    }
  }

  #planFor(ids: readonly string[]): Plan {
    if (this.#plan?.ids === ids) return this.#plan;
    const tops = [0];
    const unknown: [number, number][] = [];
    for (let at = 0; at < ids.length; at += this.#columns) {
      const row = ids.slice(at, at + this.#columns).map((id) => this.#heights.get(id));
      tops.push((tops.at(-1) ?? 0) + (row[0] ?? 0));
      const last = unknown.at(-1);
      if (!row.includes(undefined)) continue;
      if (last?.[1] === at) last[1] += row.length;
      else unknown.push([at, at + row.length]);
    }
    return (this.#plan = { ids, tops, unknown });
  }

  #divide(ids: readonly string[], near: readonly Span[]): (string | Room)[] {
    const { tops, unknown } = this.#planFor(ids);
    const parts: (string | Room)[] = [];
    let done = 0; // in rows
    const leave = (row: number): void => {
      if (row > done) parts.push(room((tops[row] ?? 0) - (tops[done] ?? 0) - this.#gap));
      done = Math.max(done, row);
    };
    for (const [first, end] of [...near, ...unknown].sort(([a], [b]) => a - b)) {
      leave(Math.floor(first / this.#columns));
      const next = Math.min(tops.length - 1, Math.ceil(end / this.#columns));
      parts.push(...ids.slice(done * this.#columns, next * this.#columns));
      done = Math.max(done, next);
    }
    leave(tops.length - 1);
    return parts;
  }
}

const room = (height: number): Room => (item) => {
  item.ariaHidden = 'true';
  Object.assign(item.style, { blockSize: `${height}px`, padding: 0, border: 0, gridColumn: '1 / -1' });
};
