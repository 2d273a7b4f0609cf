import { day } from '@tallyhook/platform/durations';
import type { SitePayload } from './read-delivery.ts';

/** An older signature is not processed: a captured delivery whose vote was lost would count otherwise (ms). */
const maxSignatureAgeMs = day;

export const oldSignature = 'the signature is older than a day';

/** Times are ms since the epoch; null if it is not known when a delivery was signed. */
export function isOldSignature(signedAt: number | null, now: number): boolean {
  return signedAt !== null && signedAt < now - maxSignatureAgeMs;
}

/** What a delivery says, unless its signature is too old. Times are ms since the epoch. */
export function refuseOld(payload: SitePayload, signedAt: number | null, now: number): SitePayload {
  if (payload.type !== 'event' || !isOldSignature(signedAt, now)) return payload;
  return { type: 'unprocessable', kind: payload.event.kind, reason: oldSignature, family: 'vote' };
}
