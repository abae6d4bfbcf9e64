import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Relative, so that the server can put the page under any path.
  base: './',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    emptyOutDir: false, // scripts/sweep.mjs does it, and leaves the placeholder
    // Data addresses for scripts would fall foul of the page's policy.
    assetsInlineLimit: 0,
    // The polyfill puts a script into the page; browsers of the last years need none.
    modulePreload: { polyfill: false },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
