import { voteKinds } from '../ledger/event.ts';
import { premiumKeys, voteKey } from '../tally/idempotency-key.ts';
import type { Delivery } from '../tally/tally.ts';
import { parseJson, readPayload } from './payload.ts';

/**
 * The keys that the event of a logged delivery is recorded under, as far as its body tells them: none for what is no event, nor for a
 * vote without a time, and only the names of an order that stand in this very body.
 */
export function eventKeysOf({
  receivedAt,
  family,
  body,
  listing,
  kind,
}: Delivery & { readonly listing: string | null; readonly kind: string | null }): string[] {
  // A body that names no kind was read as the one that its row has.
  const defaultVote = voteKinds.find((each) => each === kind) ?? null;
  const premiumPath = family === 'premium';
  const reading = readPayload(parseJson(body)?.value, { premiumPath, now: receivedAt, defaultVote });
  if (reading.type !== 'event' || listing === null) return [];
  const { event } = reading;
  if (event.family === 'premium') return [...premiumKeys(event, event.orderIds, body)];
  return event.at === null ? [] : [voteKey(event, listing, receivedAt)];
}
