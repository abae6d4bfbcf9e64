export interface Toast {
  id: number;
  text: string;
  bad: boolean;
  /** What it is about: a newer toast on the same topic takes its place. */
  topic: string;
  action?: { label: string; run: () => void };
  /** It stays until somebody closes it. */
  lasting?: boolean;
}

const shown = 9000;

class Toasts {
  all = $state.raw<Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  show(text: string, action?: Toast['action'], topic = ''): void {
    this.#add({ id: this.#next++, text, bad: false, topic, action });
  }

  error(text: string, topic = '', action?: Toast['action'], lasting = false): void {
    this.#add({ id: this.#next++, text, bad: true, topic, action, lasting });
  }

  #add(toast: Toast): void {
    for (const old of this.all) if (toast.topic !== '' && old.topic === toast.topic) this.drop(old.id);
    // Two at most: more would hide what they talk about.
    for (const old of this.all.filter((t) => !t.lasting).slice(0, -1)) this.drop(old.id);
    this.all = [...this.all, toast];
    this.#arm(toast);
  }

  #arm({ id, lasting }: Toast): void {
    if (!lasting) this.#timers.set(id, setTimeout(() => this.drop(id), shown));
  }

  /** Keeps all of them while somebody reads or reaches for one. */
  hold(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  release(): void {
    this.hold();
    for (const toast of this.all) this.#arm(toast);
  }

  clear(): void {
    this.hold();
    this.all = [];
  }

  drop(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.all = this.all.filter((t) => t.id !== id);
  }
}

export const toasts = new Toasts();
