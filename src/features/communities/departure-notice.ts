import { directMessageQueue } from '../../core/outbox/direct-message-queue.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import { day } from '../../platform/durations.ts';
import type { DepartureNotice } from './effects.ts';
import { byTallyhook, type GuildStore } from './store.ts';

/** How long the settings and the data of a parked community are kept. */
export const keepParkedMs = 30 * day;

/** The message to the member who last changed the settings of a community that has removed the bot. */
export function departureNotice(
  userId: string,
  notice: Pick<DepartureNotice, 'guildId' | 'listing' | 'parkedAt' | 'notices'>,
  createdAt: number,
): NewEffect<'directMessage'> {
  const message = { type: 'departure', ...notice, deletedAt: notice.parkedAt + keepParkedMs } as const;
  const queue = directMessageQueue(userId, notice.guildId);
  return { kind: 'directMessage', queue, content: { userId, message }, deliveryId: null, createdAt };
}

/**
 * Whether a notice is still true, and the newest one: the bot has not returned, nor was the community deleted. Rejects
 * with the errors of the store and of Discord.
 */
export async function isNoticeWanted(
  { guildId, parkedAt, deletedAt, notices }: DepartureNotice,
  options: {
    readonly guilds: Pick<GuildStore, 'find'>;
    /** Whether the bot is in a guild. */
    readonly isMember: (guildId: string) => Promise<boolean>;
    /** ms since the epoch. */
    readonly now: number;
  },
): Promise<boolean> {
  const guild = await options.guilds.find(guildId);
  if (guild?.parkedAt !== parkedAt || guild.parkedBy !== byTallyhook || guild.notices !== notices) return false;
  return options.now < deletedAt && !(await options.isMember(guildId));
}
