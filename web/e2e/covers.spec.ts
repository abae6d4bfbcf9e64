import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answered, core, expect, look, signIn, test, type Locator, type Page, type Stack } from './support/fixtures';
import { card, heading, said } from './support/elements';
import { coverPicture, png } from './support/pictures';

const red = coverPicture([170, 40, 50], [245, 225, 190]);
const wide = coverPicture([30, 90, 110], [250, 240, 220], 600, 500);

async function cover(stack: Stack, title: string, picture: Buffer): Promise<string> {
  const { identifier } = await stack.book(title);
  await stack.as('pparker', 'PUT', `/books/${identifier}/cover`, picture);
  return identifier;
}

/** The picture in a cover; one that is drawn has none. */
const picture = (within: Page | Locator): Locator => within.locator('svg.cover image');

/** Every request of the page for a picture, also those by which a browser asks for permission. */
function watchPictures(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/books\/[^/]+\/cover\?/.test(request.url())) asked.push(`${request.method()} ${request.url()}`);
  });
  return asked;
}

test('a cover is in the list and on the page of its book, and a second visit fetches nothing', async ({ page, stack }) => {
  const id = await cover(stack, 'Homo faber', red);
  const asked = watchPictures(page);
  await signIn(page, 'bwayne');
  await expect(picture(card(page, 'Homo faber'))).toBeVisible();
  await expect(picture(card(page, 'Clean Code'))).toHaveCount(0);
  expect(asked.join()).toContain(`/books/${id}/cover?size=small&v=`);
  await page.goto(`/books/${id}`);
  await expect(picture(page)).toBeVisible();
  expect(asked.join()).toContain(`/books/${id}/cover?size=large&v=`);

  const before = asked.length;
  await page.goto('/');
  await expect(picture(card(page, 'Homo faber'))).toBeVisible();
  await page.goto(`/books/${id}`);
  await expect(picture(page)).toBeVisible();
  expect(asked.slice(before)).toEqual([]);
});

test('a cover that a colleague replaces or removes is another one on a page that is open', async ({ page, stack }) => {
  const id = await cover(stack, 'Homo faber', red);
  await signIn(page, 'bwayne');
  const shown = picture(card(page, 'Homo faber'));
  await expect(shown).toBeVisible();
  const first = await shown.getAttribute('href');
  await cover(stack, 'Homo faber', wide);
  await expect(shown).not.toHaveAttribute('href', first ?? '');
  // It is too broad for a book: it is shown whole.
  await expect(shown).not.toHaveAttribute('preserveAspectRatio', /slice/);
  await stack.as('pparker', 'DELETE', `/books/${id}/cover`);
  await expect(shown).toHaveCount(0);
});

test('a curator uploads a cover, cuts it with the keyboard, replaces it from the clipboard and removes it', core, async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}`);
  const add = page.getByRole('button', { name: 'Add a cover' });
  await add.click();
  const editor = page.getByRole('region', { name: 'Cover' });
  await expect(editor.getByRole('heading')).toBeFocused();
  // A photo with a table around the book: a fifth on the left is cut off.
  await editor.getByLabel('Choose a picture').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: png(500, 600, (x) => (x < 0.2 ? [90, 60, 30] : [20, 80, 160])) });
  const left = editor.getByLabel('Left edge');
  await left.focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight');
  await editor.getByRole('button', { name: 'Save the cover' }).click();
  await said(page, '“Homo faber” has a new cover.');
  await expect(picture(page)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change the cover' })).toBeFocused();
  const { ratio, corner } = await measure(page);
  expect(ratio).toBeCloseTo(400 / 600, 1);
  expect(corner[2], 'the table is cut off').toBeGreaterThan(corner[0] ?? 0);

  await page.getByRole('button', { name: 'Change the cover' }).click();
  const old = await picture(page).getAttribute('href');
  await page.evaluate((bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }));
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, [...red]);
  await editor.getByRole('button', { name: 'Save the cover' }).click();
  await expect(picture(page)).not.toHaveAttribute('href', old ?? '');

  await page.getByRole('button', { name: 'Change the cover' }).click();
  await editor.getByRole('button', { name: 'Remove the cover' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove cover' }).click();
  await said(page, 'The cover of “Homo faber” was removed.');
  await expect(picture(page)).toHaveCount(0);
});

/** The ratio and the colour of a corner of the picture that is shown. */
function measure(page: Page): Promise<{ ratio: number; corner: number[] }> {
  return picture(page).evaluate(async (element) => {
    const image = new Image();
    image.src = element.getAttribute('href') ?? '';
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    return { ratio: image.naturalWidth / image.naturalHeight, corner: [...context.getImageData(4, 4, 1, 1).data] };
  });
}

test('what is no picture is said at once', async ({ page, stack }) => {
  const { identifier } = await stack.book('Homo faber');
  await signIn(page, 'pparker', `/books/${identifier}`);
  await page.getByRole('button', { name: 'Add a cover' }).click();
  await page.getByLabel('Choose a picture').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await expect(page.getByRole('alert')).toHaveText(/not a picture the library can read/);
});

test('a cover is fetched by its ISBN where a source is set', async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(404));
  const known = await stack.book('Homo faber');
  const source = createServer((request, response) => {
    const isKnown = request.url?.includes((known.isbn ?? '').replace(/-/g, '').slice(-10, -1));
    response.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'image/png' }).end(isKnown ? red : '');
  });
  await new Promise<void>((done) => source.listen(0, '127.0.0.1', done));
  try {
    await stack.reset('--covers', `http://127.0.0.1:${(source.address() as AddressInfo).port}/{isbn}`);
    const { identifier } = await stack.book('Homo faber');
    await signIn(page, 'pparker', `/books/${identifier}`);
    await page.getByRole('button', { name: 'Add a cover' }).click();
    await page.getByRole('button', { name: 'Fetch by ISBN' }).click();
    await said(page, '“Homo faber” has a new cover.');
    await expect(picture(page)).toBeVisible();

    const other = await stack.book('Clean Code');
    await page.goto(`/books/${other.identifier}`);
    await expect(heading(page, 'Clean Code')).toBeVisible();
    await page.getByRole('button', { name: 'Add a cover' }).click();
    await page.getByRole('button', { name: 'Fetch by ISBN' }).click();
    await expect(page.getByRole('alert')).toHaveText('No cover was found for this ISBN.');
  } finally {
    source.close();
  }
});

test('covers that are uploaded and drawn are for everybody', async ({ page, stack }) => {
  const id = await cover(stack, 'Homo faber', red);
  await cover(stack, 'Clean Code', wide);
  await signIn(page, 'pparker');
  await expect(picture(card(page, 'Clean Code'))).toBeVisible();
  await look(page, 'covers');
  await page.goto(`/books/${id}`);
  await page.getByRole('button', { name: 'Change the cover' }).click();
  await page.getByLabel('Choose a picture').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: wide });
  await expect(page.getByLabel('Left edge')).toBeVisible();
  await look(page, 'cover editor');
});

test('what is no book has a drawing of its kind on its cover', async ({ page, stack }) => {
  for (const kind of ['film', 'game', 'music', 'audio', 'map', 'magazine', 'device', 'other']) {
    await stack.as('pparker', 'POST', '/books', { title: `A ${kind}`, authors: ['Anna Abel'], kind });
  }
  await signIn(page, 'bwayne');
  const drawing = (title: string) => card(page, title).locator('svg.cover > path').first();
  await expect(drawing('A film')).toHaveAttribute('d', /^M20 190h160v88H20z/);
  await expect(drawing('A game')).toHaveAttribute('d', /M100 230m/);
  await look(page, 'covers-kinds');
});
