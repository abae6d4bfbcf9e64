import { mount, unmount } from 'svelte';
import type { Book } from '../../lib/api/api';
import { scanTexts } from '../../lib/text/scantexts';
import AskCopy from './AskCopy.svelte';

/** Asks a reader for the copy in their hand, and borrows it. */
export async function ask(book: Book): Promise<void> {
  await scanTexts.load();
  const dialog = mount(AskCopy, { target: document.body, props: { book, close: () => void unmount(dialog) } });
}
