import { untrack } from 'svelte';
import { bookStore } from './lib/catalogue/bookstore.svelte';
import { catalogue } from './lib/catalogue/catalogue.svelte';
import { live } from './lib/catalogue/live.svelte';
import { dates } from './lib/dates/dates.svelte';

// What everybody who is signed in needs, and nobody else.
export { live };
export { default as Nav } from './components/shell/Nav.svelte';
export { default as Page } from './views/Page.svelte';
export { default as Ready } from './components/catalogue/Ready.svelte';

/** Somebody is in, until the returned function is called. It belongs to the effect that calls this. */
export function enter(): () => void {
  const stops = [live.start(), dates.start()];
  // The count in the menu and what is ready are a courtesy: without them the page works, too.
  $effect(() => {
    void live.epoch;
    untrack(() => void Promise.all([bookStore.readMine(), bookStore.readReady()]).catch(() => undefined));
  });
  return () => {
    for (const stop of stops) stop();
    bookStore.clear();
    catalogue.clear();
  };
}
