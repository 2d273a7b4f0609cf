import type { Config } from '../../config/schema.ts';
import { homeAccounts } from '../core/ledger/account-id.ts';
import type { Standings } from '../core/ledger/standing.ts';
import { namesOfTarget } from '../core/tally/community.ts';
import type { ShopContext } from '../core/tally/purchase-store.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import { createClaims } from '../features/claims/claims.ts';
import type { Directory } from '../features/communities/directory.ts';
import { type CommunityListing, isRepeated } from '../features/communities/listings.ts';
import type { Handling } from '../features/handlers/handling.ts';
import type { LookupClients } from '../features/listings/lookup-clients.ts';
import { createMemberDataAccess } from '../features/member-data/member-data.ts';
import { createVotePictures } from '../features/pictures/vote-pictures.ts';
import { createReminderService } from '../features/reminders/service.ts';
import { type CheckedListing, listingToCheck } from '../features/reminders/vote-check.ts';
import { createShop } from '../features/shop/shop.ts';
import type { Store } from '../features/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { Log } from '../platform/log.ts';
import { memoizeOne } from '../platform/memoize.ts';
import type { AnnouncingDependencies } from './announcing.ts';
import type { AnsweringDependencies, BotContext } from './answering.ts';
import { type CommunityContext, createCommunityContexts } from './community-contexts.ts';

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
      shopIn: (guildId) => shopIn(directory, guildId),
      ...{ purchases: store.purchases, clock, log, nudge },
      isHandled: () => handling.subscriptions.kinds().includes('purchase'),
      onPurchase: (result) => metrics.purchases.inc({ result }),
    }),
    claims: createClaims({
      ...{ findListing: directory.find, findLookup: lookups.find, ...(compareTargets && { compareTargets }) },
      ...{ ledgerIn: store.ledgerIn, recorder: handling.recording.claims(store.claims), clock, log },
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

/** The roles of a shop are given in its own guild, so it is open there, and in direct messages if it is the only one. */
function shopIn(directory: Directory, guildId: string | null): ShopContext {
  const [first, ...others] = directory.inGuild(guildId);
  const only = guildId === null && others.length === 0 ? first : undefined;
  const community = only ?? directory.ofGuild(guildId) ?? directory.ofGuild(null);
  if (community === undefined) return { accounts: homeAccounts, guildId, items: [], ownerChannelId: null };
  const { accounts } = community;
  return { accounts, guildId: community.guildId, items: community.shop, ownerChannelId: community.ownerChannelId };
}

function longestCooldownMs({ listings }: Directory): number {
  return Math.max(0, ...listings.map(({ rewards }) => rewards.base.cooldownMs));
}
