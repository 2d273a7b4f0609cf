import type { RequestHandler } from 'express';
import type { Config } from '../../config/schema.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { Replay } from '../core/receiving/replay.ts';
import { eventKeysOf } from '../core/receiving/replay.ts';
import type { Directory } from '../features/communities/directory.ts';
import { createReversals } from '../features/corrections/reversals.ts';
import type { ConsoleCard } from '../features/parts.ts';
import type { Store } from '../features/store.ts';
import { maxRequestsPerMinute } from '../lookup/budget.ts';
import type { KeyStatus } from '../lookup/lookup.ts';
import type { Clock } from '../platform/clock.ts';
import { type ReadinessChecks, runReadinessChecks } from '../platform/http/readiness.ts';
import type { Log } from '../platform/log.ts';
import { service } from '../webhook/sites/service.ts';
import { findSite } from '../webhook/sites/site-settings.ts';
import { previewListings } from './announcement-previews.ts';
import { createOwnerCommunities } from './communities.ts';
import type { SignInLinks } from './console/sign-in-links.ts';
import { createOwner } from './owner.ts';

export interface OwnerAppDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: ReadinessChecks;
  readonly directory: Directory;
  /** The guild of the home community; null if it has none. */
  readonly home: string | null;
  /** The status of a listing's key; undefined without a key. */
  readonly keyStatus: (listing: string) => Promise<KeyStatus | undefined>;
  readonly standings: Standings;
  readonly cards: readonly ConsoleCard[];
  readonly replay: Replay;
  /** Makes the dispatcher check the queue for effects immediately. */
  readonly nudge: (queue: string) => void;
  readonly signInLinks?: SignInLinks | undefined;
}

/** The owner's API and console; null without `OWNER_TOKEN`. */
export function createOwnerApp(
  { ownerToken }: Pick<Config, 'ownerToken'>,
  dependencies: OwnerAppDependencies,
): RequestHandler | null {
  if (ownerToken === null) return null;
  const { store, clock, log, checks, directory, home, keyStatus, standings, cards, replay, nudge, signInLinks } =
    dependencies;
  const { records, outbox, recorder, sessions } = store;

  return createOwner(ownerToken, {
    records,
    outbox,
    recorder,
    sessions,
    eventKeysOf,
    replay,
    nudge,
    signInLinks,
    clock,
    log,
    communities: createOwnerCommunities({ store, directory, home, standings }),
    nextVotes: store.nextVotes.ofMember,
    cooldowns: (accounts) => {
      const listings = directory.listings.filter(
        ({ community }) => accounts === null || community.accounts === accounts,
      );
      return new Map(listings.map(({ name, rewards }) => [name, rewards.base.cooldownMs]));
    },
    sites: () => new Map(directory.listings.map(({ name, site }) => [name, site ? findSite(site) : service])),
    timeZones: () => new Map(directory.listings.map(({ name, community }) => [name, community.timeZone])),
    alarms: {
      held: store.rateAlarms.held,
      decide: (listing, decision) => store.rateAlarms.decide(listing, decision, clock.now()),
    },
    reversals: createReversals({
      store,
      listingsOf: (listing) => directory.communityOf(listing)?.named ?? [],
      clock,
      log,
    }),
    announcementPreviews: () => previewListings(directory.listings, clock.now()),
    rewards: {
      rules: () => directory.listings.filter(({ implied }) => !implied),
      cards,
      votesPerDay: () => store.votesPerDayIn(directory.communities[0]?.timeZone ?? 'UTC')(null, clock.now()),
    },
    health: () => runReadinessChecks(checks),
    async budgets() {
      const statuses = await Promise.all(
        directory.listings.map(async ({ name: listing }) => {
          const status = await keyStatus(listing);
          if (status === undefined) return [];
          const { keyRefused, wrongShape, budgetLeft: left, budgetLimit: limit = maxRequestsPerMinute } = status;
          return [{ listing, left, limit, keyRefused, wrongShape }];
        }),
      );
      return statuses.flat();
    },
  });
}
