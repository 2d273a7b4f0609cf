import { createHmac, timingSafeEqual } from 'node:crypto';
import { isSignature } from './signed-form.ts';

/**
 * The signature of a body: HMAC-SHA256 in lowercase hex, the value of the header `x-webhook-signature`. Exported together
 * with the verifier so that tests, the sandbox and users sign like the service.
 * @example
 * ```ts
 * import { sign } from 'tallyhook';
 *
 * const body = JSON.stringify({ event: 'server_vote', user: '80351110224678912' });
 * const headers = { 'x-webhook-signature': sign(body, 'the secret of the webhook') };
 * await fetch('http://127.0.0.1:3000/webhooks/vote', { method: 'POST', headers, body });
 * ```
 */
export function sign(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * Verifies a signature in constant time. Returns false for a malformed signature; never throws.
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
  return isSignature(signature) && isEqual(sign(body, secret), signature);
}

/** Compares two signatures of equal length in constant time. */
function isEqual(expected: string, signature: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
