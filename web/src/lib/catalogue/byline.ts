import type { Book } from '../api/api';
import { i18n } from '../text/i18n.svelte';

/** Says who wrote a book, and when it was published. */
export const byline = ({ authors, published }: Book): string => [authors && i18n.list(authors), published].filter(Boolean).join(' · ');
