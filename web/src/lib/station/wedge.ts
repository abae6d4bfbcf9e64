const quick = 60; // milliseconds for a key, on average: nobody types so fast
const pauses = { quick: 250, slow: 1200 }; // after which a code is over that nothing has ended
const late = 2000; // milliseconds after a code within which an end still belongs to it

/**
 * Wedge puts together what a scanner types. Some end a code with Enter or a tab, and some with nothing: then a pause ends
 * it, a short one after fast keys.
 */
export class Wedge {
  text = '';
  #began = 0;
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly code: (text: string) => void) {}

  /** Takes a key; reports whether it belongs to a code. In a box somebody may type by hand, which no pause ends. */
  key(key: string, time: number, box = false): boolean {
    const ends = key === 'Enter' || key === 'Tab';
    if (ends && this.text === '') return time - this.#last < late;
    if (!ends && (key.length !== 1 || (key === ' ' && this.text === ''))) return false;
    clearTimeout(this.#timer);
    this.#last = time;
    if (ends) this.#end();
    else {
      if (this.text === '') this.#began = time;
      this.text += key;
      const pace = (time - this.#began) / Math.max(1, this.text.length - 1);
      const isQuick = this.text.length > 3 && pace < quick;
      if (isQuick || !box) this.#timer = setTimeout(() => this.#end(), isQuick ? pauses.quick : pauses.slow);
    }
    return true;
  }

  /** Forgets what was typed so far. */
  clear(): void {
    clearTimeout(this.#timer);
    this.text = '';
  }

  #end(): void {
    const text = this.text;
    this.clear();
    this.code(text);
  }
}
