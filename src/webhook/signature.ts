import { timingSafeEqual } from 'node:crypto';
import { hmacHex } from '@tallyhook/platform/hmac';
import { isSignature } from './signed-form.ts';

export { sign } from './sign.ts';

/**
 * Verifies a signature in constant time. Returns false for a malformed signature; never throws.
 * @category Webhooks
 * @param body exactly as it was received: a parsed and serialised body may differ
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { buffer } from 'node:stream/consumers';
 * import { isSignedWith } from 'tallyhook';
 *
 * createServer(async (request, response) => {
 *   const signature = String(request.headers['x-webhook-signature']);
 *   const isGenuine = isSignedWith('the secret of the webhook', await buffer(request), signature);
 *   response.writeHead(isGenuine ? 200 : 401).end();
 * });
 * ```
 */
export function isSignedWith(secret: string, body: Uint8Array | string, signature: string): boolean {
  return isSignature(signature) && isEqual(hmacHex(body, secret), signature);
}

/** Compares two signatures of equal length in constant time. */
function isEqual(expected: string, signature: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
