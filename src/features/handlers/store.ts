import type { CommunityId } from '../../core/ledger/account.ts';
import { type NewEffect, newEffect } from '../../core/outbox/effect-kind.ts';
import type { HandlerContent, HandlerEvent, HandlerListing } from '../../core/outbox/handler-events.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { creditsOf } from '../../core/rewards/reward.ts';
import { run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { RecordedPremium, RecordedVote, Tally } from '../../core/tally/tally.ts';
import { handlerKind } from './handlers.ts';

/* Which kinds of handlers the processes have. Times are ms since the epoch. */

export const reads = {
  async renewedSince({ db, connection }: Sql, since: number): Promise<readonly string[]> {
    const kinds = db.selectFrom('handler_subscriptions').select('kind').where('renewed_at', '>=', since);
    return (await run(connection, kinds)).map(({ kind }) => kind);
  },
};

export const writes = {
  /** In the order of their names, so that no process waits for another in a circle. */
  async renew(sql: Sql, kinds: readonly string[], renewed_at: number): Promise<void> {
    for (const kind of kinds.toSorted()) await upsert(sql, 'handler_subscriptions', { kind }, { renewed_at });
  },
};

/** The kinds of handlers that processes have, in the database. */
export type StoredSubscriptions = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

export function handlerListing({ name, kind, community }: ListingContext): HandlerListing {
  return { name, kind, guildId: community.guildId };
}

export function callAfterVote(tally: Tally, vote: RecordedVote): void {
  enqueueCalls(tally, vote.listing, voteEvents(vote), vote.now);
}

export function callAfterPremium(tally: Tally, premium: RecordedPremium): void {
  enqueueCalls(tally, premium.listing, [premiumEvent(premium)], premium.now);
}

/** The events of a counted vote: itself, and what it reached. */
function voteEvents(vote: RecordedVote): readonly HandlerEvent[] {
  const { listing, at, entries, account, streak, reached } = vote;
  const [own] = entries;
  const common = { ...fieldsOf(vote), userId: account.userId, balance: account.credits, streak };
  const denied = own?.cause === 'denied';
  return [
    {
      type: 'vote',
      ...common,
      credits: creditsOf(entries),
      votes: account.votes,
      denied,
      reason: denied ? own.reason : null,
      nextVoteAt: vote.nextVoteAt ?? at + listing.rewards.base.cooldownMs,
    },
    ...reached.streaks.map(({ days, credits }) => ({ type: 'streak', ...common, credits, days }) as const),
    ...(reached.milestone === null ? [] : [{ type: 'milestone', ...common, ...reached.milestone } as const]),
  ];
}

function premiumEvent({ event, credits, balance, ...recorded }: RecordedPremium): HandlerEvent {
  const { kind, userId, giftedBy, tier, periodEnd } = event;
  return { type: 'premium', ...fieldsOf(recorded), kind, userId, giftedBy, tier, periodEnd, credits, balance };
}

/**
 * Enqueues a call for each event that has a handler.
 * @param createdAt the current time (ms since the epoch)
 */
function enqueueCalls(
  tally: Pick<Tally, 'enqueue'>,
  { handled = [], community }: ListingContext,
  events: readonly HandlerEvent[],
  createdAt: number,
): void {
  for (const event of events) {
    if (!handled.includes(event.type)) continue;
    const { deliveryId } = event;
    tally.enqueue(handlerCall(community.id, { id: callId(event, createdAt), event }, deliveryId, createdAt));
  }
}

/** The effect that calls the handler for an event. @param createdAt the current time (ms since the epoch) */
export function handlerCall(
  communityId: CommunityId,
  content: HandlerContent,
  deliveryId: number | null,
  createdAt: number,
): NewEffect {
  const queue = queueName('handler', communityId, content.event.type);
  return newEffect(handlerKind, { queue, content, deliveryId, createdAt });
}

/** Ids of deliveries can be used again after one was deleted, so it has the time as well. */
function callId(event: HandlerEvent, createdAt: number): string {
  const { type, deliveryId, userId, at, listing } = event;
  const cause = deliveryId === null ? [at.toString(36), userId, listing?.name] : [deliveryId, createdAt.toString(36)];
  return [type, ...cause, ...(type === 'streak' ? [event.days] : [])].join('-');
}

function fieldsOf({ listing, deliveryId, at }: Pick<RecordedVote, 'listing' | 'deliveryId' | 'at'>) {
  return { listing: handlerListing(listing), guildId: listing.community.guildId, deliveryId, at };
}
