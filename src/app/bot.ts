import type { CommandContext, DescriptionContext, ListedLookup } from '../../commands/command.ts';
import { commandsFor } from '../../commands/index.ts';
import { remindButtons } from '../../commands/remind-button.ts';
import type { VotePicture } from '../../commands/vote-picture.ts';
import type { Config } from '../../config/schema.ts';
import { createAnnouncer } from '../discord/announcements/announcer.ts';
import { createDigestHandler, type DigestSource } from '../discord/announcements/digest.ts';
import type { CardSource } from '../discord/announcements/listing-card.ts';
import { createLostStreaksHandler } from '../discord/announcements/lost-streaks.ts';
import { createReviewHandler } from '../discord/announcements/new-review.ts';
import { createPartyPanelHandler, type PartyPanels } from '../discord/announcements/party-panel.ts';
import { createPartyReachedHandler } from '../discord/announcements/party-reached.ts';
import { createGatewayClient } from '../discord/gateway/gateway-client.ts';
import { createGuildLanguages } from '../discord/guild-languages.ts';
import { fetchApplicationId } from '../discord/inspection.ts';
import { createInteractions, type UnlocalizedContext } from '../discord/interactions/interactions.ts';
import { createRestTransports } from '../discord/interactions/rest-transport.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import { createMemberLanguages, type MemberLocales } from '../discord/member-languages.ts';
import { createDirectMessageHandler } from '../discord/notifications/direct-message.ts';
import { createOwnerReportHandler } from '../discord/notifications/owner-report.ts';
import { createGlobalRateLimit } from '../discord/rate-limit.ts';
import type { CommandRegistry } from '../discord/registration/command-registry.ts';
import { createRegistrar } from '../discord/registration/registrar.ts';
import { createDiscordRest, createReachabilityProbe } from '../discord/rest.ts';
import { createExplainRoleFailure } from '../discord/roles/role-failure.ts';
import { createRoleHandler } from '../discord/roles/roles.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import type { AttemptResult, ClaimedEffect } from '../outbox/effect.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createPerform, type EffectHandlers } from '../outbox/perform.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { memoizeOne } from '../platform/memoize.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import type { RewardStore } from '../tally/reward-store.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import type { AnnouncementsOfListings } from './announcements.ts';
import { createPartyRewardHandler } from './party-reward.ts';
import type { ReminderService } from './reminders.ts';
import { createRoleGrants } from './role-grants.ts';
import type { MemberSeen } from './seen-members.ts';

/** The Discord side of tallyhook: replies to commands and processes the outbox. */
export interface Bot {
  /** Whether every shard is connected to the gateway. */
  readonly isConnected: boolean;
  /** Connects, and starts to process the outbox. */
  start(): void;
  /** Registers the commands again if what they offer has changed. */
  offerChanged(): void;
  /** Makes the dispatcher check these queues for effects immediately. */
  nudge(queues: readonly string[]): void;
  /** Stops commands and effects; each may finish within a few seconds. */
  stop(): Promise<void>;
}

export interface BotDependencies {
  /** What a command can use where it is used. Returns the same object for the same settings. */
  readonly contextFor: (place: CommandPlace) => BotContext | Promise<BotContext>;
  /** What registered commands offer, with the listings of all communities. */
  readonly offer: () => Omit<DescriptionContext, 'texts'>;
  readonly findLookup: (listing: string) => ListedLookup | undefined;
  readonly drawVotePicture: CommandContext['drawVotePicture'];
  readonly clock: Clock;
  readonly reminders: ReminderService;
  readonly announcements: AnnouncementsOfListings;
  /** The counted votes of a member. */
  readonly votesOf: (userId: string) => Promise<number>;
  readonly votesBetween: DigestSource['votesBetween'];
  readonly outbox: Outbox;
  /** How often to look for effects of other processes (ms); null to find them within about 2 s. */
  readonly newEffectsPollMs: number | null;
  readonly commandRegistry: CommandRegistry;
  readonly rewards: RewardStore;
  readonly partyPanels: PartyPanels;
  readonly memberLocales: MemberLocales;
  readonly onMemberSeen: MemberSeen;
  /** The channel for reports to the owner of a guild; null for none. */
  readonly ownerChannelOf: (guildId: string) => string | null;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Real time, for the connection to Discord. */
  readonly stopwatch: Clock;
  /** Updates what Discord knows of a member for linked roles; undefined if they are off. */
  readonly updateRoleConnection: EffectHandlers['roleConnection'];
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/** The part of a command's context that the bot does not add itself. */
export type BotContext = Omit<UnlocalizedContext, 'commands' | 'commandId' | 'reminders'>;

const maxDrawingMs = 3 * second;

/** Creates the bot without connecting to anything. */
export function createBot(
  config: Pick<Config, 'discord' | 'reminders' | 'clientSecret' | 'publicUrl'>,
  dependencies: BotDependencies,
): Bot {
  const { discord } = config;
  const {
    contextFor,
    offer,
    findLookup,
    clock,
    outbox,
    rewards,
    reminders,
    newEffectsPollMs,
    commandRegistry,
    metrics,
    log,
    stopwatch,
  } = dependencies;
  const { updateRoleConnection = async () => ({ outcome: 'done' as const }) } = dependencies;
  const { announcements, votesOf, partyPanels, onAttempted, onMemberSeen, ownerChannelOf } = dependencies;
  const commands = commandsFor(config);
  const listingOf = createCardSource(findLookup);
  const globalLimit = createGlobalRateLimit(stopwatch);
  const rest = createDiscordRest({ ...discord, clock: stopwatch, globalLimit });
  const languages = createGuildLanguages({ rest, configured: announcements.languageOf, clock: stopwatch });
  const memberLanguages = createMemberLanguages({
    locales: dependencies.memberLocales,
    fallback: async () => (discord.guildId === null ? textsFor(null) : languages.ofGuild(discord.guildId)),
    log,
  });
  const voteButtons = (texts: Texts) => remindButtons({ commands, texts });
  const messages = {
    ...{ rest, clock, listingOf, voteButtons },
    textsOf: languages.ofChannel,
    styleOf: announcements.findStyle,
  };
  const dispatcher = createDispatcher({
    outbox,
    perform: createPerform({
      announcement: createAnnouncer({
        ...{ rest, textsOf: languages.ofChannel, listingOf, votesOf, clock, log, styleOf: announcements.styleOf },
        voteButtons,
      }),
      directMessage: createDirectMessageHandler({
        rest,
        settings: reminders,
        textsOf: memberLanguages.textsOf,
        listingOf,
        clock,
      }),
      ...withoutQuietParties(announcements, partyPanels, {
        partyPanel: createPartyPanelHandler({ rest, panels: partyPanels, textsOf: languages.ofChannel, clock }),
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
      partyReward: createPartyRewardHandler(rewards, clock),
      role: createRoleHandler({
        rest,
        grants: createRoleGrants({ rewards, outbox, ownerChannelOf, clock }),
        explainFailure: createExplainRoleFailure(rest, clock),
        textsOf: languages.ofGuild,
        clock,
      }),
    }),
    isReachable: createReachabilityProbe(rest),
    clock,
    log,
    newEffectsPollMs,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      onAttempted(effects, attempt);
    },
  });
  const registrar = createRegistrar({
    rest,
    guildId: discord.guildId,
    commands,
    offer,
    registry: commandRegistry,
    clock,
    log,
  });
  const complete = memoizeOne((context: BotContext): UnlocalizedContext => {
    return { ...context, commands, commandId: registrar.idOf, reminders };
  });
  const interactions = createInteractions({
    commands,
    clock,
    contextFor(place) {
      const context = contextFor(place);
      return context instanceof Promise ? context.then(complete) : complete(context);
    },
    noticeFor: (userId, texts) => reminders.noticeFor(userId, { texts, commandId: registrar.idOf }),
    isOwnCommand: registrar.isOwn,
    log,
    onAnswered(command, outcome, tookMs) {
      metrics.commands.inc({ command, outcome });
      metrics.commandSeconds.observe({ command }, tookMs / second);
    },
    onMemberSeen(input, command) {
      if (command.leadsToDirectMessages) memberLanguages.note(input);
      onMemberSeen(input);
    },
  });
  const transports = createRestTransports({ apiUrl: discord.apiUrl, globalLimit });
  const client = createGatewayClient({
    ...discord,
    clock: stopwatch,
    log,
    globalLimit,
    onInteraction: (interaction) => interactions(interaction, transports(interaction)),
    onReady: (applicationId) => {
      registrar.start(applicationId);
      dispatcher
        .wake()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'waiting effects could not be made due'));
    },
  });

  return {
    get isConnected() {
      return client.ready;
    },
    start() {
      dispatcher.start();
      client.start();
      // Usually faster than the gateway, so that commands are registered before the first interaction. If it fails,
      // onReady starts it.
      fetchApplicationId(rest).then(registrar.start, () => {});
    },
    offerChanged: registrar.update,
    nudge: dispatcher.nudge,
    async stop() {
      registrar.stop();
      await Promise.all([dispatcher.stop(), client.stop()]);
    },
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

type PartyHandlers = Required<Pick<EffectHandlers, 'partyPanel' | 'partyReached'>>;

/** Drops what was enqueued about parties before they were switched off. */
function withoutQuietParties(
  { announcesParty }: AnnouncementsOfListings,
  panels: PartyPanels,
  { partyPanel, partyReached }: PartyHandlers,
): PartyHandlers {
  return {
    async partyPanel(effect) {
      const { channelId, period } = effect.content;
      if (announcesParty(channelId)) return partyPanel(effect);
      // The next vote after they are switched on again enqueues an update.
      await panels.rejected(period);
      return { outcome: 'done' };
    },
    partyReached: async (effect) =>
      announcesParty(effect.content.channelId) ? partyReached(effect) : { outcome: 'done' },
  };
}

/** Reads the listing's name and URL on the service, for announcements. */
function createCardSource(findLookup: BotDependencies['findLookup']): CardSource {
  return async (name) => {
    const listing = findLookup(name);
    if (listing === undefined) return null;
    const { value } = await listing.lookup.profile();
    return { name: value.name, url: value.url };
  };
}
