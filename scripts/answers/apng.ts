import { chunk, compress, decode, header, quantize, signature } from './png.ts';

/** One image of an animation. */
export interface Frame {
  readonly png: Buffer;
  readonly durationMs: number;
}

/**
 * An animated PNG that repeats, with at most 256 colors. A frame contains only the rectangle that has changed. PNG specification, third
 * edition: "Animation information". @param frames images of one size, at least one
 */
export function animate(frames: readonly Frame[]): Buffer {
  const pixels = frames.map(({ png }) => decode(png));
  const { palette, images } = quantize(pixels);
  const [size] = pixels;
  if (size === undefined) throw new Error('An animation needs a frame.');
  const chunks: Buffer[] = [];
  let sequence = 0;
  let previous: Uint8Array | undefined;
  for (const [index, image] of images.entries()) {
    const box = previous === undefined ? { ...size, x: 0, y: 0 } : changedBox(previous, image, size.width);
    const control = Buffer.alloc(26);
    for (const [at, value] of [sequence++, box.width, box.height, box.x, box.y].entries())
      control.writeUInt32BE(value, at * 4);
    control.writeUInt16BE(frames[index]?.durationMs ?? 0, 20);
    control.writeUInt16BE(1000, 22);
    const data = compress(cut(image, size.width, box), box.width);
    chunks.push(chunk('fcTL', control));
    if (previous === undefined) chunks.push(chunk('IDAT', data));
    else chunks.push(chunk('fdAT', Buffer.concat([uint32(sequence++), data])));
    previous = image;
  }
  // 0: repeats for ever.
  const animation = chunk('acTL', Buffer.concat([uint32(images.length), uint32(0)]));
  return Buffer.concat([signature, header(size), animation, chunk('PLTE', palette), ...chunks, chunk('IEND')]);
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The smallest rectangle with all pixels that differ; one pixel if none does. */
function changedBox(before: Uint8Array, after: Uint8Array, width: number): Box {
  let [left, top, right, bottom] = [width, after.length, 0, 0];
  for (const [at, value] of after.entries()) {
    if (value === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (left > right) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function cut(image: Uint8Array, width: number, box: Box): Uint8Array {
  const part = new Uint8Array(box.width * box.height);
  for (let row = 0; row < box.height; row += 1) {
    const from = (box.y + row) * width + box.x;
    part.set(image.subarray(from, from + box.width), row * box.width);
  }
  return part;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
