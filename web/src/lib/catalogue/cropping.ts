/** What is kept of a picture: where its edges are, as parts of its width and height. */
export interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Edge = keyof Edges;

export const uncut: Readonly<Edges> = { left: 0, top: 0, right: 1, bottom: 1 };

/** The least that is kept between two edges. */
const least = 0.1;

const opposite: Record<Edge, Edge> = { left: 'right', right: 'left', top: 'bottom', bottom: 'top' };

/** Moves an edge, but not out of the picture and not past the opposite one. */
export function move(edges: Edges, edge: Edge, to: number): Edges {
  const other = edges[opposite[edge]];
  const first = edge === 'left' || edge === 'top';
  const at = first ? Math.min(Math.max(to, 0), other - least) : Math.max(Math.min(to, 1), other + least);
  return { ...edges, [edge]: at };
}

/** The edges that somebody takes hold of at a place: the nearer one of each pair, or only one far from a corner. */
export function grab({ left, top, right, bottom }: Edges, x: number, y: number): Edge[] {
  const across: [Edge, number] = Math.abs(x - left) < Math.abs(x - right) ? ['left', Math.abs(x - left)] : ['right', Math.abs(x - right)];
  const down: [Edge, number] = Math.abs(y - top) < Math.abs(y - bottom) ? ['top', Math.abs(y - top)] : ['bottom', Math.abs(y - bottom)];
  const reach = 0.15;
  const near = [across, down].filter(([, distance]) => distance < reach);
  return (near.length > 0 ? near : [across[1] < down[1] ? across : down]).map(([edge]) => edge);
}

const kinds = ['image/jpeg', 'image/png', 'image/webp'];
const largest = 5 << 20; // bytes, as the contract file says
const tallest = 1600; // pixels: more than the library keeps

/** The file for the library: as it is, if nothing is cut off and the library takes it, or else what is kept of it. */
export async function cut(file: Blob, picture: ImageBitmap, edges: Edges): Promise<Blob> {
  const whole = Object.entries(uncut).every(([edge, at]) => edges[edge as Edge] === at);
  if (whole && kinds.includes(file.type) && file.size <= largest) return file;
  const [x, y] = [edges.left * picture.width, edges.top * picture.height];
  const [width, height] = [(edges.right - edges.left) * picture.width, (edges.bottom - edges.top) * picture.height];
  const scale = Math.min(1, tallest / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.fillStyle = '#fff'; // behind what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 });
}
