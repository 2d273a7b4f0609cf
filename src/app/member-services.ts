import type { ListedRules } from '../../commands/command.ts';
import type { Config } from '../../config/schema.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { Standings } from '../ledger/standing.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { memoizeOne } from '../platform/memoize.ts';
import type { Store } from '../store/store.ts';
import type { ShopContext } from '../tally/purchase-store.ts';
import { eventKeysOf } from '../webhook/replay.ts';
import { createAwards } from './awards.ts';
import type { BotContext, BotDependencies } from './bot.ts';
import { createClaims } from './claims.ts';
import type { Community, Directory } from './directory.ts';
import { type CommunityListing, listedRules } from './listings.ts';
import type { LookupClients } from './lookup-clients.ts';
import { createMemberDataAccess } from './member-data.ts';
import { createReminderLoop, type ReminderLoop } from './reminder-loop.ts';
import { createReminderService } from './reminders.ts';
import { createShop } from './shop.ts';
import { createTraces } from './traces.ts';
import { type CheckedListing, createVoteCheck, listingToCheck } from './vote-check.ts';
import { createVotePictures } from './vote-pictures.ts';

/** What members and managers use through commands. */
export interface MemberServices
  extends Pick<BotDependencies, 'contextFor' | 'offer' | 'findLookup' | 'reminders' | 'drawVotePicture'> {
  readonly standings: Standings;
  /** Sends the reminders; to be started only if they are switched on. */
  readonly reminderLoop: ReminderLoop;
}

export function createMemberServices(
  config: Pick<Config, 'reminders'>,
  options: {
    readonly store: Store;
    readonly lookups: LookupClients;
    readonly directory: Directory;
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly log: Log;
    /** Polls these queues of the outbox, in every process. */
    readonly nudge: (queues: readonly string[]) => void;
    /** Ends linked roles of a member; undefined if they are off. */
    readonly unlink: ((userId: string) => Promise<boolean>) | undefined;
  },
): MemberServices {
  const { store, lookups, directory, metrics, clock, log, nudge, unlink } = options;
  const toCheck = (listing: CommunityListing) => listingToCheck(listing, lookups.find);
  const findReminded = (name: string): CheckedListing | undefined => {
    const listing = directory.find(name);
    return listing === undefined || listing.implied ? undefined : toCheck(listing);
  };
  const reminders = createReminderService({
    listings: () => directory.communities.flatMap(({ named }) => named.map(toCheck)),
    ...{ store: store.reminders, findListing: findReminded, isEnabled: config.reminders, clock, log },
  });
  const drawVotePicture = createVotePictures({
    timeZoneOf: (listing) => directory.communityOf(listing)?.timeZone ?? 'UTC',
    ...{ votesPerDayIn: store.votesPerDayIn, log },
  });
  const communityContexts = createCommunityContexts({ directory, lookups, store });
  const context = {
    ...{ clock, drawVotePicture },
    shop: createShop({
      shopIn: (guildId) => shopIn(directory, guildId),
      ...{ purchases: store.purchases, clock, log, nudge },
      onPurchase: (result) => metrics.purchases.inc({ result }),
    }),
    awards: createAwards({ actions: store.ownerActions, clock, log }),
    claims: createClaims({
      ...{ findListing: directory.find, findLookup: lookups.find },
      ...{ ledger: store.ledger, recorder: store.claims, clock, log },
    }),
    memberData: createMemberDataAccess({
      longestCooldownMs: () => longestCooldownMs(directory),
      ...{ memberData: store.memberData, clock, log, ...(unlink && { unlink }) },
    }),
    traces: createTraces({ records: store.records, eventKeysOf }),
  };
  const completeContext = memoizeOne((ofCommunities: CommunityContext): BotContext => {
    return { ...context, ...ofCommunities };
  });
  return {
    standings: communityContexts.of(directory.communities).standings,
    reminders,
    drawVotePicture,
    findLookup: lookups.find,
    reminderLoop: createReminderLoop({
      ...{ reminders: store.reminders, findListing: findReminded, clock, log, onPoll: reminders.refreshNotices },
      longestCooldownMs: () => longestCooldownMs(directory),
      createCheck: () => createVoteCheck({ ...lookups, lastVoteAt: store.ledger.lastVoteAt, clock }),
      onChecked: (outcome) => metrics.reminders.inc({ outcome }),
      onEnqueued: (queue) => nudge([queue]),
    }),
    contextFor: ({ guildId }: CommandPlace) => completeContext(communityContexts.of(directory.inGuild(guildId))),
    offer: () => {
      return { listings: lookups.of(directory.listings), isShared: directory.isShared };
    },
  };
}

/** The part of a command's context that depends on the communities that it covers. */
type CommunityContext = Pick<BotContext, 'listings' | 'isShared' | 'rules' | 'standings'>;

function createCommunityContexts({
  directory,
  lookups,
  store,
}: {
  readonly directory: Directory;
  readonly lookups: LookupClients;
  readonly store: Store;
}) {
  const standingsIn = new Map<string, Standings>();

  function standingsOf(timeZone: string): Standings {
    const standings = standingsIn.get(timeZone) ?? store.standingsIn(timeZone);
    standingsIn.set(timeZone, standings);
    return standings;
  }

  function create(communities: readonly Community[]): CommunityContext {
    const listings = communities.flatMap((community) => community.listings);
    const rules: readonly ListedRules[] = listedRules(listings);
    const standings = standingsOf(communities[0]?.timeZone ?? 'UTC');
    return { listings: lookups.of(listings), isShared: directory.isShared, rules, standings };
  }

  let contexts = memoizeOne(create);
  directory.onChange(() => {
    contexts = memoizeOne(create);
  });
  return { of: (communities: readonly Community[]) => contexts(communities) };
}

/** The roles of a shop are given in its own guild, so it is open there, and in direct messages if it is the only one. */
function shopIn(directory: Directory, guildId: string | null): ShopContext {
  const [first, ...others] = directory.inGuild(guildId);
  const only = guildId === null && others.length === 0 ? first : undefined;
  const community = only ?? directory.ofGuild(guildId) ?? directory.ofGuild(null);
  if (community === undefined) return { guildId, items: [], ownerChannelId: null };
  return { guildId: community.guildId, items: community.shop, ownerChannelId: community.ownerChannelId };
}

function longestCooldownMs({ listings }: Directory): number {
  return Math.max(0, ...listings.map(({ rewards }) => rewards.base.cooldownMs));
}
