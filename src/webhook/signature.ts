import { createHmac, timingSafeEqual } from 'node:crypto';
import { isSignature } from './signed-form.ts';

/**
 * The signature of a body: HMAC-SHA256 in lowercase hex, the value of the header `x-webhook-signature` (document,
 * section 5.7). Exported together with the verifier so that tests, the sandbox and users sign like the service.
 */
export function sign(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Verifies a signature in constant time. Returns false for a malformed signature; never throws. */
export function isSignedWith(secret: string, body: Uint8Array | string, signature: string): boolean {
  return isSignature(signature) && isEqual(sign(body, secret), signature);
}

/** Compares two signatures of equal length in constant time. */
function isEqual(expected: string, signature: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
