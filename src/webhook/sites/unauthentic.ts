import { minute } from '@tallyhook/platform/durations';
import type { Site } from './site.ts';

/** Why a delivery is not authentic. For the sender, so it reveals nothing about the secrets. */
export interface Unauthentic {
  readonly code: 'webhook_signature_missing' | 'webhook_signature_malformed' | 'webhook_signature_mismatch';
  readonly error: string;
}

/** Tolerated difference by which the sender's clock may be ahead (ms). */
const clockToleranceMs = 5 * minute;

export function rejectFuture(signedAt: number | null, now: number): Unauthentic | null {
  return signedAt !== null && signedAt > now + clockToleranceMs
    ? { code: 'webhook_signature_mismatch', error: 'The time of the signature is more than 5 minutes ahead.' }
    : null;
}

export function missing({ schemes }: Site): Unauthentic {
  const headers = schemes.flatMap((scheme) => ('header' in scheme ? scheme.header : []));
  return { code: 'webhook_signature_missing', error: `The header ${headers.join(' or ')} is missing.` };
}

/** @param content what the header has to contain */
export function malformed(header: string, content: 'signature' | 'time' | 'id' = 'signature'): Unauthentic {
  const wrong =
    content === 'signature' ? 'does not have the form of a signature' : `has no ${content}, which is signed`;
  return { code: 'webhook_signature_malformed', error: `The header ${header} ${wrong}.` };
}

export function notJws(): Unauthentic {
  const error = 'The body is not a JSON Web Signature with the algorithm HS256.';
  return { code: 'webhook_signature_malformed', error };
}

export function mismatch({ name }: Site): Unauthentic {
  const hint = 'and check for a trailing space or line break.';
  return {
    code: 'webhook_signature_mismatch',
    error: `No secret of this listing matches. Compare it with the one at ${name}, ${hint}`,
  };
}
