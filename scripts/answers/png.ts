import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels of an image, 3 bytes each (RGB), row by row. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColors = 256;

/** The same image with at most 256 colors: that is enough for text and a few shapes, and a third of the size. */
export function withPalette(png: Buffer): Buffer {
  const pixels = decode(png);
  const count = pixels.width * pixels.height;
  // Bits of a channel that count as different colors; fewer if there are too many colors.
  for (let bits = 8; ; bits -= 1) {
    const shift = 8 - bits;
    const colors = new Map<number, { index: number; sum: [number, number, number]; count: number }>();
    const indexes = new Uint8Array(count);
    for (let pixel = 0; pixel < count && colors.size <= maxColors; pixel += 1) {
      const [red = 0, green = 0, blue = 0] = pixels.rgb.subarray(pixel * 3, pixel * 3 + 3);
      const key = ((red >> shift) << 16) | ((green >> shift) << 8) | (blue >> shift);
      const color = colors.get(key) ?? { index: colors.size, sum: [0, 0, 0], count: 0 };
      color.sum = [color.sum[0] + red, color.sum[1] + green, color.sum[2] + blue];
      color.count += 1;
      colors.set(key, color);
      indexes[pixel] = color.index;
    }
    if (colors.size > maxColors) continue;
    const palette = [...colors.values()].flatMap(({ sum, count: shown }) =>
      sum.map((each) => Math.round(each / shown)),
    );
    return encode(pixels, Buffer.from(palette), indexes);
  }
}

function encode({ width, height }: Pixels, palette: Buffer, indexes: Uint8Array): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', palette), chunk('IDAT', data), chunk('IEND')]);
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
