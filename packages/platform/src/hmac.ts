import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA256 (RFC 2104) of parts that follow each other. */
export function hmacSha256(secret: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** HMAC-SHA256 of a body, as 64 lowercase hexadecimal digits. */
export function hmacHex(body: string | Uint8Array, secret: string): string {
  return hmacSha256(secret, body).toString('hex');
}

/** HMAC-SHA256 of parts that follow each other, as 64 lowercase hex digits, and a comparison of digests in constant time. */
export const digests = {
  hmac: (secret: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): string =>
    hmacSha256(secret, ...parts).toString('hex'),
  isEqual: (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other)),
};
