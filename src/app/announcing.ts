import type { CommandContext } from '../../commands/context.ts';
import { remindButtons } from '../../commands/remind-button.ts';
import type { VotePicture } from '../../commands/vote-picture.ts';
import { createDispatcher } from '../core/outbox/dispatcher.ts';
import type { ClaimedEffect } from '../core/outbox/effect.ts';
import { guardPerform } from '../core/outbox/guard-perform.ts';
import { partsOfHandlerQueue } from '../core/outbox/handler-events.ts';
import type { Outbox } from '../core/outbox/outbox.ts';
import { createPerform, type EffectHandlers } from '../core/outbox/perform.ts';
import { tracePerform } from '../core/outbox/trace-perform.ts';
import type { GuildStore } from '../core/settings/stored-settings.ts';
import type { RewardStore } from '../core/tally/reward-store.ts';
import type { ListedLookup } from '../discord/commands/command.ts';
import { fetchGuildName } from '../discord/inspection.ts';
import { createReachabilityProbe } from '../discord/rest.ts';
import { createAnnouncer } from '../features/announcements/announcer.ts';
import { createCardSource } from '../features/announcements/card-source.ts';
import type { AnnouncementsOfListings } from '../features/announcements/of-listings.ts';
import { isNoticeWanted } from '../features/communities/departure-notice.ts';
import { createDigestHandler, type DigestSource } from '../features/digests/message.ts';
import { createLostStreaksHandler } from '../features/lost-streaks/message.ts';
import { createDirectMessageHandler } from '../features/notifications/direct-message.ts';
import { createOwnerReportHandler } from '../features/notifications/owner-report.ts';
import { createPartyPanelHandler } from '../features/party/panel-message.ts';
import { withoutQuietParties } from '../features/party/quiet-parties.ts';
import { createPartyReachedHandler } from '../features/party/reached-message.ts';
import { createPartyRewardHandler } from '../features/party/reward.ts';
import type { PartyStore } from '../features/party/store.ts';
import type { ReminderService } from '../features/reminders/service.ts';
import { createReviewHandler } from '../features/reviews/message.ts';
import { createExplainRoleFailure } from '../features/roles/role-failure.ts';
import { createRoleGrants } from '../features/roles/role-grants.ts';
import { createRoleHandler } from '../features/roles/roles.ts';
import type { AttemptResult } from '../platform/attempt-result.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { LeaseStore } from '../platform/leases/lease-store.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import type { Texts } from '../texts/texts.ts';
import type { DiscordAccess } from './discord-access.ts';
import { createQueueShare } from './queue-share.ts';

/** Processes the outbox. It needs no gateway. */
export interface Announcing {
  start(): void;
  /** Makes the dispatcher check these queues for effects immediately. */
  nudge(queues: readonly string[]): void;
  /** The number of live processes that process the outbox, at least 1. */
  processes(): number;
  /** Makes waiting effects due: Discord was reached again. */
  wake(): void;
  /** Effects in progress may finish within a few seconds. */
  stop(): Promise<void>;
}

export interface AnnouncingDependencies {
  readonly findLookup: (listing: string) => ListedLookup | undefined;
  readonly drawVotePicture: CommandContext['drawVotePicture'];
  readonly clock: Clock;
  readonly reminders: ReminderService;
  readonly announcements: AnnouncementsOfListings;
  /** The counted votes of a member. */
  readonly votesOf: (userId: string, listing: string) => Promise<number>;
  readonly votesBetween: DigestSource['votesBetween'];
  readonly outbox: Outbox;
  /** How often to look for effects of other processes (ms); null to find them within about 2 s. */
  readonly newEffectsPollMs: number | null;
  /** Shared with other processes; null if there can be none. */
  readonly leases: LeaseStore | null;
  /** The community whose turn a queue takes in the outbox. */
  readonly communityOfQueue: (queue: string) => string;
  readonly rewards: RewardStore;
  readonly parties: PartyStore;
  readonly guilds: GuildStore;
  /** The channel for reports to the owner of a guild; null for none. */
  readonly ownerChannelOf: (guildId: string) => string | null;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  readonly log: Log;
  /** Real time, for the connection to Discord. */
  readonly stopwatch: Clock;
  /** Updates what Discord knows of a member for linked roles; undefined if they are off. */
  readonly updateRoleConnection: EffectHandlers['roleConnection'];
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

const maxDrawingMs = 3 * second;

export function createAnnouncing(
  { rest, guard, givenRoles, languages, memberLanguages, commands }: DiscordAccess,
  dependencies: AnnouncingDependencies,
): Announcing {
  const { outbox, rewards, reminders, newEffectsPollMs, metrics, clock, log, stopwatch, tracing } = dependencies;
  const { announcements, votesOf, parties, onAttempted, ownerChannelOf } = dependencies;
  const { updateRoleConnection = async () => ({ outcome: 'done' as const }) } = dependencies;
  const isMember = async (guildId: string) => (await fetchGuildName(rest, guildId)) !== null;
  const listingOf = createCardSource(dependencies.findLookup);
  const voteButtons = (texts: Texts) => remindButtons({ commands, texts });
  const messages = {
    ...{ rest, clock, listingOf, voteButtons },
    textsOf: languages.ofChannel,
    styleOf: announcements.findStyle,
  };
  const perform = createPerform({
    announcement: createAnnouncer({
      ...{ rest, textsOf: languages.ofChannel, listingOf, votesOf, clock, log, styleOf: announcements.styleOf },
      voteButtons,
    }),
    directMessage: createDirectMessageHandler({
      rest,
      settings: {
        directMessagesClosed: reminders.directMessagesClosed,
        async isStillWanted(effect) {
          const { message } = effect.content;
          if (message.type !== 'departure') return reminders.isStillWanted(effect);
          return isNoticeWanted(message, { guilds: dependencies.guilds, isMember, now: clock.now() });
        },
      },
      textsOf: memberLanguages.textsOf,
      listingOf,
      clock,
    }),
    ...withoutQuietParties(announcements, parties, {
      partyPanel: createPartyPanelHandler({ rest, panels: parties, textsOf: languages.ofChannel, clock }),
      partyReached: createPartyReachedHandler({ rest, textsOf: languages.ofChannel, clock }),
    }),
    digest: createDigestHandler(messages, {
      votesBetween: dependencies.votesBetween,
      periodOf: announcements.periodOf,
      drawPicture: (listing, texts) => drawInTime(dependencies, listing, texts),
    }),
    lostStreaks: createLostStreaksHandler(messages),
    review: createReviewHandler(messages),
    ownerReport: createOwnerReportHandler({ rest, textsOf: languages.ofChannel }),
    // After linked roles were switched off, there is nothing to do.
    roleConnection: updateRoleConnection,
    partyReward: createPartyRewardHandler(parties, clock),
    role: createRoleHandler({
      rest,
      grants: createRoleGrants({ rewards, outbox, ownerChannelOf, clock }),
      checkGivenRole: givenRoles.check,
      explainFailure: createExplainRoleFailure(rest, clock),
      onExplained: guard.explain,
      textsOf: languages.ofGuild,
      clock,
    }),
  });
  const guarded = guardPerform(perform, guard);
  const dispatcher = createDispatcher({
    outbox,
    perform: tracing === null ? guarded : tracePerform(guarded, tracing),
    isReachable: createReachabilityProbe(rest),
    communityOf: dependencies.communityOfQueue,
    // The calls of handlers are left to the processes that have them.
    isOwn: (queue) => partsOfHandlerQueue(queue) === null && queueShare.isOwn(queue),
    clock,
    log,
    newEffectsPollMs,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      onAttempted(effects, attempt);
    },
  });
  guard.onProbeDue(dispatcher.resume);
  const queueShare = createQueueShare(dependencies.leases, {
    clock: stopwatch,
    log,
    onChange: dispatcher.rediscover,
  });

  return {
    start() {
      queueShare.start();
      dispatcher.start();
    },
    nudge: dispatcher.nudge,
    processes: queueShare.processes,
    wake() {
      dispatcher
        .wake()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'waiting effects could not be made due'));
    },
    stop: () => dispatcher.stop().then(queueShare.stop),
  };
}

/** Null if it takes too long: an attempt to post is limited in time. */
async function drawInTime(
  { clock, drawVotePicture }: Pick<CommandContext, 'clock' | 'drawVotePicture'>,
  listing: string,
  texts: Texts,
): Promise<VotePicture | null> {
  const drawing = drawVotePicture({ listings: [listing], texts, scale: 2, now: clock.now() });
  return (await settleWithin(maxDrawingMs, clock, drawing)) ?? null;
}
