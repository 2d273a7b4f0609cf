/*
 * SHA-256 and HMAC (FIPS 180-4, RFC 2104) for code that also runs in browsers and at the edge, where Web Crypto has them
 * asynchronously only: `sign` and the keys of events are synchronous. Code for Node alone uses `hmac.ts`, which is faster.
 * A library of them takes 4.6 kB and more, a fifth of what `tallyhook/verify` may have for a browser.
 */

const encoder = new TextEncoder();

/** SHA-256 of a text, as 64 lowercase hex digits. */
export function sha256Hex(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

/** HMAC-SHA256, as 64 lowercase hex digits. */
export function hmacSha256Hex(secret: string | Uint8Array, message: Uint8Array): string {
  const secretBytes = typeof secret === 'string' ? encoder.encode(secret) : secret;
  const key = new Uint8Array(blockLength);
  key.set(secretBytes.length > blockLength ? sha256(secretBytes) : secretBytes);
  const padded = (pad: number) => key.map((byte) => byte ^ pad);
  return toHex(sha256(padded(0x5c), sha256(padded(0x36), message)));
}

/** Compares two texts in a time that reveals nothing of them: as their digests. */
export function isEqualText(one: string, other: string): boolean {
  const [digest, otherDigest] = [one, other].map((text) => sha256(encoder.encode(text)));
  let difference = 0;
  for (const [place, byte] of digest?.entries() ?? []) difference |= byte ^ (otherDigest?.[place] ?? 1);
  return difference === 0;
}

/** Length of a block, and of the key of HMAC (bytes). */
const blockLength = 64;

const roundConstants = Uint32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2],
);

const initialState = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

type State = [number, number, number, number, number, number, number, number];

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** The digest (32 bytes) of one or two parts that follow each other. */
function sha256(first: Uint8Array, second: Uint8Array = new Uint8Array()): Uint8Array {
  const length = first.length + second.length;
  // The message, a bit that ends it, and its length in bits, in whole blocks.
  const blocks = new DataView(new ArrayBuffer(Math.ceil((length + 9) / blockLength) * blockLength));
  new Uint8Array(blocks.buffer).set(first);
  new Uint8Array(blocks.buffer).set(second, first.length);
  blocks.setUint8(length, 0x80);
  blocks.setBigUint64(blocks.byteLength - 8, BigInt(length) * 8n);

  const words = new Uint32Array(64);
  const wordAt = (index: number) => words[index] ?? 0;
  let state: State = [...initialState];
  for (let offset = 0; offset < blocks.byteLength; offset += blockLength) {
    for (let index = 0; index < 16; index += 1) words[index] = blocks.getUint32(offset + 4 * index);
    for (let index = 16; index < 64; index += 1) {
      const [early, late] = [wordAt(index - 15), wordAt(index - 2)];
      const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      words[index] = wordAt(index - 16) + mixedEarly + wordAt(index - 7) + mixedLate;
    }
    state = addBlock(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

/** The state after a block, whose words are expanded to 64. Plain assignments: swapping by arrays takes ten times as long. */
function addBlock(state: State, words: Uint32Array): State {
  let [a, b, c, d, e, f, g, h] = state;
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixed = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice;
    const first = (h + mixed + (roundConstants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] ?? 0)) | 0) as State;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
