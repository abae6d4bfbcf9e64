import { MediaQuery } from 'svelte/reactivity';

/** Whether there is room for a column beside a list. */
export const wide = new MediaQuery('min-width: 64rem');
