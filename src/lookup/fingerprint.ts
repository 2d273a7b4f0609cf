import { createHash } from 'node:crypto';

/** Stands for a secret where it has to be told apart from others but must not be kept: the first 64 bits of its SHA-256, in hex. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
