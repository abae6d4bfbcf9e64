import { browserStorage } from './storage';

export type Theme = 'system' | 'light' | 'dark';

const key = 'library.theme';

class ThemeChoice {
  current = $state<Theme>('system');

  start(): void {
    const kept = document.documentElement.dataset.theme; // early.js has looked for it
    if (kept === 'light' || kept === 'dark') this.#apply(kept);
  }

  choose(theme: Theme): void {
    this.#apply(theme);
    if (theme === 'system') browserStorage.removeItem(key);
    else browserStorage.setItem(key, theme);
  }

  #apply(theme: Theme): void {
    this.current = theme;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}

export const theme = new ThemeChoice();
