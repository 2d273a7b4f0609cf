import type { Keyring } from './keyring.ts';

/** A keyring whose secrets can be exchanged while deliveries come in. Each delivery is judged by one of them, whole. */
export interface RotatingKeyring extends Keyring {
  rotate(next: Keyring): void;
}

/** @param first judges until `rotate` is called, which the app does when it takes over other secrets */
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
