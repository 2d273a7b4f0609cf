import { hash, randomBytes } from 'node:crypto';

/** A random secret of 256 bits. The prefix names its purpose. */
export function newSecret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/**
 * The SHA-256 digest that is stored instead of a key or token. Because these have 256 random bits, the digest cannot be
 * reversed by brute force, and a slow password hash would only slow down every request.
 */
export function digest(secret: string): string {
  return hash('sha256', secret);
}
