import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Puts src/early.js into the head as a plain script, which the first paint waits for. Vite itself makes modules only. */
function early(): Plugin {
  return {
    name: 'early',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: 'src/early.js', name: 'early' });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const made = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early');
        if (!made) throw new Error('src/early.js was not built');
        return html.replace('<!-- early -->', `<script src="./${made.fileName}"></script>`);
      },
    },
  };
}

export default defineConfig({
  // Relative, so that the server can put the page under any path.
  base: './',
  plugins: [svelte(), early()],
  build: {
    target: 'es2022',
    emptyOutDir: false, // scripts/sweep.mjs does it, and leaves the placeholder
    // Data addresses for scripts would fall foul of the page's policy.
    assetsInlineLimit: 0,
    // The polyfill puts a script into the page; browsers of the last years need none.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The groups below say what is loaded when; how long plugins take is nobody's question here.
      checks: { ineffectiveDynamicImport: false, pluginTimings: false },
      output: {
        // One file for everybody, one for those who are signed in and one for the staff, instead of a dozen that share code.
        // A group takes along what its members import, so the order decides.
        codeSplitting: {
          groups: [
            { name: 'app', test: /src.main\.ts$/, priority: 2 },
            { name: 'inside', test: /src.inside\.svelte\.ts$/, priority: 2 },
            { name: 'menu', test: /(StaffNav\.svelte|staffpages\.ts)$/, priority: 1 },
            { name: 'own', test: /(catalogue.holds\.ts|views.Book\.svelte|(BookList|AccountPanel)\.svelte|Queue\.svelte|Renewal\.svelte|Loans\.svelte|History\.svelte|OwnAccount\.svelte)$/, priority: 1 },
            { name: 'finding', test: /catalogue.(Finding|Related|Facets|ListEnd)\.svelte$/, priority: 1 },
            { name: 'lending', test: /(components.lending.\w+|views.(Lending|Overdue|Holds|Readers?|Labels))\.svelte$/, priority: 1 },
            { name: 'staff', test: /(BookActions|BookForm|UserForm|Users|Import)\.svelte$/, priority: 1 },
          ],
        },
      },
    },
  },
  // A test ends with what it waits for: on a busy machine a small bound would fail first.
  test: { include: ['src/**/*.test.ts'], environment: 'node', pool: 'threads', testTimeout: 120_000, hookTimeout: 120_000 },
});
