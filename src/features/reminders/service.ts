import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { commandMention } from '@tallyhook/platform/texts/markup';
import { accountIdOf } from '../../core/ledger/account.ts';
import type { DirectMessage, Effect } from '../../core/outbox/effect-kind.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { AnsweringContext, ListedLookup } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { maxRequestsPerMinute } from '../../lookup/budget.ts';
import type { KeyStatus, Lookup } from '../../lookup/lookup.ts';
import type { PartsContext, ServicesContext } from '../parts.ts';
import type { ListingOfCommunity, NextReminder, ReminderNotice, SnoozeResult, StoredReminders } from './store.ts';

const stopTexts = { direct_messages_closed: 'remind.directMessagesClosed' } as const;

/** The reminders of all communities. Each method rejects with the errors of the store. */
export type ReminderService = ReturnType<typeof createReminders>;
export type Reminders = ReturnType<ReminderService['covering']>;

/** @param findListing finds the listing with a name, or the one with the same target that is used instead */
export function createReminders(
  store: StoredReminders,
  findListing: (name: string) => CheckedListing | undefined,
  { clock, log }: Pick<ServicesContext, 'clock' | 'log'>,
) {
  /** Members who are to be informed. In memory, so that commands need not read the database for it. */
  let toInform: ReadonlySet<string> = new Set();

  function covering(covered: readonly CheckedListing[]) {
    const byCommunity = Map.groupBy(covered, ({ communityId }) => communityId);
    const accountsOf = (userId: string) => [...byCommunity.keys()].map((id) => accountIdOf(id, userId));
    return {
      /** Switches the reminders of a member on, for all listings. It asks the service when the next vote is due. */
      async switchOn(userId: string): Promise<readonly NextReminder[]> {
        const next: NextReminder[] = [];
        for (const [communityId, listings] of byCommunity) {
          const cooldowns = await Promise.all(
            listings.map(async (listing) => ({ ...plain(listing), nextVoteAt: await nextVoteAt(userId, listing) })),
          );
          next.push(...(await store.switchOn(accountIdOf(communityId, userId), cooldowns, clock.now())));
        }
        return next;
      },
      async switchOff(userId: string): Promise<void> {
        for (const accountId of accountsOf(userId)) await store.switchOff(accountId);
      },
      async isOn(userId: string): Promise<boolean> {
        for (const accountId of accountsOf(userId)) if (await store.isReminded(accountId)) return true;
        return false;
      },
      /** Reminds of a listing again after a delay (ms). `unknown`: the listing is not configured any more. */
      async snooze(
        userId: string,
        name: string,
        delayMs: number,
      ): Promise<SnoozeResult | { readonly outcome: 'unknown' }> {
        const listing = findListing(name);
        if (listing === undefined) return { outcome: 'unknown' };
        const now = clock.now();
        return store.snooze(accountIdOf(listing.communityId, userId), plain(listing), now + delayMs, now);
      },
    };
  }

  return {
    findListing,
    covering,
    /** Stores that the member accepts no direct messages, to report it at the next command. */
    async directMessagesClosed(userId: string): Promise<void> {
      await store.stop(userId, 'direct_messages_closed', clock.now());
      toInform = new Set(toInform).add(userId);
      log.info({ user: userId, reason: 'direct_messages_closed' }, 'the reminders of a member were switched off');
    },
    /** Reads which members are to be informed, also by other processes. */
    async refreshNotices(): Promise<void> {
      toInform = new Set(await store.membersToInform());
    },
    /** What a member is informed of, once: that the reminders were switched off. Null for nothing. */
    async noticeFor(
      userId: string,
      { commandId, texts }: Pick<AnsweringContext, 'commandId' | 'texts'>,
    ): Promise<Reply | null> {
      if (!toInform.has(userId)) return null;
      const reason = await store.takeStopReason(userId);
      toInform = new Set([...toInform].filter((other) => other !== userId));
      if (reason === null) return null;
      const text = texts.text(stopTexts[reason], { command: commandMention('remind', commandId('remind')) });
      return { tone: 'wait', title: texts.text('remind.titleOff'), text };
    },
  };
}

/** Without the client, which the thread that writes does not get. */
const plain = ({ name, cooldownMs, names = [name] }: CheckedListing) => ({ name, cooldownMs, names });

/** The end of the cooldown by the service; null if the member may vote, or the service does not say. */
async function nextVoteAt(userId: string, { lookup }: CheckedListing): Promise<number | null> {
  const status = await lookup?.voteStatus(userId).catch(() => null);
  return status?.value.nextVoteAt ?? null;
}

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

interface DecisionContext extends Pick<PartsContext, 'clock'> {
  readonly store: { readonly reminders: StoredReminders };
  readonly reminders: Pick<ReminderService, 'findListing'>;
  readonly config: Pick<PartsContext['config'], 'reminders'>;
  readonly directory: Pick<PartsContext['directory'], 'listings'>;
}

/**
 * Decides whether a reminder that is due is sent: only if the service or the ledger confirms that the member may vote.
 * @param onChecked gets `due`: the message is sent; `not_yet`: the member may not vote yet; `unknown`: nothing confirms it
 */
export function createReminderDecision(
  { store: { reminders: store }, reminders, config, directory, clock }: DecisionContext,
  checkVote: ReturnType<typeof createVoteCheck>,
  onChecked: (outcome: 'due' | 'not_yet' | 'unknown') => void,
): (notice: ReminderNotice, effect: Effect<DirectMessage>) => Promise<boolean | RetryLater> {
  return async (notice, { id, content: { userId }, createdAt, possiblySentSince, queue }) => {
    const now = clock.now();
    const latest = now + Math.max(day, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs));
    const listing = reminders.findListing(notice.listing);
    async function postpone(dueAt: number): Promise<false> {
      const accountId = accountIdOf(listing?.communityId ?? parseQueue(queue).communityId, userId);
      await store.postpone(accountId, { listing: notice.listing, dueAt: Math.min(dueAt, latest) }, now);
      return false;
    }
    // The listing may be configured, and reminders switched on again.
    if (!config.reminders || listing === undefined) return postpone(latest);
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
