import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Keyring } from './keyring.ts';

/** A keyring with a span for the search for the secret of a signature. */
export function traceKeyring<Listing>(keyring: Keyring<Listing>, tracing: Tracing): Keyring<Listing> {
  return {
    ...keyring,
    verify: (...args) =>
      tracing.span('verify signature', { kind: 'internal' }, async (span) => {
        const verified = await keyring.verify(...args);
        span.set({ 'tallyhook.verified': verified === 'busy' ? 'busy' : verified !== null });
        return verified;
      }),
  };
}
