// Runs in a worker: finds barcodes in pictures without keeping the page from
// what it does. Only this file may compile WebAssembly; the server says so.
import { prepareZXingModule, readBarcodes, type ReaderOptions } from 'zxing-wasm/reader';

export type Question = { module: string } | { picture: ImageData };
export type Answer = { ready: true } | { codes: string[] } | { failed: string };

const options: ReaderOptions = {
  formats: ['Code128', 'Code39', 'Codabar', 'ITF', 'EAN13', 'EAN8', 'UPCA', 'QRCode', 'DataMatrix'],
  maxNumberOfSymbols: 4,
  tryInvert: false,
};

const say = (answer: Answer): void => postMessage(answer);

onmessage = async ({ data }: MessageEvent<Question>): Promise<void> => {
  try {
    if ('module' in data) {
      await prepareZXingModule({ overrides: { locateFile: () => data.module }, fireImmediately: true });
      return say({ ready: true });
    }
    const found = await readBarcodes(data.picture, options);
    say({ codes: found.filter((f) => f.isValid && f.text !== '').map((f) => f.text) });
  } catch (thrown) {
    say({ failed: String(thrown) });
  }
};
