import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { createCardSource } from '../core/announcements/announcement.ts';
import { listingsTarget, offersAt } from '../discord/commands/command.ts';
import { type CompleteContext, createParts, type Shared } from '../features/create.ts';
import { createDirectMessageHandler, createOwnerReportHandler } from '../features/notifications/messages.ts';
import type { DiscordAccess } from './discord-access.ts';

/** Everything that is announced regularly is announced within a few seconds after it is due. */
const pollMs = 10 * second;

interface AnnouncingDependencies
  extends Omit<
    CompleteContext,
    keyof DiscordAccess | keyof Shared | 'channelTexts' | 'guildTexts' | 'memberTexts' | 'cardOf' | 'voteButtons'
  > {}

/** Handlers and loops that carry out effects and fill the outbox by time. They need no gateway. */
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
    voteButtons: (texts) => offersAt('vote', commands, texts),
  });
  /** Unchanged as long as the settings of the community are: tasks remember failures. */
  const tasksOf = memoizeOne(parts.tasks);
  const warn = (task: string, error: unknown) =>
    log.warn({ task, reason: messageOf(error) }, 'announcement failed; retrying');
  /** Announces what no event announces: digests, lost streaks and new reviews. */
  const announcementLoop = createLoop({
    async round(signal) {
      await parts.prepareTasks();
      for (const { name, run } of directory.communities.flatMap(tasksOf)) {
        if (signal.aborted) return;
        try {
          const queue = await run();
          if (queue !== null) nudge([queue]);
        } catch (error) {
          if (!signal.aborted) warn(name, error);
        }
      }
    },
    pauseMs: pollMs,
    onError: (error) => warn('preparation', error),
    clock,
  });
  return {
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
