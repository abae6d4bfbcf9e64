// Empties dist except for the placeholder, which is in the repository: without it
// the Go package would not build in a fresh clone.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url);
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) {
  if (name !== '.gitkeep') rmSync(new URL(name, dist), { recursive: true });
}
