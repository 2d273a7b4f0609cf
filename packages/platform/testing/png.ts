import { inflateSync } from 'node:zlib';

export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** The color of a pixel as `#rrggbb`. */
  colorAt(x: number, y: number): string;
}

const channelsByColorType: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Decodes a PNG without interlacing. Throws an Error for anything else. */
export function decodePng(bytes: Uint8Array): DecodedImage {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG');
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined) throw new Error('no IHDR');
  const [width, height, depth, colorType] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]];
  const channels = channelsByColorType[colorType ?? -1];
  if (channels === undefined || depth === undefined || depth > 8 || header[12] !== 0) throw new Error('not supported');
  const bitsPerPixel = channels * depth;
  const stride = Math.ceil((width * bitsPerPixel) / 8);
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data;
  const data = inflateSync(Buffer.concat(chunks.flatMap((chunk) => (chunk.type === 'IDAT' ? [chunk.data] : []))));
  const rows = unfilter(data, { stride, height, pixelBytes: Math.max(1, bitsPerPixel >> 3) });

  function colorAt(x: number, y: number): string {
    const start = y * stride;
    if (depth !== 8 || colorType === 3) {
      const bit = x * bitsPerPixel;
      const index = ((rows[start + (bit >> 3)] ?? 0) >> (8 - (depth ?? 8) - (bit & 7))) & ((1 << (depth ?? 8)) - 1);
      return hex(palette?.subarray(index * 3, index * 3 + 3) ?? []);
    }
    const pixel = rows.subarray(start + x * (channels ?? 1));
    const [first = 0] = pixel;
    return hex(colorType === 2 || colorType === 6 ? pixel.subarray(0, 3) : [first, first, first]);
  }
  return { width, height, colorAt };
}

function hex(channels: Iterable<number>): string {
  return `#${[...channels].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** Reverses the filter of each row. PNG specification: "Filtering". */
function unfilter(
  data: Buffer,
  { stride, height, pixelBytes }: { stride: number; height: number; pixelBytes: number },
): Buffer {
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < pixelBytes ? 0 : (rows[y * stride + x - pixelBytes] ?? 0);
      const above = y === 0 ? 0 : (rows[(y - 1) * stride + x] ?? 0);
      const corner = y === 0 || x < pixelBytes ? 0 : (rows[(y - 1) * stride + x - pixelBytes] ?? 0);
      rows[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + predict(filter, left, above, corner);
    }
  }
  return rows;
}

function predict(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  return filter === 4 ? paeth(left, above, corner) : 0;
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const toLeft = Math.abs(estimate - left);
  const toAbove = Math.abs(estimate - above);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
