import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [number, number, number];

/** A PNG file in which a function says the colour of each place, from 0 to 1 in both directions. */
export function png(width: number, height: number, colour: (x: number, y: number) => Colour): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows.set(colour(x / width, y / height), y * (width * 3 + 1) + 1 + x * 3);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8); // eight bits of red, green and blue
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

/**
 * Files of 200 × 300 pixels, each in colours of its own. The pixels are the same and only the palettes are not, so
 * that thousands are made at once.
 */
export function manyCovers(): (n: number) => Buffer {
  const [width, height] = [200, 300];
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = (x * 3 + y * 5 + ((x * y) % 17) * 4) & 255;
  const pixels = chunk('IDAT', deflateSync(rows));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8); // eight bits, which are the number of a colour
  return (n) => {
    const colours = Buffer.alloc(256 * 3);
    for (let i = 0; i < 256; i++) colours.set([(i + n) & 255, (i * 2 + (n >> 8)) & 255, (n * 7 + i) & 255], 3 * i);
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('PLTE', colours), pixels, chunk('IEND', Buffer.alloc(0))]);
  };
}

/** A picture that looks a little like a cover: a ground, a band and a disc. */
export function coverPicture(ground: Colour, band: Colour, width = 400, height = 600): Buffer {
  return png(width, height, (x, y) => {
    const disc = Math.hypot((x - 0.5) * width, (y - 0.62) * height) < width * 0.28;
    return disc || (y > 0.12 && y < 0.3) ? band : [ground[0] * (1 - y * 0.3), ground[1] * (1 - y * 0.3), ground[2] * (1 - y * 0.3)];
  });
}
