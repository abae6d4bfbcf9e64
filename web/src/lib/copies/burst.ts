import { looksLikeScan } from './copies';

const perKey = 50; // milliseconds: a scanner types faster than anybody, on average
const pause = 250; // milliseconds: a busy machine delays a key, but not for so long

/** Burst tells a scan from typing by its speed. One late key does not split a scan. */
export class Burst {
  #text = '';
  #began = 0;
  #last = 0;
  #field: unknown;

  /** Takes a key that was pressed in a field; returns the scan that Enter ends there, or ''. */
  key(key: string, field: unknown, time: number): string {
    const goesOn = field === this.#field && time - this.#last < pause;
    this.#last = time;
    this.#field = field;
    if (!goesOn) [this.#text, this.#began] = ['', time];
    if (key.length === 1) this.#text += key;
    if (key !== 'Enter') return '';
    const [text, took] = [this.#text, time - this.#began];
    this.#field = undefined; // the next key begins anew
    return text.length > 3 && took < text.length * perKey && looksLikeScan(text) ? text : '';
  }
}
