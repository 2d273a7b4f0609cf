import type { RequestHandler } from 'express';
import type { Config } from '../../config/schema.ts';
import { type ReadinessChecks, runReadinessChecks } from '../http/readiness.ts';
import { accountIdOf, homeAccounts } from '../ledger/account-id.ts';
import type { Standings } from '../ledger/standing.ts';
import { maxRequestsPerMinute } from '../lookup/budget.ts';
import type { KeyStatus } from '../lookup/lookup.ts';
import { createOwner } from '../owner/owner.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import type { Replay } from '../webhook/replay.ts';
import { eventKeysOf } from '../webhook/replay.ts';
import { previewListings } from './announcement-previews.ts';
import { currentParty } from './current-party.ts';
import { listingsWithCommunity, timeZoneOf } from './listings.ts';

export interface OwnerAppDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: ReadinessChecks;
  /** The status of each listing's key, by the listing's name. */
  readonly keys: () => Promise<ReadonlyMap<string, KeyStatus>>;
  readonly standings: Standings;
  readonly replay: Replay;
  /** Makes the dispatcher check the queue for effects immediately. */
  readonly nudge: (queue: string) => void;
}

/** The owner's API and console; null without `OWNER_TOKEN`. */
export function createOwnerApp(
  { listings, ownerToken }: Config,
  dependencies: OwnerAppDependencies,
): RequestHandler | null {
  if (ownerToken === null) return null;
  const { store, clock, log, checks, keys, standings, replay, nudge } = dependencies;
  const { records, ownerActions, sessions, ledger } = store;
  const communityListings = listingsWithCommunity(listings);

  return createOwner(ownerToken, {
    ...{ records, actions: ownerActions, sessions, ledger, standings, eventKeysOf, replay, nudge, clock, log },
    cooldowns: new Map(listings.map(({ name, rewards }) => [name, rewards.base.cooldownMs])),
    announcementPreviews: () => previewListings(listings, clock.now()),
    isReminded: (userId) => store.reminders.isReminded(accountIdOf(homeAccounts, userId)),
    rewards: {
      rules: listings.filter(({ implied }) => !implied),
      party: () => currentParty(store.rewards, communityListings, clock.now()),
      grants: store.rewardRecords.grants,
      purchases: store.rewardRecords.purchases,
      reminders: () => store.rewardRecords.reminders(clock.now()),
      votesPerDay: () => store.votesPerDayIn(timeZoneOf(listings))(null, clock.now()),
    },
    health: () => runReadinessChecks(checks),
    budgets: async () =>
      [...(await keys())].map(([listing, { keyRefused, wrongShape, budgetLeft: left }]) => {
        return { listing, left, limit: maxRequestsPerMinute, keyRefused, wrongShape };
      }),
  });
}
