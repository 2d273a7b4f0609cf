import type { Feature } from '../../core/feature.ts';
import { newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import { voteKeys } from '../../core/tally/idempotency-key.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { guardAgainst, guardsRule } from './rules.ts';
import * as sql from './store.ts';
import { membershipKind, membershipReason } from './store.ts';

export type { GuardServices } from './membership.ts';
export { guardsRule, hiddenRolesOf } from './rules.ts';
export { membershipReason } from './store.ts';

export const guards = {
  sql,
  effects: [membershipKind],
  beforeVote: { of: { rule: guardsRule }, call: guardVote },
  beforeClaim: {
    of: { rule: guardsRule },
    call(_tally, { listing, ...vote }) {
      const rules = guardsRule.in(listing.rewards);
      return rules !== null && guardAgainst(vote, rules) !== null;
    },
  },
} satisfies Feature;

/**
 * Refuses a vote, or holds it until Discord has answered. Its keys are stored, so that repeats are recognised as those of any
 * other vote, and the sender gets the response that it always gets: from there, nobody learns of a refusal.
 */
function guardVote(tally: Tally, { vote, listing, delivery, rowWriter }: UnrecordedVote): RecordedDelivery | null {
  const rules = guardsRule.in(listing.rewards);
  if (rules === null || rowWriter.isReleased) return null;
  const { userId } = vote;
  const { receivedAt } = delivery;
  const against = guardAgainst({ userId, at: vote.at ?? receivedAt, isMember: delivery.isMember === true }, rules);
  if (against === null) return null;
  const isAsked = against === 'unknown_member';
  const reason = isAsked ? membershipReason : against;
  const eventKeys = voteKeys(vote, listing, receivedAt);
  const row = { ...delivery, listing: listing.name, kind: vote.kind, userId, credits: 0, eventKeys, reason };
  const deliveryId = rowWriter.writeRow({ ...row, outcome: isAsked ? 'quarantined' : 'ignored' });
  if (deliveryId === null) return null;
  const { guildId } = listing.community;
  if (isAsked && guildId !== null) {
    const content = { guildId, userId, refusals: 0 };
    const createdAt = rowWriter.effectsCreatedAt;
    tally.enqueue(newEffect(membershipKind, { queue: membershipQueue(listing), content, deliveryId, createdAt }));
  }
  return { outcome: 'recorded', deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}

/** The queue of questions to Discord about the members of a guild. */
function membershipQueue({ community: { id, guildId } }: Pick<ListingContext, 'community'>): QueueName {
  return queueName('membership', id, guildId ?? '');
}

/** The queues that a recorded delivery may have added a question to. */
export function membershipQueuesOf(
  { reason }: { readonly reason: string | null },
  listings: readonly Pick<ListingContext, 'community' | 'rewards'>[],
): readonly QueueName[] {
  if (reason !== membershipReason) return [];
  const asking = listings.filter(({ rewards }) => guardsRule.in(rewards)?.membersOnly === true);
  return [...new Set(asking.map(membershipQueue))];
}
