import { crc32, deflateSync } from 'node:zlib';
import type { ServiceListingKind } from '../listing/listing.ts';
import type { ListingIcon } from '../storage/listings/icons.ts';

/** A picture of squares: each letter is a square of its colour (RGB). */
interface Drawing {
  readonly colors: Readonly<Record<string, number>>;
  readonly rows: readonly string[];
}

const drawings: Readonly<Record<ServiceListingKind, Drawing>> = {
  // A lantern above the water.
  server: {
    colors: { '.': 0x1f3a5f, k: 0x0f1f36, y: 0xffd166, o: 0xf4a23a, w: 0xfff4d6, b: 0x3f8fc4, c: 0x2b6c9e },
    rows: [
      '................',
      '......kkkk......',
      '.....k....k.....',
      '.....k....k.....',
      '....kkkkkkkk....',
      '....kyyyyyyk....',
      '....kyyooyyk....',
      '....kyoowoyk....',
      '....kyowwoyk....',
      '....kyyooyyk....',
      '....kkkkkkkk....',
      '.....kkkkkk.....',
      '.bb....bb....bb.',
      'bbbb.bbbbbb.bbbb',
      'bcbbbbcccbbbbccb',
      'cccccccccccccccc',
    ],
  },
  // A crate.
  bot: {
    colors: { '.': 0x2f6b45, d: 0x5d3a1a, n: 0xb98247, l: 0xe3b778 },
    rows: [
      '................',
      '................',
      '..dddddddddddd..',
      '..dlllllllllld..',
      '..dddddddddddd..',
      '..dldnnnnnndld..',
      '..dnldnnnndlnd..',
      '..dnnldnndlnnd..',
      '..dnnnlddlnnnd..',
      '..dnnndlldnnnd..',
      '..dnndlnnldnnd..',
      '..dndlnnnnldnd..',
      '..dddddddddddd..',
      '..dlllllllllld..',
      '..dddddddddddd..',
      '................',
    ],
  },
};

/** Pixels of a side of a square. */
const scale = 8;

/** The picture of the seeded listing of a kind, 128 × 128 pixels. */
export function seededIcon(kind: ServiceListingKind): Pick<ListingIcon, 'type' | 'bytes'> {
  const { colors, rows } = drawings[kind];
  const letters = Object.keys(colors);
  const lines = rows.map((row) => {
    const pixels = Array.from({ length: row.length * scale }, (_, x) =>
      letters.indexOf(row.charAt(Math.floor(x / scale))),
    );
    // Each line begins with its filter, which is none.
    return Buffer.concat(Array<Buffer>(scale).fill(Buffer.from([0, ...pixels])));
  });
  const size = rows.length * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits per pixel, which are indices of the palette.
  header.set([8, 3], 8);
  const palette = Buffer.concat(Object.values(colors).map((color) => Buffer.from([color >> 16, color >> 8, color])));
  const bytes = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return { type: 'image/png', bytes };
}

/** PNG, section 5.3. */
function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}
