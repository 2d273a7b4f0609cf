import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { messageOf } from '@tallyhook/platform/errors';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { createCardSource } from '../core/announcements/listing-card.ts';
import { createDispatcher } from '../core/outbox/dispatcher.ts';
import type { ClaimedEffect } from '../core/outbox/effect.ts';
import type { EffectNotices } from '../core/outbox/effect-notices.ts';
import { guardPerform } from '../core/outbox/guard-perform.ts';
import { createPerform } from '../core/outbox/perform.ts';
import { parseQueue } from '../core/outbox/queue.ts';
import type { QueueShare } from '../core/outbox/queue-share.ts';
import { listingsTarget, offersAt } from '../discord/commands/command.ts';
import { createReachabilityProbe } from '../discord/rest.ts';
import { createAnnouncementLoop } from '../features/announcements/loop.ts';
import { type CompleteContext, createParts, type Shared } from '../features/create.ts';
import { createDirectMessageHandler } from '../features/notifications/direct-message.ts';
import { createOwnerReportHandler } from '../features/notifications/owner-report.ts';
import type { Store } from '../features/store.ts';
import type { DiscordAccess } from './discord-access.ts';

interface AnnouncingDependencies
  extends Omit<
    CompleteContext,
    keyof DiscordAccess | keyof Shared | 'channelTexts' | 'guildTexts' | 'memberTexts' | 'cardOf' | 'voteButtons'
  > {
  readonly store: Store;
  /** How often to look for effects of other processes (ms); null to find them within about 2 s. */
  readonly newEffectsPollMs: number | null;
  readonly queueShare: QueueShare;
  readonly notices: Pick<EffectNotices, 'listen'>;
  /** The community whose turn a queue takes in the outbox. */
  readonly communityOfQueue: (queue: string) => string;
  /** Called after each attempt. */
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/** Processes the outbox, and fills it by time. It needs no gateway. */
export async function createAnnouncing(access: DiscordAccess, shared: Shared, dependencies: AnnouncingDependencies) {
  const { store, directory, nudge, newEffectsPollMs, metrics, clock, log, queueShare } = dependencies;
  const { rest, guard, guildLanguages, memberLanguages, commands } = access;
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
  const perform = createPerform([
    ...parts.effects,
    createDirectMessageHandler({
      rest,
      types: parts.directMessages,
      onClosed: parts.onDirectMessagesClosed,
      textsOf: memberLanguages.textsOf,
      clock,
    }),
    createOwnerReportHandler({ rest, types: parts.ownerReports, textsOf: guildLanguages.ofChannel }),
  ]);
  const dispatcher = createDispatcher({
    outbox: store.outbox,
    perform: guardPerform(perform, guard),
    isReachable: createReachabilityProbe(rest),
    communityOf: dependencies.communityOfQueue,
    // The calls of handlers are left to the processes that have them; what sites confirm has a dispatcher of its own.
    isOwn: (queue) => !['handler', 'confirmation'].includes(parseQueue(queue).type) && queueShare.isOwn(queue),
    clock,
    log,
    newEffectsPollMs,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      dependencies.onAttempted(effects, attempt);
    },
  });
  dependencies.notices.listen(dispatcher.nudge);
  guard.onProbeDue(dispatcher.resume);
  /** The same tasks as long as the settings of the community are the same: they remember failures. */
  const tasksOf = memoizeOne(parts.tasks);
  const announcementLoop = createAnnouncementLoop({
    tasks: () => directory.communities.flatMap(tasksOf),
    prepare: parts.prepareTasks,
    onEnqueued: (queue) => nudge([queue]),
    clock,
    log,
  });
  const loops = [announcementLoop, ...parts.loops];

  return {
    start(): void {
      queueShare.start(dispatcher.rediscover);
      dispatcher.start();
      for (const loop of loops) loop.start();
    },
    /** Makes waiting effects due: Discord was reached again. */
    wake(): void {
      dispatcher
        .wake()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'waiting effects could not be made due'));
    },
    async stop(): Promise<void> {
      await Promise.all([dispatcher.stop().then(queueShare.stop), ...loops.map((loop) => loop.stop())]);
    },
  };
}
