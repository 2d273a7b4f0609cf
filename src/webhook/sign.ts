import { hmacSha256Hex } from '@tallyhook/platform/sha256';
import { serialised } from './signed-form.ts';
import { VerificationError } from './verification/verification-error.ts';

const encoder = new TextEncoder();

/**
 * The signature of a body, for tests: HMAC-SHA256 as 64 lowercase hex digits, the value of the header
 * `x-webhook-signature`. The same function in every entry of the package.
 *
 * @category Webhooks
 * @param body the bytes or the text; anything else is serialised as JSON
 * @throws VerificationError `webhook_secret_missing` for a missing or empty secret, `webhook_body_unavailable` for a body
 *   that must be read first, `webhook_body_not_json` for one that JSON cannot contain
 *
 * @example
 * ```ts
 * import { sign, verify } from 'tallyhook/verify';
 *
 * const body = JSON.stringify({ event: 'server_vote', userId: '80351110224678912', serverId: '1' });
 * const headers = { 'x-webhook-signature': sign(body, 'secret') };
 * await verify({ headers, body }, 'secret');
 * ```
 */
export function sign(body: unknown, secret: string): string {
  if (typeof secret !== 'string' || secret === '') throw new VerificationError('webhook_secret_missing');
  return hmacSha256Hex(secret, bytesOf(body));
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body === undefined || isUnread(body)) throw new VerificationError('webhook_body_unavailable');
  const text = serialised(body);
  if (text === null) throw new VerificationError('webhook_body_not_json');
  return encoder.encode(text);
}

/** A stream or a request, which would be signed as an empty object. */
function isUnread(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('getReader' in body || Symbol.asyncIterator in body);
}
