import { minute } from '../platform/durations.ts';
import { newPurchase } from './actions/orders.ts';
import { voteCooldownMs } from './listing/cooldown.ts';
import type { ServiceMember } from './storage/members/members.ts';
import { lifecyclePayload, type Payload, purchasePayload, votePayload } from './webhooks/payloads.ts';

/** The events that `tallyhook send` can send. */
export const sampleEventTypes = ['vote', 'bot-vote', 'premium', 'test'] as const;

export type SampleEventType = (typeof sampleEventTypes)[number];

export function isSampleEventType(value: string | undefined): value is SampleEventType {
  return sampleEventTypes.some((type) => type === value);
}

export interface SampleEventInput {
  readonly listingId: string;
  readonly member: ServiceMember;
  readonly creditsAwarded: number | boolean;
}

/** One event as the service would send it at `now` (ms since the epoch). */
export function sampleEvent(type: SampleEventType, input: SampleEventInput, now: number): Payload {
  const { listingId, member, creditsAwarded } = input;
  const listing = { kind: type === 'bot-vote' ? 'bot' : 'server', id: listingId, name: 'Sample listing' } as const;
  if (type === 'premium') return purchasePayload(listing, newPurchase(listingId, { buyer: member }, now), now);
  const test = type === 'test';
  return votePayload(listing, { voter: member, at: now, creditsAwarded, adBlocker: false, denialReason: null, test });
}

/** Two events in the wrong order: two votes of one user, or a renewal before its purchase. */
export function reorderedEvents(type: SampleEventType, input: SampleEventInput, now: number): Payload[] {
  if (type !== 'premium') {
    return [sampleEvent(type, input, now), sampleEvent(type, input, now - voteCooldownMs - 1 * minute)];
  }
  const listing = { kind: 'server', id: input.listingId, name: 'Sample listing' } as const;
  const order = newPurchase(input.listingId, { buyer: input.member }, now - 1 * minute);
  return [
    lifecyclePayload('subscription.renewed', listing, order, now),
    purchasePayload(listing, order, now - 1 * minute),
  ];
}
