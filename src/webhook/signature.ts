import { createHmac, hash, timingSafeEqual } from 'node:crypto';

const signaturePattern = /^[0-9a-f]{64}$/;

/**
 * The signature of a body: HMAC-SHA256 in lowercase hex, the value of the header `x-webhook-signature` (document,
 * section 5.7). Exported together with the verifier so that tests, the sandbox and users sign like the service.
 */
export function sign(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Whether the header has the format of a signature: 64 lowercase hex digits. */
export function isSignature(header: string | undefined): header is string {
  return header !== undefined && signaturePattern.test(header);
}

/** Verifies a signature in constant time. Returns false for a malformed signature; never throws. */
export function isSignedWith(secret: string, body: Uint8Array | string, signature: string): boolean {
  return isSignature(signature) && isEqual(sign(body, secret), signature);
}

/** A verifier for one secret and many bodies. The signature must have passed {@link isSignature}. */
export function createVerifier(secret: string): (body: Uint8Array | string, signature: string) => boolean {
  const computeSignature = createFastHmac(secret);
  return (body, signature) => isEqual(computeSignature(body), signature);
}

/** Compares two signatures of equal length in constant time. */
function isEqual(expected: string, signature: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}

/** Length of a SHA-256 block (bytes). */
const blockLength = 64;
/** Length of a SHA-256 digest (bytes). */
const digestLength = 32;

/**
 * HMAC-SHA256 in lowercase hex (RFC 2104) for short messages and one key. `createHmac` allocates a native object per
 * message, which costs three times as much as both digests (`bench/receive`). Tested against `createHmac` for arbitrary
 * keys and messages.
 */
function createFastHmac(key: string): (message: Uint8Array | string) => string {
  const innerPad = padKey(key, 0x36);
  const outerBlock = Buffer.concat([padKey(key, 0x5c), Buffer.alloc(digestLength)]);
  return (message) => {
    const bytes = typeof message === 'string' ? Buffer.from(message) : message;
    outerBlock.write(hash('sha256', Buffer.concat([innerPad, bytes]), 'binary'), blockLength, 'binary');
    return hash('sha256', outerBlock, 'hex');
  };
}

/** The key, zero-padded to one block, XORed with the pad byte. A key longer than a block is replaced by its digest. */
function padKey(key: string, padByte: number): Buffer {
  const keyBytes = Buffer.from(key);
  const blockKey = keyBytes.length > blockLength ? hash('sha256', keyBytes, 'buffer') : keyBytes;
  const padded = Buffer.alloc(blockLength, padByte);
  for (const [index, byte] of blockKey.entries()) padded[index] = padByte ^ byte;
  return padded;
}

/**
 * Maximum nesting depth of a body that is serialised again. `JSON.stringify` compares each level with all levels above
 * it: 64 KiB of brackets take 60 ms, and an unauthenticated sender can cause that.
 */
const maxDepth = 100;

/**
 * The body as `JSON.stringify` writes it. The document describes the signature as "of the JSON-serialised payload", so
 * a sender may sign that form and send another layout. Null if the body is not JSON, or is nested deeper than {@link
 * maxDepth}.
 */
export function reserialised(body: string): string | null {
  try {
    const payload: unknown = JSON.parse(body);
    return isDeeperThan(maxDepth, payload) ? null : JSON.stringify(payload);
  } catch {
    return null;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child));
}
