import { browserStorage } from './storage';

export type Theme = 'system' | 'light' | 'dark';

const key = 'library.theme';

class ThemeChoice {
  current = $state<Theme>('system');

  start(): void {
    const saved = document.documentElement.dataset.theme; // early.js has looked for it
    if (saved === 'light' || saved === 'dark') this.#apply(saved);
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
    // The colour that the browser gives its own bars follows, too.
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
      const { theme: own } = meta.dataset;
      meta.media = theme === 'system' ? `(prefers-color-scheme: ${own})` : theme === own ? 'all' : 'not all';
    }
  }
}

export const theme = new ThemeChoice();
