import type { CommunityId } from '../ledger/account.ts';
import type { OwnerReportContent } from './effect-contents.ts';
import type { NewEffect } from './outbox.ts';
import { queueName } from './queue.ts';

/** A report in the owner's channel. @param createdAt the current time (ms since the epoch) */
export function ownerReport(
  communityId: CommunityId,
  channelId: string,
  report: OwnerReportContent,
  createdAt: number,
): NewEffect<'ownerReport'> {
  const queue = queueName('channel', communityId, channelId);
  return { kind: 'ownerReport', queue, content: { channelId, report }, deliveryId: null, createdAt };
}
