import type { OwnerReportContent } from './effect-contents.ts';
import type { NewEffect } from './outbox.ts';

/** A report in the owner's channel. @param createdAt the current time (ms since the epoch) */
export function ownerReport(
  channelId: string,
  report: OwnerReportContent,
  createdAt: number,
): NewEffect<'ownerReport'> {
  return { kind: 'ownerReport', queue: channelId, content: { channelId, report }, deliveryId: null, createdAt };
}
