import type { ListedLookup } from '../../commands/command.ts';
import type { ListingConfig } from '../../config/schema.ts';
import type { KeyStatus, Lookup } from '../lookup/lookup.ts';
import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import type { RemindedListing } from '../tally/reminder-store.ts';

/** Requests of the budget that are left to commands; checks beyond it use the ledger alone. */
const reservedRequests = 60;
/** When to check again if the service does not say when the cooldown ends (ms). */
const unknownCooldownMs = 5 * minute;

/** A listing whose votes are checked; `lookup` is null without an API key. */
export interface CheckedListing extends RemindedListing {
  readonly lookup: Lookup | null;
}

/** The listings that members vote for, each with its lookup client. */
export function listingsToCheck(
  listings: readonly ListingConfig[],
  lookups: readonly ListedLookup[],
): readonly CheckedListing[] {
  return listings
    .filter(({ implied }) => !implied)
    .map(({ name, rewards }) => {
      const { cooldownMs } = rewards.base;
      return { name, cooldownMs, lookup: lookups.find((listing) => listing.name === name)?.lookup ?? null };
    });
}

/** Whether a member may vote. `unknown`: neither the service nor the ledger confirms it. */
export type VoteCheck =
  | { readonly outcome: 'mayVote' | 'unknown' }
  /** `nextVoteAt`: when to check again (ms since the epoch). */
  | { readonly outcome: 'notYet'; readonly nextVoteAt: number };

/** Checks votes within a part of the budget. Never rejects because of the service. */
export type CheckVote = (userId: string, listing: CheckedListing) => Promise<VoteCheck>;

/**
 * Creates the check for one batch. The service is asked, because it may know votes that were never received. Without a
 * fresh answer, the ledger confirms that a vote is due if it contains the last one.
 * @param lastVoteAt rejects with the database driver's error
 */
export async function createVoteCheck(options: {
  readonly keyStatuses: () => Promise<ReadonlyMap<string, KeyStatus>>;
  readonly lastVoteAt: (userId: string, listing: string) => Promise<number | null>;
  readonly clock: Clock;
}): Promise<CheckVote> {
  const { keyStatuses, lastVoteAt, clock } = options;
  const statuses = await keyStatuses();
  const requestsLeft = new Map(
    [...statuses].map(([name, { budgetLeft }]) => [name, (budgetLeft ?? 0) - reservedRequests]),
  );

  async function askService(userId: string, { name, lookup }: CheckedListing): Promise<VoteCheck | null> {
    const left = requestsLeft.get(name) ?? 0;
    if (lookup === null || left <= 0) return null;
    requestsLeft.set(name, left - 1);
    const status = await lookup.voteStatus(userId).catch(() => null);
    if (status === null || status.stale) return null;
    const { canVote, nextVoteAt } = status.value;
    return canVote
      ? { outcome: 'mayVote' }
      : { outcome: 'notYet', nextVoteAt: nextVoteAt ?? clock.now() + unknownCooldownMs };
  }

  return async (userId, listing) => {
    const checked = await askService(userId, listing);
    if (checked !== null) return checked;
    const votedAt = await lastVoteAt(userId, listing.name);
    const now = clock.now();
    if (votedAt === null || votedAt > now) return { outcome: 'unknown' };
    const nextVoteAt = votedAt + listing.cooldownMs;
    return nextVoteAt <= now ? { outcome: 'mayVote' } : { outcome: 'notYet', nextVoteAt };
  };
}
