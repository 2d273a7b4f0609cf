import type { Premium } from '../ledger/event.ts';
import { type HandlerEvent, type HandlerListing, handlerQueue } from '../outbox/handler-events.ts';
import type { Reached } from '../rewards/decide-vote.ts';
import { creditsOf, type RewardEntry } from '../rewards/reward.ts';
import type { AccountState } from './account-state.ts';
import type { ListingContext, Tally } from './tally.ts';

/** The listing as handlers see it. */
export function handlerListing({ name, kind, community }: ListingContext): HandlerListing {
  return { name, kind, guildId: community.guildId };
}

/** What is common to the events of one delivery or claim. */
interface Origin {
  readonly listing: ListingContext;
  readonly deliveryId: number | null;
  /** Time of the event (ms since the epoch). */
  readonly at: number;
}

/** A counted vote as it was recorded. */
interface CountedVote extends Origin {
  /** The vote's own entry first. */
  readonly entries: readonly RewardEntry[];
  /** The account with the entries. */
  readonly account: AccountState;
  /** The streak after it (days). */
  readonly streak: number;
  readonly reached: Reached;
}

/** The events of a counted vote: itself, and what it reached. */
export function voteEvents(vote: CountedVote): readonly HandlerEvent[] {
  const { listing, at, entries, account, streak, reached } = vote;
  const [own] = entries;
  const common = { ...fieldsOf(vote), userId: account.userId, balance: account.credits, streak };
  const denied = own?.cause === 'denied';
  return [
    {
      ...{ type: 'vote', ...common, credits: creditsOf(entries), votes: account.votes },
      ...{ denied, reason: denied ? own.reason : null, nextVoteAt: at + listing.rewards.base.cooldownMs },
    },
    ...reached.streaks.map(({ days, credits }) => ({ type: 'streak', ...common, credits, days }) as const),
    ...(reached.milestone === null ? [] : [{ type: 'milestone', ...common, ...reached.milestone } as const]),
  ];
}

export function premiumEvent(
  { kind, userId, giftedBy, tier, periodEnd }: Premium,
  recorded: Origin & { readonly credits: number; readonly balance: number | null },
): HandlerEvent {
  const { credits, balance } = recorded;
  return { type: 'premium', ...fieldsOf(recorded), kind, userId, giftedBy, tier, periodEnd, credits, balance };
}

/**
 * Enqueues a call for each event that has a handler.
 * @param createdAt the current time (ms since the epoch)
 */
export function enqueueCalls(
  tally: Pick<Tally, 'enqueue'>,
  { handled = [] }: ListingContext,
  events: readonly HandlerEvent[],
  createdAt: number,
): void {
  for (const event of events) {
    if (!handled.includes(event.type)) continue;
    const { deliveryId, guildId } = event;
    const content = { id: callId(event, createdAt), event };
    tally.enqueue({ kind: 'handler', queue: handlerQueue(event.type, guildId), content, deliveryId, createdAt });
  }
}

/** Ids of deliveries can be used again after one was deleted, so it has the time as well. */
function callId(event: HandlerEvent, createdAt: number): string {
  const { type, deliveryId, userId, at, listing } = event;
  const cause = deliveryId === null ? [at.toString(36), userId, listing?.name] : [deliveryId, createdAt.toString(36)];
  return [type, ...cause, ...(type === 'streak' ? [event.days] : [])].join('-');
}

function fieldsOf({ listing, deliveryId, at }: Origin) {
  return { listing: handlerListing(listing), guildId: listing.community.guildId, deliveryId, at };
}
