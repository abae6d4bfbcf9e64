// Draws the icons in public/ from icon.svg: `npm run icons`. They change with
// the drawing alone, so they are in the repository.
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';

const folder = new URL('../public/', import.meta.url);
const drawing = readFileSync(new URL('icon.svg', folder), 'utf8');
const ground = /<rect[^>]*fill="(#\w+)"/.exec(drawing)[1];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();

/** The drawing as a picture. With a margin it fills the whole square, and a phone may cut it to any shape. */
async function draw(size, margin = 0) {
  const inner = Math.round(size * (1 - 2 * margin));
  const svg = drawing.replace('<svg ', `<svg width="${inner}" height="${inner}" `);
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<body style="margin:0;height:${size}px;display:grid;place-items:center;background:${margin > 0 ? ground : 'transparent'}">${svg}`);
  return page.screenshot({ omitBackground: true });
}

/** Pictures in one file, as browsers look for it at the root of a site. */
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let at = head.length;
  pictures.forEach(({ size, data }, i) => {
    const entry = 6 + 16 * i;
    head.writeUInt8(size, entry);
    head.writeUInt8(size, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(data.length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += data.length;
  });
  return Buffer.concat([head, ...pictures.map((p) => p.data)]);
}

const write = (name, data) => writeFileSync(new URL(name, folder), data);
for (const size of [192, 512]) {
  write(`icon-${size}.png`, await draw(size));
  write(`icon-maskable-${size}.png`, await draw(size, 0.1));
}
write('icon-apple-180.png', await draw(180, 0.05));
const small = [];
for (const size of [32, 48]) small.push({ size, data: await draw(size) });
write('favicon.ico', ico(small));
await browser.close();
