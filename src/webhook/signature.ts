import { timingSafeEqual } from 'node:crypto';
import { hmacWith } from './hmac.ts';

const sixtyFourHexDigits = /^[0-9a-f]{64}$/;

/**
 * The signature of a body: HMAC-SHA256 in lowercase hex, as `x-webhook-signature` carries it (document, section 5.7).
 * The signer ships with the verifier so that tests, the sandbox and users sign as the service does.
 */
export function sign(body: Uint8Array | string, secret: string): string {
  return hmacWith(secret)(body);
}

/** Whether the header has the form of a signature at all; anything else need not be computed. */
export function isSignature(header: string | undefined): header is string {
  return header !== undefined && sixtyFourHexDigits.test(header);
}

/** Compares in constant time. Never throws: what has not the form of a signature is none. */
export function isSignedWith(secret: string, body: Uint8Array | string, signature: string): boolean {
  return isSignature(signature) && createVerifier(secret)(body, signature);
}

/** The same for one secret and many bodies, where the signature is known to have the form that {@link isSignature} asks for. */
export function createVerifier(secret: string): (body: Uint8Array | string, signature: string) => boolean {
  const signed = hmacWith(secret);
  return (body, signature) => timingSafeEqual(Buffer.from(signed(body)), Buffer.from(signature));
}

/**
 * Levels of objects and arrays up to which a body is serialised again. `JSON.stringify` compares each level with all above it: 64 KiB of
 * brackets take it 60 ms, and whoever sends them need not know a secret.
 */
const maxDepth = 100;

/**
 * The body as the sender may have signed it where it sent other bytes: the document says that the signature is made
 * "of the JSON-serialised payload", so a sender may have signed `JSON.stringify(payload)` and sent it laid out differently.
 * Null where the body is no JSON, or nested deeper than any event.
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
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
