import module from 'zxing-wasm/reader/zxing_reader.wasm?url';
import type { Answer, Question } from './decoder';
import worker from './decoder?worker&url';

/** Why there is no picture, or nothing that reads it. */
export type CameraProblem = 'insecure' | 'refused' | 'none' | 'busy' | 'decoder' | 'lost';

export class NoCamera extends Error {
  constructor(readonly problem: CameraProblem) {
    super(problem);
  }
}

/** Opens the camera, on a phone that on its back. */
export async function openCamera(media: MediaDevices | undefined = navigator.mediaDevices): Promise<MediaStream> {
  if (!media) throw new NoCamera('insecure');
  try {
    return await media.getUserMedia({ audio: false, video: { facingMode: { ideal: 'environment' }, width: { ideal: 1280 }, height: { ideal: 720 } } });
  } catch (thrown) {
    throw new NoCamera(whyNot(thrown instanceof Error ? thrown.name : ''));
  }
}

/** What a browser's refusal means. */
export function whyNot(name: string): CameraProblem {
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'none';
  return 'busy'; // another program has it, or it does not work
}

/** Finds codes in what a camera sees. */
export interface CodeReader {
  read(video: HTMLVideoElement): Promise<string[]>;
  close(): void;
}

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorMaker {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

const wanted = ['code_128', 'code_39', 'codabar', 'itf', 'ean_13', 'ean_8', 'upc_a', 'qr_code', 'data_matrix'];

/** The browser's own, if it knows what is on books and copies; otherwise ours. */
export async function newCodeReader(): Promise<CodeReader> {
  const own = (globalThis as { BarcodeDetector?: DetectorMaker }).BarcodeDetector;
  const known = (await own?.getSupportedFormats().catch(() => [])) ?? [];
  if (own && known.includes('code_128') && known.includes('ean_13')) {
    const detector = new own({ formats: wanted.filter((f) => known.includes(f)) });
    return { read: async (video) => (await detector.detect(video)).map((found) => found.rawValue), close: () => undefined };
  }
  return newWorkerReader();
}

/** The page's policy lets scripts be named by this alone, and this names one. */
function scriptAddress(): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): string } } }).trustedTypes;
  address ??= types ? types.createPolicy('library-decoder', { createScriptURL: () => worker }).createScriptURL('') : worker;
  return address;
}
let address: string | undefined;

async function newWorkerReader(): Promise<CodeReader> {
  const decoder = new Worker(scriptAddress());
  const ask = (question: Question, transfer: Transferable[] = []): Promise<Answer> =>
    new Promise((resolve, reject) => {
      decoder.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
      decoder.onerror = () => reject(new NoCamera('decoder'));
      decoder.postMessage(question, transfer);
    });
  try {
    const answer = await ask({ module: new URL(module, location.href).href });
    if (!('ready' in answer)) throw new NoCamera('decoder');
  } catch {
    decoder.terminate();
    throw new NoCamera('decoder');
  }
  const canvas = document.createElement('canvas');
  const draw = canvas.getContext('2d', { willReadFrequently: true });
  return {
    async read(video) {
      if (!draw || video.videoWidth === 0) return [];
      const scale = Math.min(1, 1280 / Math.max(video.videoWidth, video.videoHeight));
      canvas.width = Math.round(video.videoWidth * scale);
      canvas.height = Math.round(video.videoHeight * scale);
      draw.drawImage(video, 0, 0, canvas.width, canvas.height);
      const picture = draw.getImageData(0, 0, canvas.width, canvas.height);
      const answer = await ask({ picture }, [picture.data.buffer]);
      return 'codes' in answer ? answer.codes : [];
    },
    close: () => decoder.terminate(),
  };
}

/** A code that stays in the picture counts once; out of sight for a while, it counts again. */
export class Sightings {
  #seen = new Map<string, number>();

  constructor(private readonly forget = 2500) {}

  /** Those that are new. */
  fresh(codes: readonly string[], now: number): string[] {
    for (const [code, at] of this.#seen) if (now - at > this.forget) this.#seen.delete(code);
    const found = [...new Set(codes)].filter((code) => !this.#seen.has(code));
    for (const code of codes) this.#seen.set(code, now);
    return found;
  }
}
