import { expect, type Locator, type Page } from '@playwright/test';
import type { Stack } from './stack';

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

/** Types the description of a book, which is in a fold of the form. */
export async function describeBook(page: Page, text: string): Promise<void> {
  const field = page.getByLabel(/^Description/);
  await field.waitFor({ state: 'attached' });
  if (!(await field.isVisible())) await page.getByText('More about the book').click();
  await field.fill(text);
}

/** Titles of the cards, in their order. */
export const titles = (page: Page): Locator => page.getByRole('article').getByRole('heading');

/** Puts the copies of a book on a shelf. */
export async function shelve(stack: Stack, title: string, ...shelves: string[]): Promise<void> {
  const { identifier } = await stack.book(title);
  const copies = (await (await stack.as('pparker', 'GET', `/books/${identifier}/copies`)).json()) as { identifier: string }[];
  for (const [i, shelf] of shelves.entries()) {
    const copy = copies[i];
    if (copy) await stack.as('pparker', 'PUT', `/copies/${copy.identifier}`, { shelf });
    else await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { shelf });
  }
}
