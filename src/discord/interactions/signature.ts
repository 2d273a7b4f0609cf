import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { minute, second } from '../../platform/durations.ts';

/**
 * How far the timestamp of an interaction may be from this machine's clock (ms): as long as the token of an interaction
 * is valid. Discord documents no limit; without one, a recorded request could be repeated for ever.
 */
export const maxTimestampDistanceMs = 15 * minute;

/** What Discord signs: the timestamp header followed by the raw body. Discord: "Validating Security Request Headers". */
export interface SignedInteraction {
  /** Of the header `X-Signature-Ed25519`. */
  readonly signature: Buffer;
  /** The header `X-Signature-Timestamp` (seconds since the epoch, in decimal). */
  readonly timestamp: string;
}

/** The signature of a request; null if a header is missing or malformed. */
export function readSignature(headers: {
  readonly [name: string]: string | readonly string[] | undefined;
}): SignedInteraction | null {
  const signature = headers['x-signature-ed25519'];
  const timestamp = headers['x-signature-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return null;
  if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,13}$/.test(timestamp)) return null;
  return { signature: Buffer.from(signature, 'hex'), timestamp };
}

/** Whether the timestamp is within {@link maxTimestampDistanceMs} of `now` (ms since the epoch). */
export function isRecent({ timestamp }: SignedInteraction, now: number): boolean {
  return Math.abs(Number(timestamp) * second - now) <= maxTimestampDistanceMs;
}

/** Whether the application's key has signed the body. Never rejects. */
export type VerifySignature = (signed: SignedInteraction, body: Buffer) => Promise<boolean>;

/**
 * Verifies in a thread of Node's pool: a signature takes ten times as long as the rest of a request, during which this
 * thread can handle others.
 * @param publicKey 64 hexadecimal digits
 */
export function createSignatureVerifier(publicKey: string): VerifySignature {
  const key = importKey(publicKey);
  return ({ signature, timestamp }, body) =>
    new Promise((resolve) => {
      verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, signature, (error, isValid) =>
        resolve(error === null && isValid),
      );
    });
}

function importKey(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
