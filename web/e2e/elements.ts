import { expect, type Locator, type Page } from '@playwright/test';

/** The card of a book in a list. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('article').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
}

export function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

export const borrow = (page: Page, title: string): Locator => page.getByRole('button', { name: `Borrow ${title}`, exact: true });
export const giveBack = (page: Page, title: string): Locator => page.getByRole('button', { name: `Return ${title}`, exact: true });

/** What was just said to everybody, also to those who do not look. */
export async function said(page: Page, text: string): Promise<void> {
  await expect(page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: text, visible: true }).first()).toBeVisible();
}

/** Titles of the cards, in their order. */
export const titles = (page: Page): Locator => page.getByRole('article').getByRole('heading');
