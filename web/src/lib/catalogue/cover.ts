interface Ground {
  paper: string;
  ink: string;
  accent: string;
  /** Which of the drawings. */
  motif: number;
  /** A number in [0, 1) that shapes the drawing. */
  turn: number;
  /** The title is written from right to left, and the spine is on the right. */
  rtl: boolean;
}

/** The colours of covers: ground, text, drawing. */
const colours: readonly [string, string, string][] = [
  ['#1f3a4d', '#f3ece0', '#d9a45b'],
  ['#7a2e2a', '#f7ebdd', '#e2b07a'],
  ['#2f4a3c', '#f1eee0', '#c9b463'],
  ['#e8dcc3', '#2b2a26', '#b3492f'],
  ['#d7dfd6', '#21302b', '#3f6f62'],
  ['#4a3550', '#f4eaf0', '#d49a8c'],
  ['#c9793b', '#26190f', '#f6e3c5'],
  ['#dfd3e0', '#2c2333', '#7c4f83'],
  ['#23272e', '#efece4', '#7fa3b8'],
  ['#cfdbe4', '#1c2b38', '#2f5f88'],
  ['#e9c9b5', '#33201a', '#8e3b2e'],
  ['#5b6236', '#f6f2df', '#e0c46c'],
];

export const motifs = 6;

/** FNV-1a: small, and the same everywhere. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d) >>> 0;
  return (h ^ (h >>> 13)) >>> 0;
}

const width = 156; // of the text, on a cover of 200 × 300
const most = 5; // lines
const smallest = 14;
const tall = 118; // of the text, above the drawing and the line of the author

/** A cover without its text, which takes the most work. It is made of title and author and of nothing else, so it is the same wherever it is drawn. */
export function groundOf(title: string, author: string): Ground {
  const h = hash(title + '\n' + author);
  const [paper, ink, accent] = colours[h % colours.length] as [string, string, string];
  return { paper, ink, accent, motif: Math.floor(h / 16) % motifs, turn: (Math.floor(h / 256) % 1000) / 1000, rtl: fromRight(title) };
}

/** Whether the first letter that has a direction is of a script that is written from right to left. */
export function fromRight(text: string): boolean {
  return /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(/\p{L}/u.exec(text)?.[0] ?? '');
}

/** What people see as one character: a letter with its accents, a flag, a family. */
const graphemes = (text: string): string[] => (/^[ -\u02ff]*$/.test(text) ? [...text] : segments(characters, text)); // most text needs no segmenter
const segments = (by: Intl.Segmenter, text: string): string[] => [...by.segment(text)].map((s) => s.segment);
const characters = new Intl.Segmenter();
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Large letters, but rather a little smaller than with a line more. */
export function fit(title: string): { lines: string[]; size: number } {
  let best: { lines: string[]; size: number } | undefined;
  for (let size = 30; ; size -= 2) {
    const chars = Math.floor(width / (size * 0.6));
    const lines = wrap(title, chars, size <= smallest);
    const fits = lines.length <= most && size * (0.8 + 1.12 * lines.length) <= tall && lines.every((l) => breadth(l) <= chars);
    if (fits && (!best || (lines.length < best.lines.length && size >= best.size - 4))) best = { lines, size };
    if (size > smallest) continue;
    if (best) return best;
    const cut = lines.map((l) => shorten(l, chars));
    return { lines: cut.length > most ? [...cut.slice(0, most - 1), shorten(`${cut[most - 1]}…`, chars)] : cut, size };
  }
}

/** What is drawn below a title on 200 × 300: lines, and areas in the colours of the drawing and of the text. */
interface Drawing {
  lines?: string;
  width?: number;
  areas?: string;
  shade?: string;
}

const many = (n: number, path: (i: number) => string): string => Array.from({ length: n }, (_, i) => path(i)).join('');
const circle = (x: number, y: number, r: number): string => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

export function drawingOf({ motif, turn }: Pick<Ground, 'motif' | 'turn'>): Drawing {
  const shift = Math.round(turn * 60);
  switch (motif) {
    case 0:
      return { lines: many(7, (i) => circle(70 + shift, 300, 20 + i * 17)), width: 2 };
    case 1:
      return { areas: circle(60 + shift, 216, 46), shade: 'M0 215h200v2H0Z' };
    case 2:
      return { lines: many(9, (i) => `M0 ${190 + i * 13}q50 ${-30 + shift} 100 0t100 0`), width: 2 };
    case 3:
      return { lines: many(8, (i) => `M${22 + i * 22.3} 272v${-28 - ((i * 37 + shift * 3) % 62)}`), width: 9 };
    case 4:
      return { areas: `M0 300 ${60 + shift} 184 200 300Z`, shade: `M60 300 ${130 + shift / 2} 222 200 280V300Z` };
    default:
      return { areas: many(35, (i) => circle(28 + (i % 7) * 24, 186 + Math.floor(i / 7) * 22, 2 + ((i * 5 + shift) % 7))) };
  }
}

/** How broad a text is, in average letters: nobody can measure it before it is drawn. */
export function breadth(text: string): number {
  let sum = 0;
  for (const c of graphemes(text)) sum += c >= '\u2e80' || /\p{Extended_Pictographic}/u.test(c) ? 2 : /[MW]/.test(c) ? 1.75 : /[\p{Lu}mw@%&—…]/u.test(c) ? 1.25 : /^[ilj.,;:'’!|]/.test(c) ? 0.6 : 1;
  return sum;
}

/** Cuts a text that is too broad. */
export function shorten(text: string, chars: number): string {
  return breadth(text) <= chars ? text : beginning(text, chars - breadth('…')) + '…';
}

/** As much of a text as there is room for. */
function beginning(text: string, room: number): string {
  let head = '';
  for (const c of graphemes(text)) {
    room -= breadth(c);
    if (room < 0) break;
    head += c;
  }
  return head;
}

/** Scripts that are written without spaces: the browser knows their words. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff]/;

/** The pieces of a text between which a line may end, with the spaces that follow them. */
function pieces(text: string): string[] {
  return (text.trim().match(/\S+\s*/g) ?? []).flatMap((word) => (unspaced.test(word) ? segments(words, word) : word));
}

/** Breaks a text between words, and within those that are broader than a line if need be. */
export function wrap(text: string, chars: number, within = false): string[] {
  const lines: string[] = [];
  let line = '';
  for (let piece of pieces(text)) {
    while (breadth(piece.trim()) > chars && (within || unspaced.test(piece))) {
      const head = beginning(piece, chars - breadth(line));
      if (head === '' && line === '') break;
      lines.push((line + head).trim());
      line = '';
      piece = piece.slice(head.length);
    }
    if (line !== '' && breadth((line + piece).trim()) > chars) {
      lines.push(line.trim());
      line = '';
    }
    line += piece;
  }
  return line.trim() === '' ? lines : [...lines, line.trim()];
}
