import { day } from '../../platform/durations.ts';
import type { SitePayload } from './read-delivery.ts';

/** An older signature is not processed: a captured delivery whose vote was lost would count otherwise (ms). */
const maxSignatureAgeMs = day;

/** What a delivery says, unless its signature is too old. Times are ms since the epoch. */
export function refuseOld(payload: SitePayload, signedAt: number | null, now: number): SitePayload {
  if (payload.type !== 'event' || signedAt === null || signedAt >= now - maxSignatureAgeMs) return payload;
  const reason = 'the signature is older than a day';
  return { type: 'unprocessable', kind: payload.event.kind, reason, family: 'vote' };
}
