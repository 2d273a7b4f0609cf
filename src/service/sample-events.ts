import { minute } from '../platform/durations.ts';
import { newPurchase } from './actions/premium.ts';
import { voteCooldown } from './listing/cooldown.ts';
import type { ServiceMember } from './storage/members.ts';
import { lifeCyclePayload, type Payload, purchasePayload, votePayload } from './webhooks/payloads.ts';

/** What can be sent by hand. */
export const sendables = ['vote', 'bot-vote', 'premium', 'test'] as const;

export type Sendable = (typeof sendables)[number];

export function isSendable(word: string | undefined): word is Sendable {
  return sendables.some((known) => known === word);
}

export interface EventFacts {
  readonly listingId: string;
  readonly member: ServiceMember;
  readonly creditsAwarded: number | boolean;
}

/** One event as the service would send it at `now` (ms since the epoch). */
export function sampleEvent(what: Sendable, facts: EventFacts, now: number): Payload {
  const { listingId, member, creditsAwarded } = facts;
  const listing = { kind: what === 'bot-vote' ? 'bot' : 'server', id: listingId, name: 'Sent by hand' } as const;
  if (what === 'premium') return purchasePayload(listing, newPurchase(listingId, { buyer: member }, now), now);
  const test = what === 'test';
  return votePayload(listing, { voter: member, at: now, creditsAwarded, adBlocker: false, denialReason: null, test });
}

/** Two events that belong together, the later one first. */
export function reorderedEvents(what: Sendable, facts: EventFacts, now: number): Payload[] {
  if (what !== 'premium') {
    return [sampleEvent(what, facts, now), sampleEvent(what, facts, now - voteCooldown - 1 * minute)];
  }
  const listing = { kind: 'server', id: facts.listingId, name: 'Sent by hand' } as const;
  const bought = newPurchase(facts.listingId, { buyer: facts.member }, now - 1 * minute);
  return [
    lifeCyclePayload('subscription.renewed', listing, bought, now),
    purchasePayload(listing, bought, now - 1 * minute),
  ];
}
