// Checks how much a browser has to load, compressed: for the very first page,
// and for all that a reader needs. `npm run build` comes first.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url);
const text = (name) => readFileSync(new URL(name, dist), 'utf8');
const weigh = (names) => names.reduce((sum, name) => sum + gzipSync(text(name), { level: 9 }).length, 0);

const page = text('index.html');
const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map((m) => m[1]);
const later = (wanted) => readdirSync(new URL('assets/', dist)).filter((n) => wanted.test(n)).map((n) => 'assets/' + n);
const signIn = later(/^oidc-.*\.js$/);
const inside = later(/^inside-.*\.(js|css)$/);

const budgets = [
  { what: 'first load', names: ['index.html', ...first], most: 40_000 },
  { what: 'the catalogue of somebody who signs in', names: ['index.html', ...first, ...signIn, ...inside], most: 65_000 },
];
let failed = [first, signIn, inside].some((names) => names.length === 0);
if (failed) console.error('dist is not what this check expects; has the build changed?');
for (const { what, names, most } of budgets) {
  const bytes = weigh(names);
  const over = bytes > most;
  failed ||= over;
  console.log(`${over ? 'TOO LARGE' : 'ok'}  ${what}: ${bytes.toLocaleString('en')} of ${most.toLocaleString('en')} bytes (${names.length} files)`);
}
process.exit(failed ? 1 : 0);
