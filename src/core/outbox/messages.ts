import type { CommunityId } from '../ledger/account.ts';
import { directMessageKind, type MessageType, newEffect, ownerReportKind } from './effect-kind.ts';
import type { NewEffect } from './outbox.ts';
import { queueName } from './queue.ts';

/** A direct message of a type to a member. @param createdAt the current time (ms since the epoch) */
export function directMessage<Message extends object>(
  communityId: CommunityId,
  userId: string,
  { type }: MessageType<string, Message>,
  message: Message,
  createdAt: number,
): NewEffect {
  const queue = queueName('dm', communityId, userId);
  const content = { userId, message: { type, ...message } };
  return newEffect(directMessageKind, { queue, content, deliveryId: null, createdAt });
}

/** A report of a type in the owner's channel. @param createdAt the current time (ms since the epoch) */
export function ownerReport<Report extends object>(
  communityId: CommunityId,
  channelId: string,
  { type }: MessageType<string, Report>,
  report: Report,
  createdAt: number,
): NewEffect {
  const queue = queueName('channel', communityId, channelId);
  const content = { channelId, report: { type, ...report } };
  return newEffect(ownerReportKind, { queue, content, deliveryId: null, createdAt });
}
