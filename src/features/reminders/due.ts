import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { accountIdOf } from '../../core/ledger/account.ts';
import type { DirectMessage, Effect } from '../../core/outbox/effect-kind.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { maxRequestsPerMinute } from '../../lookup/budget.ts';
import type { KeyStatus } from '../../lookup/lookup.ts';
import type { Community } from '../communities/feature.ts';
import type { PartsContext, Sendable } from '../parts.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { reminderChannel } from './rules.ts';
import type { CheckedListing, ReminderService } from './service.ts';
import { messageFor, noticesOf, type ReminderMessage, type ReminderNotice, type StoredReminders } from './store.ts';

/** The part of the budget that is left to commands; checks beyond it use the ledger alone. */
const reservedPart = 1 / 2;
/** When to check again if the service does not say when the cooldown ends (ms). */
const unknownCooldownMs = 5 * minute;
/** When to check again if nothing confirms that the member may vote (ms) … */
const retryMs = 30 * second;
/** … and for how long, before the reminder is planned again. */
const maxRetriesMs = 10 * minute;
/** A reminder also mentions the votes that become due within this time (ms), which have none of their own then. */
export const sharedMs = 30 * minute;

/** The answer to whether a member may vote. `unknown`: neither the service nor the ledger confirms it. */
export type VoteCheck =
  | { readonly outcome: 'mayVote' | 'unknown' }
  /** `nextVoteAt`: when to check again (ms since the epoch). */
  | { readonly outcome: 'notYet'; readonly nextVoteAt: number };

/**
 * The service is asked, because it may know votes that were never received. Without a fresh answer, the ledger confirms
 * that a vote is due if it contains the last one.
 */
export function createVoteCheck(
  lastVote: StoredReminders['lastVote'],
  keyStatus: (listing: string) => Promise<KeyStatus | undefined>,
  clock: Clock,
) {
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

  return async (userId: string, listing: CheckedListing): Promise<VoteCheck> => {
    const checked = await askService(userId, listing);
    if (checked !== null) return checked;
    const last = await lastVote(userId, listing);
    const now = clock.now();
    if (last === null || last.at > now) return { outcome: 'unknown' };
    const { nextVoteAt } = last;
    return nextVoteAt <= now ? { outcome: 'mayVote' } : { outcome: 'notYet', nextVoteAt };
  };
}

/** A reminder and what was found out about its vote. */
export interface CheckedNotice {
  readonly notice: ReminderNotice;
  readonly check: VoteCheck;
}

/**
 * One message for the votes that are due at `now` (ms since the epoch), and those of the next half hour, with their
 * times. Null if no vote is due.
 */
export function sharedMessage<Checked extends CheckedNotice>(checked: readonly Checked[], now: number) {
  const due = checked.filter(({ check }) => check.outcome === 'mayVote');
  const soon = checked.filter(({ check }) => check.outcome === 'notYet' && check.nextVoteAt <= now + sharedMs);
  const said = [...due, ...soon].map(({ notice: { listing, dueAt }, check }) => {
    return { listing, dueAt: check.outcome === 'notYet' ? check.nextVoteAt : Math.min(dueAt, now) };
  });
  const [first, ...others] = said.toSorted((a, b) => a.dueAt - b.dueAt);
  return first === undefined || due.length === 0
    ? null
    : { message: messageFor([first, ...others]), included: [...due, ...soon] };
}

type RemindedCommunity = Pick<Community, 'id' | 'timeZone'> & {
  readonly listings: readonly Pick<ListingContext, 'rewards'>[];
};

/** The channel in which members are reminded who accept no direct messages; null for none. */
export function reminderChannelOf(community: RemindedCommunity | undefined): string | null {
  return reminderChannel.in(community?.listings[0]?.rewards ?? {});
}

interface PreparationContext extends Pick<PartsContext, 'clock'> {
  readonly store: { readonly reminders: StoredReminders };
  readonly reminders: Pick<ReminderService, 'findListing'>;
  readonly config: Pick<PartsContext['config'], 'reminders'>;
  readonly directory: { readonly communities: readonly RemindedCommunity[] };
}

interface KnownNotice {
  readonly notice: ReminderNotice;
  readonly listing: CheckedListing;
  /** True for one of the message; false for another reminder, which may join it. */
  readonly isOwn: boolean;
}

/**
 * Prepares a reminder that is due: only if the service or the ledger confirms that the member may vote, with what else is
 * due within half an hour, and not in the member's quiet hours.
 * @param onChecked gets `due`: the message is sent; `not_yet`: the member may not vote yet; `unknown`: nothing confirms it
 */
export function createReminderPreparation(
  { store: { reminders: store }, reminders, config, directory, clock }: PreparationContext,
  checkVote: ReturnType<typeof createVoteCheck>,
  onChecked: (outcome: 'due' | 'not_yet' | 'unknown') => void,
): (message: ReminderMessage, effect: Effect<DirectMessage>) => Promise<Sendable<ReminderMessage> | RetryLater | null> {
  return async (message, effect) => {
    const { id, content, createdAt, possiblySentSince, queue } = effect;
    const { userId } = content;
    const { communityId } = parseQueue(queue);
    const accountId = accountIdOf(communityId, userId);
    const now = clock.now();
    const { isOn, choices } = await store.stateOf(accountId);
    if (!isOn) return null;
    const community = directory.communities.find((each) => each.id === communityId);
    const channelId = choices.isClosed ? reminderChannelOf(community) : null;

    const cooldowns = community?.listings.map(({ rewards }) => rewards.base.cooldownMs) ?? [];
    const latest = now + Math.max(day, ...cooldowns);
    async function postpone(notices: readonly ReminderNotice[], dueAt: number): Promise<null> {
      for (const { listing } of notices) {
        await store.postpone(accountId, { listing, dueAt: Math.min(dueAt, latest) }, now);
      }
      return null;
    }

    const own = noticesOf(message);
    // Reminders may be offered again.
    if (!config.reminders) return postpone(own, latest);

    /** Notices that can be sent now or soon, by listing; a target has one. */
    const known = new Map<string, KnownNotice>();
    async function add(notice: ReminderNotice, isOwn: boolean, isPlan = false): Promise<void> {
      const listing = reminders.findListing(notice.listing);
      // The listing may be configured again; by its name, it may be one of another community.
      if (listing?.communityId !== communityId) {
        if (isOwn) await postpone([notice], latest);
        return;
      }
      if (known.has(listing.name) || !(await store.isCurrent({ userId, ...notice }, listing, isPlan))) return;
      known.set(listing.name, { notice, listing, isOwn });
    }
    for (const notice of own) await add(notice, true);
    const [first, ...rest] = [...known.values()].map(({ notice }) => notice);
    if (first === undefined) return null;
    if (possiblySentSince !== null) return { message: messageFor([first, ...rest]), channelId };
    if (choices.quiet !== null && community !== undefined) {
      const end = endOfQuiet(choices.quiet, calendarOf(community), now);
      if (end > now) return postpone([first, ...rest], end);
    }
    const others = await store.othersUntil(accountId, id, now + sharedMs);
    for (const notice of others.waiting) await add(notice, false);
    for (const notice of others.planned) await add(notice, false, true);

    const checked = await Promise.all(
      [...known.values()].map(async (each) => {
        const [check, last] = await Promise.all([
          checkVote(userId, each.listing),
          store.lastVote(userId, each.listing),
        ]);
        // One that joins may be within the cooldown here, where a vote would earn nothing, although the service allows it.
        const isEarly = check.outcome === 'mayVote' && last !== null && last.nextVoteAt > now;
        return { ...each, check: isEarly ? ({ outcome: 'notYet', nextVoteAt: last.nextVoteAt } as const) : check };
      }),
    );
    const shared = sharedMessage(checked, now);
    const left = checked.filter((each) => each.isOwn && shared?.included.includes(each) !== true);
    let isUnknown = false;
    for (const { notice, check } of left) {
      if (check.outcome === 'notYet') {
        onChecked('not_yet');
        await postpone([notice], Math.max(check.nextVoteAt, now + second));
      } else {
        onChecked('unknown');
        isUnknown = true;
        if (shared !== null) await postpone([notice], now + retryMs);
        else if (now - createdAt > maxRetriesMs) await postpone([notice], now + maxRetriesMs);
      }
    }
    if (shared === null) {
      if (!isUnknown || now - createdAt > maxRetriesMs) return null;
      return {
        outcome: 'later',
        reason: 'neither the service nor the ledger confirms that the member may vote',
        retryAfterMs: retryMs,
        scope: 'effects',
        notSent: true,
      };
    }
    const names = shared.included.flatMap(({ notice, listing }) => [
      ...new Set([notice.listing, listing.name, ...(listing.names ?? [])]),
    ]);
    const isUnchanged = names.length === 1 && own.length === 1 && shared.message.dueAt === message.dueAt;
    if (!isUnchanged) await store.share(accountId, id, shared.message, { names, until: now + sharedMs, now });
    for (const { check } of shared.included) if (check.outcome === 'mayVote') onChecked('due');
    return { message: shared.message, channelId };
  };
}
