import { memoizeOne } from '@tallyhook/platform/memoize';
import { createCardSource } from '../core/announcements/listing-card.ts';
import { listingsTarget, voteOffers } from '../discord/commands/offers.ts';
import { createAnnouncementLoop } from '../features/announcements/loop.ts';
import { type CompleteContext, createParts, type Shared } from '../features/create.ts';
import { createDirectMessageHandler } from '../features/notifications/direct-message.ts';
import { createOwnerReportHandler } from '../features/notifications/owner-report.ts';
import type { DiscordAccess } from './discord-access.ts';

interface AnnouncingDependencies
  extends Omit<
    CompleteContext,
    keyof DiscordAccess | keyof Shared | 'channelTexts' | 'guildTexts' | 'memberTexts' | 'cardOf' | 'voteButtons'
  > {}

/** What carries out effects, and fills the outbox by time. It needs no gateway. */
export async function createAnnouncing(access: DiscordAccess, shared: Shared, dependencies: AnnouncingDependencies) {
  const { directory, nudge, clock, log } = dependencies;
  const { rest, guildLanguages, memberLanguages, commands } = access;
  const list = listingsTarget(commands);
  const parts = await createParts({
    ...access,
    ...shared,
    ...dependencies,
    channelTexts: guildLanguages.ofChannel,
    guildTexts: guildLanguages.ofGuild,
    memberTexts: memberLanguages.textsOf,
    cardOf: createCardSource(
      dependencies.lookups,
      (listing) => ((directory.communityOf(listing)?.named.length ?? 0) > 1 ? list : null),
      clock,
    ),
    voteButtons: (texts) => voteOffers(commands, texts),
  });
  /** The same tasks as long as the settings of the community are the same: they remember failures. */
  const tasksOf = memoizeOne(parts.tasks);
  const announcementLoop = createAnnouncementLoop({
    tasks: () => directory.communities.flatMap(tasksOf),
    prepare: parts.prepareTasks,
    onEnqueued: (queue) => nudge([queue]),
    clock,
    log,
  });
  return {
    /** Carry out effects. */
    handlers: [
      ...parts.effects,
      createDirectMessageHandler({
        rest,
        types: parts.directMessages,
        onClosed: parts.onDirectMessagesClosed,
        textsOf: memberLanguages.textsOf,
        clock,
      }),
      createOwnerReportHandler({ rest, types: parts.ownerReports, textsOf: guildLanguages.ofChannel }),
    ],
    loops: [announcementLoop, ...parts.loops],
  };
}
