import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { accountIdOf } from '../../core/ledger/account.ts';
import type { Effect } from '../../core/outbox/effect.ts';
import type { DirectMessage } from '../../core/outbox/effect-contents.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import { maxRequestsPerMinute } from '../../lookup/budget.ts';
import type { KeyStatus, Lookup } from '../../lookup/lookup.ts';
import type { ListingOfCommunity, ReminderNotice, StoredReminders } from './store.ts';

/** The part of the budget that is left to commands; checks beyond it use the ledger alone. */
const reservedPart = 1 / 2;
/** When to check again if the service does not say when the cooldown ends (ms). */
const unknownCooldownMs = 5 * minute;
/** When to check again if nothing confirms that the member may vote (ms) … */
const retryMs = 30 * second;
/** … and for how long, before the reminder is planned again. */
const maxRetriesMs = 10 * minute;

/** A listing whose votes are checked; `lookup` is null without an API key. */
export interface CheckedListing extends ListingOfCommunity {
  readonly lookup: Lookup | null;
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

interface VoteCheckOptions {
  readonly keyStatus: (listing: string) => Promise<KeyStatus | undefined>;
  /** The last vote in the ledger; rejects with the database driver's error. */
  readonly lastVote: StoredReminders['lastVote'];
  readonly clock: Clock;
}

/**
 * The service is asked, because it may know votes that were never received. Without a fresh answer, the ledger confirms
 * that a vote is due if it contains the last one.
 */
export function createVoteCheck({ keyStatus, lastVote, clock }: VoteCheckOptions): CheckVote {
  async function askService(userId: string, { name, lookup }: CheckedListing): Promise<VoteCheck | null> {
    if (lookup === null) return null;
    const { budgetLeft = null, budgetLimit = maxRequestsPerMinute } = (await keyStatus(name)) ?? {};
    if ((budgetLeft ?? 0) <= budgetLimit * reservedPart) return null;
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

/** `due`: the message is sent. `not_yet`: the member may not vote yet. `unknown`: nothing confirms it. */
export type ReminderOutcome = 'due' | 'not_yet' | 'unknown';

/** Decides whether a reminder that is due is sent: only if the service or the ledger confirms that the member may vote. */
export function createReminderDecision(options: {
  readonly store: StoredReminders;
  /** The one with this name, or the one with the same target that is used instead. */
  readonly findListing: (name: string) => CheckedListing | undefined;
  /** Whether reminders are offered; otherwise none is sent. */
  readonly isEnabled: boolean;
  /** The longest cooldown of all listings (ms). */
  readonly longestCooldownMs: () => number;
  readonly checkVote: CheckVote;
  readonly clock: Clock;
  readonly onChecked: (outcome: ReminderOutcome) => void;
}): (notice: ReminderNotice, effect: Effect<DirectMessage>) => Promise<boolean | RetryLater> {
  const { store, findListing, isEnabled, longestCooldownMs, checkVote, clock, onChecked } = options;

  return async (notice, { id, content: { userId }, createdAt, possiblySentSince, queue }) => {
    const now = clock.now();
    const latest = now + Math.max(day, longestCooldownMs());
    const listing = findListing(notice.listing);
    async function postpone(dueAt: number): Promise<false> {
      const accountId = accountIdOf(listing?.communityId ?? parseQueue(queue).communityId, userId);
      await store.postpone(accountId, { listing: notice.listing, dueAt: Math.min(dueAt, latest) }, now);
      return false;
    }
    // The listing may be configured, and reminders switched on again.
    if (!isEnabled || listing === undefined) return postpone(latest);
    if (!(await store.isCurrent({ userId, ...notice }, listing))) return false;
    if (possiblySentSince !== null) return true;
    const check = await checkVote(userId, listing);
    switch (check.outcome) {
      case 'mayVote': {
        const { names = [], communityId: accounts } = listing;
        if (names.length > 1) await store.dropOthers(accountIdOf(accounts, userId), names, id, now);
        onChecked('due');
        return true;
      }
      case 'notYet':
        onChecked('not_yet');
        return postpone(Math.max(check.nextVoteAt, now + second));
      case 'unknown':
        onChecked('unknown');
        if (now - createdAt > maxRetriesMs) return postpone(now + maxRetriesMs);
        return {
          outcome: 'later',
          reason: 'neither the service nor the ledger confirms that the member may vote',
          retryAfterMs: retryMs,
          scope: 'effects',
          notSent: true,
        };
    }
  };
}
