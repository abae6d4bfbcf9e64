/** A place for the focus. */
interface Place {
  isConnected: boolean;
  focus(options?: FocusOptions): void;
}

/**
 * Where the focus goes when the control that had it has vanished: back to where
 * it was before it reached for a toast, to the book that it was about, or to the
 * heading. Otherwise it would fall out of the page, to its very beginning.
 */
export function focusTarget<P extends Place>(before: P | undefined, card: P | undefined, heading: P | undefined): P | undefined {
  return [before, card, heading].find((place) => place?.isConnected);
}

/** Keeps the focus in the page. `expected` says that a new page will take it. */
export function keepFocus(expected: () => boolean): () => void {
  let at: HTMLElement | undefined;
  let before: HTMLElement | undefined;
  let card: HTMLElement | undefined;
  const arrived = (event: FocusEvent): void => {
    at = event.target as HTMLElement;
    if (at.closest('.toasts')) return;
    before = at;
    card = at.closest('article')?.querySelector<HTMLElement>('h2 a') ?? undefined;
  };
  const left = (): void => {
    const was = at;
    // A press on no control takes the focus away on purpose.
    setTimeout(() => was === at && was?.isConnected && document.activeElement === document.body && (at = undefined));
  };
  const watch = new MutationObserver(() => {
    if (!at || at.isConnected || document.activeElement !== document.body || expected()) return;
    at = undefined;
    focusTarget(before, card, document.querySelector<HTMLElement>('h1') ?? undefined)?.focus({ preventScroll: true });
  });
  addEventListener('focusin', arrived);
  addEventListener('focusout', left);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener('focusin', arrived);
    removeEventListener('focusout', left);
    watch.disconnect();
  };
}
