import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels of an image, 3 bytes each (RGB), row by row. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColors = 256;

/**
 * The image with at most 256 colors: the most frequent ones, and for each other pixel the nearest of them. That is
 * enough for text and a few shapes, and a third of the size.
 */
export function withPalette(png: Buffer): Buffer {
  const pixels = decode(png);
  const { palette, indexes } = quantize(pixels);
  const data = compress(indexes, pixels.width);
  return Buffer.concat([signature, header(pixels), chunk('PLTE', palette), chunk('IDAT', data), chunk('IEND')]);
}

/** The colors of an image, as bytes, and the index of the color of each pixel. */
function quantize({ width, height, rgb }: Pixels): { palette: Buffer; indexes: Uint8Array } {
  const counts = new Map<number, number>();
  const colors = new Uint32Array(width * height);
  for (let pixel = 0; pixel < colors.length; pixel += 1) {
    const [red = 0, green = 0, blue = 0] = rgb.subarray(pixel * 3, pixel * 3 + 3);
    const color = (red << 16) | (green << 8) | blue;
    colors[pixel] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byFrequency = [...counts].toSorted(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = byFrequency.slice(0, maxColors);
  const indexOf = new Map(
    byFrequency.map((color, index) => [color, index < maxColors ? index : nearest(color, palette)]),
  );
  return {
    palette: Buffer.from(palette.flatMap((color) => channelsOf(color))),
    indexes: Uint8Array.from(colors, (color) => indexOf.get(color) ?? 0),
  };
}

function nearest(color: number, palette: readonly number[]): number {
  const [red, green, blue] = channelsOf(color);
  let best = { index: 0, distance: Number.POSITIVE_INFINITY };
  for (const [index, candidate] of palette.entries()) {
    const [otherRed, otherGreen, otherBlue] = channelsOf(candidate);
    const distance = (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2;
    if (distance < best.distance) best = { index, distance };
  }
  return best.index;
}

function channelsOf(color: number): [red: number, green: number, blue: number] {
  return [color >> 16, (color >> 8) & 0xff, color & 0xff];
}

/** The chunk with the size of an image with a palette. */
function header({ width, height }: Pick<Pixels, 'width' | 'height'>): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return chunk('IHDR', head);
}

/** The data of an image, one byte for each pixel. */
function compress(indexes: Uint8Array, width: number): Buffer {
  const height = indexes.length / width;
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  return deflateSync(rows, { level: 9, memLevel: 9 });
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Decodes a PNG as Chromium writes it: 8 bits per channel, with or without alpha, not interlaced. */
function decode(png: Buffer): Pixels {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, colorType, , , interlaced] = png.subarray(24, 29);
  if (depth !== 8 || (colorType !== 2 && colorType !== 6) || interlaced !== 0) throw new Error('Unsupported PNG.');
  const channels = colorType === 2 ? 3 : 4;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  if (channels === 3) return { width, height, rgb: bytes };
  return { width, height, rgb: bytes.filter((_, index) => index % 4 !== 3) };
}

/** Undoes the filter of each row. PNG specification: "Filtering". */
function unfilter(data: Uint8Array, stride: number, height: number, channels: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = data[row * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = row * stride + x;
      const left = x < channels ? 0 : (out[at - channels] ?? 0);
      const up = row === 0 ? 0 : (out[at - stride] ?? 0);
      const corner = x < channels || row === 0 ? 0 : (out[at - stride - channels] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[at] = (data[row * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((each) => Math.abs(estimate - each));
  if (toLeft === undefined || toUp === undefined || toCorner === undefined) return 0;
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
