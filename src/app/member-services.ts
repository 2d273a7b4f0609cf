import type { CoveredCommunity } from '../../commands/context.ts';
import type { Config } from '../../config/schema.ts';
import { type AccountScope, homeAccounts } from '../core/ledger/account-id.ts';
import type { Standings } from '../core/ledger/standing.ts';
import { eventKeysOf } from '../core/receiving/replay.ts';
import { namesOfTarget } from '../core/tally/community.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import { createClaims } from '../features/claims/claims.ts';
import type { Community, Directory } from '../features/communities/directory.ts';
import { type CommunityListing, isRepeated, listedRules } from '../features/communities/listings.ts';
import type { LookupClients } from '../features/communities/lookup-clients.ts';
import { createAwards } from '../features/corrections/awards.ts';
import type { Handling } from '../features/handlers/handling.ts';
import { createMemberDataAccess } from '../features/member-data/member-data.ts';
import { createVotePictures } from '../features/pictures/vote-pictures.ts';
import type { ReminderService } from '../features/reminders/service.ts';
import { createReminderService } from '../features/reminders/service.ts';
import { type CheckedListing, listingToCheck } from '../features/reminders/vote-check.ts';
import { createShop, findShop } from '../features/shop/shop.ts';
import type { Store } from '../features/store.ts';
import { createTraces } from '../owner/traces.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { Log } from '../platform/log.ts';
import { memoizeOne } from '../platform/memoize.ts';
import type { AnnouncingDependencies } from './announcing.ts';
import type { AnsweringDependencies, BotContext } from './answering.ts';

/** What members and managers use through commands. */
export interface MemberServices
  extends Pick<AnsweringDependencies, 'contextFor' | 'offer' | 'reminders'>,
    Pick<AnnouncingDependencies, 'drawVotePicture'> {
  readonly standings: Standings;
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
    readonly handling: Pick<Handling, 'recording' | 'subscriptions'>;
    /** As for claims. */
    readonly compareTargets?: (listing: string) => Promise<void>;
    /** Ends linked roles of a member; undefined if they are off. */
    readonly unlink: ((userId: string) => Promise<boolean>) | undefined;
  },
): MemberServices {
  const { store, lookups, directory, metrics, clock, log, nudge, unlink, handling, compareTargets } = options;
  const toCheck = (listing: CommunityListing) => listingToCheck(listing, lookups.find);
  const findReminded = (name: string): CheckedListing | undefined => {
    const named = directory.find(name);
    const [first = name] = named === undefined ? [] : namesOfTarget(named.community, name);
    const listing = directory.find(first);
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
  const communityContexts = createCommunityContexts({ directory, lookups, store, reminders, clock, log });
  const context = {
    ...{ clock, drawVotePicture },
    shop: createShop({
      shopIn: (guildId) => findShop(directory, guildId),
      ...{ store: store.shop, clock, log, nudge },
      isHandled: () => handling.subscriptions.kinds().includes('purchase'),
      onPurchase: (result) => metrics.purchases.inc({ result }),
    }),
    claims: createClaims({
      ...{ findListing: directory.find, findLookup: lookups.find, ...(compareTargets && { compareTargets }) },
      ...{ ledgerIn: store.ledgerIn, recorder: handling.recording.claims(store.recorder), clock, log },
    }),
    memberData: createMemberDataAccess({
      longestCooldownMs: () => longestCooldownMs(directory),
      ...{ memberData: store.memberData, clock, log, ...(unlink && { unlink }) },
    }),
  };
  const completeContext = memoizeOne((ofCommunities: CommunityContext): BotContext => {
    return { ...context, ...ofCommunities };
  });
  function homeStandings(): Standings {
    const home = directory.communities.find(({ accounts }) => accounts === homeAccounts);
    return communityContexts.standingsOf(homeAccounts, home?.timeZone ?? 'UTC');
  }

  return {
    standings: homeStandings(),
    reminders,
    drawVotePicture,
    contextFor({ guildId, userId }: CommandPlace) {
      const found = communityContexts.at({ guildId, userId });
      return found instanceof Promise ? found.then(completeContext) : completeContext(found);
    },
    offer: () => {
      const listings = directory.listings.filter((listing) => !isRepeated(listing));
      return { listings: lookups.of(listings), isShared: directory.isShared };
    },
  };
}

function longestCooldownMs({ listings }: Directory): number {
  return Math.max(0, ...listings.map(({ rewards }) => rewards.base.cooldownMs));
}

/** Communities whose standings are kept in memory. */
const maxStandings = 200;

/** The part of a command's context that depends on the communities that it covers. */
export type CommunityContext = Pick<
  BotContext,
  'listings' | 'isShared' | 'communities' | 'rules' | 'standings' | 'awards' | 'traces' | 'reminders'
>;

const shown = (listings: readonly CommunityListing[]) => listings.filter((listing) => !isRepeated(listing));

/** Of the components of commands, for a community whose guild is not known. */
const unknownGuild = 'home';

export interface CommunityContexts {
  /** The context of commands at a place; the same object for the same settings, unless the database must be asked. */
  at(place: CommandPlace): CommunityContext | Promise<CommunityContext>;
  standingsOf(accounts: AccountScope, timeZone: string): Standings;
}

export function createCommunityContexts({
  directory,
  lookups,
  store,
  reminders,
  clock,
  log,
}: {
  readonly directory: Directory;
  readonly lookups: LookupClients;
  readonly store: Store;
  readonly reminders: ReminderService;
  readonly clock: Clock;
  readonly log: Log;
}): CommunityContexts {
  const standingsIn = new BoundedMap<Standings>(maxStandings);

  function standingsOf(accounts: AccountScope, timeZone: string): Standings {
    const key = `${accounts} ${timeZone}`;
    const standings = standingsIn.get(key) ?? store.standingsIn(accounts, timeZone);
    standingsIn.set(key, standings);
    return standings;
  }

  /** Several communities have the home accounts if the guild of some listings is not known. */
  function cover(communities: readonly Community[]): readonly CoveredCommunity[] {
    return [...Map.groupBy(communities, ({ accounts }) => accounts)].map(([accounts, sharing]) => {
      const listings = sharing.flatMap((community) => community.listings);
      const guildId = sharing.find((community) => community.guildId !== null)?.guildId ?? null;
      return {
        ...{ id: guildId ?? unknownGuild, guildId },
        ...{ listings: lookups.of(shown(listings)), rules: listedRules(listings) },
        standings: standingsOf(accounts, sharing[0]?.timeZone ?? 'UTC'),
      };
    });
  }

  /** @param options.covered those whose accounts are used @param options.isManaged by the managers of the guild */
  function create(
    communities: readonly Community[],
    { covered, isManaged }: { readonly covered: readonly Community[]; readonly isManaged: boolean },
  ): CommunityContext {
    const listings = communities.flatMap((community) => community.listings);
    const { accounts = homeAccounts, guildId = null, timeZone = 'UTC' } = covered[0] ?? {};
    const named = covered.flatMap((community) => community.named);
    const isOnly = directory.communities.length === 1 && !directory.isShared;
    const only = { guildId, listings: listings.map(({ name }) => name) };
    return {
      ...{ listings: lookups.of(shown(listings)), isShared: directory.isShared, rules: listedRules(listings) },
      communities: isOnly ? null : cover(covered),
      standings: standingsOf(accounts, timeZone),
      reminders: reminders.covering(named.map((listing) => listingToCheck(listing, lookups.find))),
      awards: isManaged ? createAwards({ recorder: store.recorder, accounts, clock, log }) : null,
      traces: isManaged
        ? createTraces({ records: store.records, eventKeysOf }, { accounts, only: isOnly ? null : only })
        : null,
    };
  }

  function memoized() {
    return {
      managed: memoizeOne((communities: readonly Community[]) =>
        create(communities, { covered: communities, isManaged: true }),
      ),
      visited: memoizeOne((communities: readonly Community[]) =>
        create(communities, { covered: communities, isManaged: false }),
      ),
    };
  }
  let contexts = memoized();
  directory.onChange(() => {
    contexts = memoized();
  });

  /** Those in which the member has an account, or all of the operator's if there is none. */
  async function communitiesOf(userId: string, communities: readonly Community[]): Promise<readonly Community[]> {
    const scopes = await store.communitiesOf(userId);
    const own = communities.filter(({ accounts }) => scopes.includes(accounts));
    return own.length > 0 ? own : communities.filter(({ isHosted }) => !isHosted);
  }

  /** A guild whose id is not configured may be any guild. */
  function isManaged(guildId: string | null): boolean {
    if (guildId === null) return false;
    const [first, ...others] = directory.communities;
    const isUnknown = first?.guildId === null && others.length === 0;
    return isUnknown || directory.ofGuild(guildId) !== undefined;
  }

  return {
    standingsOf,
    at({ guildId, userId }) {
      const communities = directory.inGuild(guildId);
      if (isManaged(guildId)) return contexts.managed(communities);
      if (communities.length <= 1) return contexts.visited(communities);
      return communitiesOf(userId, communities).then((covered) => {
        // In direct messages, members see only what is theirs; in a guild, the listings of the operator are for everyone.
        return create(guildId === null ? covered : communities, { covered, isManaged: false });
      });
    },
  };
}
