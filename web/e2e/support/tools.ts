import { accessSync, constants, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program under test. */
export const program = process.env.LIBRARY ?? fileURLToPath(new URL('../../../bin/library', import.meta.url));

/** Chromium without its window, where it is installed: the same engine, for less than half of the work. */
const shell = '/usr/bin/chromium-headless-shell';
export const wholeChromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const chromiumPath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : wholeChromium);

/** Says what is missing: a test that is skipped guards nothing. */
export default function check(): void {
  const wanted: [string, string][] = [
    [wholeChromium, 'There is no Chromium here; run `make deps`, or set CHROMIUM.'],
    [process.env.FIREFOX ?? '/usr/bin/firefox-esr', 'There is no Firefox here; run `make deps`, or set FIREFOX.'],
    [process.env.PDFTOPPM ?? '/usr/bin/pdftoppm', 'There is no pdftoppm here, with which printed labels are looked at; run `make deps`, or set PDFTOPPM.'],
    ['/usr/bin/zint', 'There is no zint here, with which barcodes are drawn; run `make deps`.'],
    [program, 'The program is not built; run `make build`.'],
  ];
  for (const [path, message] of wanted) {
    try {
      accessSync(path, constants.X_OK);
    } catch {
      throw new Error(`${message} (${path})`);
    }
  }
}
