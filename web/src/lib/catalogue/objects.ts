import type { Book } from '../api/api';

const holes = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `M${31 + i * 19} 202h5M${31 + i * 19} 266h5`).join('');

const pips = ['78 206', '122 206', '100 230', '78 254', '122 254'].map((at) => `M${at}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0`).join('');

/** What is drawn on the cover of something that is no book: a line on 200 × 300, below the title. */
export const objects: Record<Exclude<NonNullable<Book['kind']>, 'book'>, string> = {
  audio: 'M54 254v-16a46 46 0 0 1 92 0v16M54 238h18v38h-10a8 8 0 0 1-8-8zM146 238h-18v38h10a8 8 0 0 0 8-8z',
  film: `M20 190h160v88H20zM20 214h160M20 254h160M73 214v40M127 214v40${holes}`,
  game: 'M68 184h64a14 14 0 0 1 14 14v64a14 14 0 0 1-14 14H68a14 14 0 0 1-14-14v-64a14 14 0 0 1 14-14z' + pips,
  magazine: 'M52 180h96v100H52zM66 196h36v34H66zM116 198h18M116 213h18M116 228h18M66 248h68M66 264h68',
  map: 'M32 196l46-14 44 14 46-14v82l-46 14-44-14-46 14zM78 182v82M122 196v82',
  music: 'M100 178a52 52 0 1 0 .1 0zM100 216a14 14 0 1 0 .1 0zM100 194a36 36 0 0 1 36 36',
  device: 'M48 186h104v68H48zM28 276h144',
  other: 'M52 206l48-24 48 24v50l-48 24-48-24zM52 206l48 24 48-24M100 230v50',
};
