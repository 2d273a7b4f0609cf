const encoder = new TextEncoder();
const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** The key of a secret that is not empty. */
export function importKey(secret: string): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign', 'verify']);
}

export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Compares in constant time. The signature must be 64 hex digits. */
export function matchesSignature(key: HmacKey, message: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean> {
  return crypto.subtle.verify(algorithm, key, fromHex(signature), message);
}

/** Compares two texts in constant time, apart from their lengths. */
export async function isEqual(a: string, b: string): Promise<boolean> {
  const key = await crypto.subtle.generateKey({ ...algorithm, length: 256 }, false, ['sign', 'verify']);
  const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(a));
  return crypto.subtle.verify(algorithm, key, signature, encoder.encode(b));
}

function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}
