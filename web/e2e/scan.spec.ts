import { answered, core, expect, look, signIn, test, type Page } from './support/fixtures';
import { heading, said } from './support/elements';
import { withSource } from './support/sources';

/** The thirteen digits of a book, by its number. */
function isbn(n: number): string {
  const first = `978000001${String(n).padStart(3, '0')}`;
  const sum = [...first].reduce((all, digit, i) => all + Number(digit) * (i % 2 ? 3 : 1), 0);
  return first + ((10 - (sum % 10)) % 10);
}

/** The same in the form with ten digits. */
function isbn10(n: number): string {
  const first = isbn(n).slice(3, 12);
  const rest = [...first].reduce((all, digit, i) => all + Number(digit) * (i + 1), 0) % 11;
  return first + (rest === 10 ? 'X' : rest);
}

const box = (page: Page) => page.locator('#scanned');

/** What a scanner does: it types, and presses Enter. */
async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
}

const unknown = (n: number): boolean => n % 10 === 3;
const there = (n: number): boolean => n % 10 === 7;

test('fifty books are added with a scanner alone, of which some are unknown and some are there', async ({ page, stack, consoleErrors }) => {
  test.slow();
  consoleErrors.expect(answered(404)); // nobody knows some of them
  const number = (text: string): number => Number(text.slice(-4, -1));
  await withSource((text) => (unknown(number(text)) ? undefined : { title: `Book ${number(text)}`, authors: [{ name: 'Somebody' }] }), async (source) => {
    await stack.reset('--lookup', source);
    for (let n = 7; n < 50; n += 10) await stack.as('pparker', 'POST', '/books', { title: `Book ${n}`, isbn: n % 20 === 7 ? isbn10(n) : isbn(n) });
    await signIn(page, 'pparker', '/books/scan');
    await expect(box(page)).toBeFocused();
    for (let n = 0; n < 50; n++) {
      await scan(page, isbn(n));
      if (unknown(n)) {
        await expect(page.getByLabel('Title of the book')).toBeFocused(); // a person looks up, and types
        await scan(page, `Rare ${n}`);
      }
      await scan(page, `BC-${n}`); // a scanner does not wait for other catalogues
    }
    await expect(page.getByRole('region', { name: 'Done so far' }).getByRole('listitem')).toHaveCount(50);
  });
  const books = (await (await stack.as('pparker', 'GET', '/books?limit=1000')).json()) as { identifier: string; title: string; isbn?: string; copies: number }[];
  const added = books.filter((book) => /^(Book|Rare) \d+$/.test(book.title));
  expect(added).toHaveLength(50);
  for (const book of added) expect(book, book.title).toMatchObject({ copies: there(Number(book.title.split(' ')[1])) ? 2 : 1 });
  expect(added.filter((book) => book.title.startsWith('Rare'))).toHaveLength(5);
  for (const n of [0, 3, 7, 49]) {
    const { book } = (await (await stack.as('pparker', 'GET', `/codes/BC-${n}`)).json()) as { book: { title: string } };
    expect(book.title).toBe(unknown(n) ? `Rare ${n}` : `Book ${n}`);
  }
});

test('a scan that cannot be meant is refused, and those after it are listed to be scanned again', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(409));
  await signIn(page, 'pparker', '/books/scan');
  await expect(box(page)).toBeFocused();
  await scan(page, 'BC-1');
  await expect(page.getByText('“BC-1” is not an ISBN.', { exact: false })).toBeVisible();

  // Nobody is asked here: the title is typed.
  await scan(page, isbn(1));
  await expect(page.getByLabel('Title of the book')).toBeFocused();
  await scan(page, 'Typed by Hand');
  await expect(box(page)).toBeFocused();
  await scan(page, isbn(2));
  await expect(page.getByText(/is an ISBN\. Scan the barcode of this copy first/)).toBeVisible();
  await scan(page, 'BC-1');
  await expect(page.getByRole('listitem').filter({ hasText: 'Typed by Hand' })).toContainText('Added');

  // Another copy with a barcode that is taken.
  await scan(page, isbn(1));
  await expect(page.getByText('The library has “Typed by Hand” (1 copy).', { exact: false })).toBeVisible();
  await scan(page, 'BC-1');
  await expect(page.getByText('Another copy has this barcode.', { exact: false })).toBeVisible();
  await scan(page, 'BC-2');
  await expect(page.getByRole('listitem').filter({ hasText: 'Another copy' })).toContainText('BC-2');

  // Escape skips a book.
  await scan(page, isbn(3));
  await expect(page.getByLabel('Title of the book')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listitem').filter({ hasText: 'Left out' })).toContainText(isbn(3));
  await expect(box(page)).toBeFocused();
  expect(await stack.book('Typed by Hand')).toMatchObject({ copies: 2 });
});

test('what looks like a scan is never a title, and waits until the title is there', async ({ page, stack }) => {
  await signIn(page, 'pparker', '/books/scan');
  await expect(box(page)).toBeFocused();
  // Two books without a pause, of which nobody knows the first.
  for (const code of [isbn(1), 'LIB-0105', isbn(2), 'LIB-0106']) await scan(page, code);
  await said(page, '3 scans wait');
  await expect(box(page)).toBeFocused();
  // Nor if somebody has clicked on a field of the form.
  await page.getByLabel('Title', { exact: true }).click();
  await scan(page, 'LIB-0107');
  await said(page, '4 scans wait');
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('');
  await expect(box(page)).toBeFocused();
  await scan(page, 'The First');
  await expect(page.getByRole('listitem').filter({ hasText: 'The First' })).toContainText('LIB-0105');
  await expect(page.getByLabel('Title of the book')).toBeFocused();
  await page.keyboard.press('Escape');
  const titles = ((await (await stack.as('pparker', 'GET', '/books?q=lib')).json()) as unknown[]).length;
  expect(titles).toBe(0);
});

test('a second look-up begins anew, and two sources on one host are two', async ({ page, stack }) => {
  const titles: Record<string, string> = { [isbn(8)]: 'The Eighth', [isbn(9)]: 'The Ninth' };
  const answer = (mark: string) => (text: string) => ({ title: titles[text] ?? text, authors: [{ name: mark }] });
  await withSource(answer('Ada'), (one) => withSource(answer('Bess'), async (two) => {
    await stack.reset('--lookup', `${one},${two}`);
    await signIn(page, 'pparker', '/books/new');
    for (const n of [8, 9]) {
      await page.getByLabel(/^ISBN/).fill(isbn(n));
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Title', { exact: true })).toHaveValue(titles[isbn(n)] as string);
      await expect(page.getByLabel(/^Authors/)).toHaveValue('Ada');
      await expect(page.getByRole('button', { name: /^Use this Authors/ })).toHaveCount(1);
    }
  }));
});

test('the form is filled from other catalogues, says where each value is from, and keeps what was typed', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  await withSource((text) => (text === isbn(9) || text === isbn10(9) ? { title: 'Found There', authors: [{ name: 'Ada Lovelace' }], publishers: [{ name: 'Analytical Press' }], publish_date: '1843' } : undefined), async (source) => {
    await stack.reset('--lookup', source);
    await signIn(page, 'pparker', '/books/new');
    await page.getByLabel('Title', { exact: true }).fill('Typed Before');
    const lookUp = page.getByRole('button', { name: 'Look up this ISBN' });
    await page.getByLabel(/^ISBN/).fill(isbn(8));
    await lookUp.click();
    await said(page, 'No other catalogue knows this ISBN.');
    await page.getByLabel(/^ISBN/).fill(isbn(9));
    await page.keyboard.press('Enter'); // as a scanner does: nothing is saved
    await said(page, 'Empty fields were filled in.');
    await expect(page.getByLabel(/^Authors/)).toHaveValue('Ada Lovelace');
    await expect(page.getByText(/Filled in from 127\.0\.0\.1/)).toHaveCount(1);
    await expect(page.getByLabel(/^Year/)).toHaveValue('1843');
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Typed Before');
    await page.getByRole('button', { name: /^Use this Title/ }).click();
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Found There');
    await look(page, 'form filled by look-up');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said(page, '“Found There” was added.');
  });
});

test('the page for scanning is for everybody who may use it', async ({ page, stack }) => {
  await withSource(() => ({ title: 'Found There', authors: [{ name: 'Ada Lovelace' }] }), async (source) => {
    await stack.reset('--lookup', source);
    await signIn(page, 'pparker', '/books/scan');
    await expect(heading(page, 'Add by scanning')).toBeVisible();
    await scan(page, isbn(5));
    await said(page, 'New: “Found There”.');
    await look(page, 'scan');
  });
});

test('a language has its name on the page of a book and in the form', async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await stack.as('pparker', 'PUT', `/books/${identifier}`, { title: 'Homo faber', language: 'deu' });
  await signIn(page, 'pparker', `/books/${identifier}`);
  await expect(page.getByText('German', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: /^Edit/ }).click();
  await expect(page.getByLabel(/^Language/)).toHaveAccessibleDescription('German');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.getByLabel(/^Sprache/)).toHaveAccessibleDescription('Deutsch');
});
