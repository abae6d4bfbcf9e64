import { expect, look, signIn, type Page, type Stack } from './fixtures';

export const next = (page: Page) => page.getByRole('region', { name: 'Next', exact: true });
export const box = (page: Page) => page.getByRole('textbox', { name: 'Scan or type a barcode' });
export const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

export async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
  }
}

/** Looks at the page, and goes on at its usual size. */
export async function looked(page: Page, name: string): Promise<void> {
  await look(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/** Adds people to the class 7b, and returns their identifiers. */
export async function people(stack: Stack, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const [firstName, lastName] = name.split(' ');
    const person = { firstName, lastName, email: `${firstName}.${lastName}@example.com`, group: '7b', roles: ['LIBRARY_USER'] };
    ids.push(((await (await stack.as('ckent', 'POST', '/users', person)).json()) as { identifier: string }).identifier);
  }
  return ids;
}

/** Adds a book with copies, and returns its identifier. */
export async function set(stack: Stack, title: string, ...barcodes: string[]): Promise<string> {
  const { identifier } = (await (await stack.as('pparker', 'POST', '/books', { title, copies: 0 })).json()) as { identifier: string };
  for (const barcode of barcodes) await stack.as('pparker', 'POST', `/books/${identifier}/copies`, { barcode });
  return identifier;
}

export const codes = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${String(i + 1).padStart(4, '0')}`);

/** Who has which copy, by the library. */
export async function held(stack: Stack, book = ''): Promise<string[]> {
  const loans = (await (await stack.as('pparker', 'GET', `/loans?group=7b&limit=1000${book && `&book=${book}`}`)).json()) as { user: { lastName: string }; copy: { barcode: string } }[];
  return loans.map(({ user, copy }) => `${user.lastName} ${copy.barcode}`).sort();
}

/** Opens the page and begins with a class and perhaps a title, with the keyboard alone. */
export async function began(page: Page, title = ''): Promise<void> {
  await signIn(page, 'pparker', '/lending/class');
  await expect(page.getByLabel('Class', { exact: true })).toBeFocused();
  await page.keyboard.type('7B');
  if (title) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(title);
    await page.getByRole('option', { name: title }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Enter');
  await expect(box(page)).toBeFocused();
}
