import { identitiesOfPremium, identityOfVote } from '../tally/identity.ts';
import type { Delivery } from '../tally/tally.ts';
import { parseJson, readPayload } from './payload.ts';

/**
 * The keys that the event of a logged delivery is recorded under, as far as its body tells them: none for what is no event, nor for a
 * vote without a time, and only the names of an order that stand in this very body.
 */
export function identify({
  receivedAt,
  family,
  body,
  listing,
}: Delivery & { readonly listing: string | null }): string[] {
  const reading = readPayload(parseJson(body)?.value, { premiumPath: family === 'premium', now: receivedAt });
  if (reading.is !== 'event' || listing === null) return [];
  const { event } = reading;
  if (event.family === 'premium') return [...identitiesOfPremium(event, event.orderIds, body)];
  return event.at === null ? [] : [identityOfVote(event, listing, receivedAt)];
}
