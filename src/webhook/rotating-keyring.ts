import type { Keyring } from './keyring.ts';

/** A keyring whose secrets can be exchanged while deliveries come in. Each delivery is judged by one of them, whole. */
export interface RotatingKeyring extends Keyring {
  rotate(next: Keyring): void;
}

export function createRotatingKeyring(first: Keyring): RotatingKeyring {
  let current = first;
  return {
    verify: (body, signature) => current.verify(body, signature),
    authorize: (authorization) => current.authorize(authorization),
    rotate(next) {
      current = next;
    },
  };
}
