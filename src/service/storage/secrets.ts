import { createHash, randomBytes } from 'node:crypto';

/** A secret that nobody can guess: 256 bits, behind a prefix that says what it opens. */
export function newSecret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/**
 * What is stored in place of a key or a token. They have 256 random bits, so a plain digest cannot be searched backwards and
 * a slow one would only slow every request.
 */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
