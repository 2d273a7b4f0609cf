import { createHmac } from 'node:crypto';

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
