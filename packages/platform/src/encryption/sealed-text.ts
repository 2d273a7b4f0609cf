import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { TallyhookError } from '../errors.ts';
import type { EncryptionKey } from './encryption-key.ts';

/*
 * An encrypted text: `v1.<id of the key>.<nonce, ciphertext and tag in Base64url>`, AES-256-GCM with a random nonce of
 * 96 bits. At 2^32 texts per key the nonces would begin to repeat by chance.
 */

const version = 'v1';
const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/**
 * Where an encrypted text is stored: its table and the key of its row. It is authenticated, so an encrypted text that is
 * copied to another row cannot be read there.
 */
export type SealContext = readonly string[];

/** An encrypted text cannot be read: it was changed, or moved from another row. */
export class SealedTextError extends TallyhookError {
  constructor() {
    super('sealed_text_damaged', 'An encrypted value in the database is damaged, or belongs to another row.', {
      hint: 'Restore the database from a backup, or enter the value again.',
    });
  }
}

export function seal(key: EncryptionKey, text: string, context: SealContext): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key.secret, nonce, { authTagLength: tagLength });
  cipher.setAAD(authenticated(key.id, context));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${key.id}.${sealed.toString('base64url')}`;
}

/** The id of the key of an encrypted text; null for any other text. */
export function keyIdOf(sealed: string): string | null {
  const [prefix, id, , ...others] = sealed.split('.', 4);
  return prefix === version && id !== undefined && others.length === 0 ? id : null;
}

/** The prefix of the texts that are encrypted with a key. */
export function prefixOf(keyId: string): string {
  return `${version}.${keyId}.`;
}

/** @throws SealedTextError */
export function unseal(key: EncryptionKey, sealed: string, context: SealContext): string {
  const bytes = Buffer.from(sealed.slice(prefixOf(key.id).length), 'base64url');
  if (!sealed.startsWith(prefixOf(key.id)) || bytes.length < nonceLength + tagLength) throw new SealedTextError();
  const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(authenticated(key.id, context));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  try {
    return decipher.update(bytes.subarray(nonceLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new SealedTextError();
  }
}

/** JSON, so that ["a", "bc"] and ["ab", "c"] differ. */
function authenticated(keyId: string, context: SealContext): Buffer {
  return Buffer.from(JSON.stringify([version, keyId, ...context]));
}
