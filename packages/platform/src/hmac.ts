import { createHmac } from 'node:crypto';

/** HMAC-SHA256 of a body, as 64 lowercase hexadecimal digits. RFC 2104. */
export function hmacHex(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
