import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, rmSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Empties dist but for the placeholder, which is in the repository. */
function sweep() {
  return {
    name: 'sweep',
    apply: 'build' as const,
    buildStart() {
      for (const name of readdirSync('dist')) {
        if (!name.startsWith('.git')) rmSync(`dist/${name}`, { recursive: true });
      }
    },
  };
}

export default defineConfig({
  // Relative, so that the server can put the page under any path.
  base: './',
  plugins: [svelte(), sweep()],
  build: {
    target: 'es2022',
    // Data addresses for scripts or fonts would fall foul of the page's policy.
    assetsInlineLimit: 0,
    // The polyfill puts a script into the page; browsers of the last years need none.
    modulePreload: { polyfill: false },
    emptyOutDir: false,
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
