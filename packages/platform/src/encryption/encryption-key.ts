import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** Length of a key (bytes): AES-256. */
const keyLength = 32;
/** Length of a key's id (hex digits). */
const idLength = 12;

/** Completes "Set it to …". */
export const expectedKey = '32 random bytes in hex or Base64, from `openssl rand -hex 32`';

/** A key for secrets at rest. It can be logged: the bytes are not enumerable. */
export interface EncryptionKey {
  /** Names the key and reveals nothing about it. */
  readonly id: string;
  readonly secret: KeyObject;
}

/** The key of a text: 64 hex digits, or Base64 of 32 bytes. Null for any other text. */
export function parseEncryptionKey(text: string): EncryptionKey | null {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[\w+/-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : null;
  return bytes?.length === keyLength ? createEncryptionKey(bytes) : null;
}

/** A new random key as text: 64 hex digits. */
export function generateKeyText(): string {
  return randomBytes(keyLength).toString('hex');
}

function createEncryptionKey(bytes: Buffer): EncryptionKey {
  const id = createHmac('sha256', bytes).update('tallyhook encryption key id').digest('hex').slice(0, idLength);
  return { id, secret: createSecretKey(bytes) };
}
