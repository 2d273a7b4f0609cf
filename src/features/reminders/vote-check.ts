import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { CommunityId } from '../../core/ledger/account.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import { maxRequestsPerMinute } from '../../lookup/budget.ts';
import type { KeyStatus, Lookup } from '../../lookup/lookup.ts';
import type { RemindedListing } from './reminder.ts';
import type { StoredReminders } from './store.ts';

/** The part of the budget that is left to commands; checks beyond it use the ledger alone. */
const reservedPart = 1 / 2;
/** When to check again if the service does not say when the cooldown ends (ms). */
const unknownCooldownMs = 5 * minute;

/** A listing whose votes are checked; `lookup` is null without an API key. */
export interface CheckedListing extends RemindedListing {
  readonly lookup: Lookup | null;
  /** Which accounts the members of its community have. */
  readonly communityId: CommunityId;
}

/** A listing with its lookup client. */
export function listingToCheck(
  { name, rewards, community }: Pick<ListingContext, 'name' | 'rewards' | 'community'>,
  findLookup: (name: string) => ListedLookup | undefined,
): CheckedListing {
  return {
    name,
    cooldownMs: rewards.base.cooldownMs,
    names: namesOfTarget(community, name),
    lookup: findLookup(name)?.lookup ?? null,
    communityId: community.id,
  };
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
 * @param lastVote of the ledger; rejects with the database driver's error
 */
export function createVoteCheck(options: {
  readonly keyStatus: (listing: string) => Promise<KeyStatus | undefined>;
  readonly lastVote: StoredReminders['lastVote'];
  readonly clock: Clock;
}): CheckVote {
  const { keyStatus, lastVote, clock } = options;
  const budgets = new Map<string, Promise<{ left: number }>>();

  async function readBudget(name: string): Promise<{ left: number }> {
    const { budgetLeft = null, budgetLimit = maxRequestsPerMinute } = (await keyStatus(name)) ?? {};
    return { left: (budgetLeft ?? 0) - budgetLimit * reservedPart };
  }

  async function askService(userId: string, { name, lookup }: CheckedListing): Promise<VoteCheck | null> {
    if (lookup === null) return null;
    const reading = budgets.get(name) ?? readBudget(name);
    budgets.set(name, reading);
    const budget = await reading;
    if (budget.left <= 0) return null;
    budget.left -= 1;
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
    const last = await lastVote(userId, listing);
    const now = clock.now();
    if (last === null || last.at > now) return { outcome: 'unknown' };
    const { nextVoteAt } = last;
    return nextVoteAt <= now ? { outcome: 'mayVote' } : { outcome: 'notYet', nextVoteAt };
  };
}
