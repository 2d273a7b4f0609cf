import type { Clock } from '../../platform/clock.ts';
import { parseJson } from '../../platform/json.ts';
import { type Family, type KnownVoteKind, voteKinds } from '../../webhook/event.ts';
import { familyIn, inferVoteKind, kindIn, type ParsedPayload, readPayload } from '../../webhook/payload.ts';
import type { KnownOutcome } from '../../webhook/response.ts';
import { premiumKeys, voteKey } from '../tally/idempotency-key.ts';
import { queuesOf } from '../tally/queues.ts';
import type { Recorder } from '../tally/recorder.ts';
import { alreadyReplayed, type Delivery, type RecordedDelivery, type RoutedDelivery } from '../tally/tally.ts';
import { type ResolvableListing, withoutSecrets } from './listing.ts';
import { routeDelivery } from './route-delivery.ts';
import { isOnSite, readStoredSiteDelivery, routeSitePayload } from './site-delivery.ts';

/** A delivery from the log, with the columns that a replay needs. */
export interface StoredDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: KnownOutcome;
}

/** Resolves after the commit; rejects as {@link Recorder} does. */
export type Replay = (delivery: StoredDelivery & Pick<Delivery, 'isDue'>) => Promise<RecordedDelivery>;

/**
 * Parses a quarantined delivery again with the current code and settings, and records it at its time of receipt; only
 * its announcement dates from the replay. The signature was verified on receipt. A delivery that is no longer
 * quarantined is a duplicate and pays nothing.
 */
export function createReplay(options: {
  /** The configured listings. */
  listings: () => readonly ResolvableListing[];
  recorder: Recorder;
  clock: Clock;
  /** Called after each commit with the queues that may have a new effect. */
  onRecorded?: (recorded: RecordedDelivery, queues: readonly string[]) => void;
}): Replay {
  const { listings, recorder, clock, onRecorded = () => {} } = options;

  return async (delivery) => {
    if (delivery.outcome !== 'quarantined') {
      return { ...alreadyReplayed, deliveryId: delivery.id, reason: 'already replayed' };
    }
    const { id, family, receivedAt, body, isDue } = delivery;
    const configured = listings();
    const namesakes = configured.filter(({ name }) => name === delivery.listing);
    // A listing of another site has deliveries of its own.
    const candidates = namesakes.length > 0 ? namesakes : configured.filter((each) => !isOnSite(each));
    const now = clock.now();
    const routed = route(delivery, candidates, now);
    const recorded = await recorder.recordReplay(
      id,
      { receivedAt, family, body, ...(isDue && { isDue }) },
      routed,
      now,
    );
    onRecorded(recorded, queuesOf(delivery, routed));
    return recorded;
  };
}

function route(delivery: StoredDelivery, candidates: readonly ResolvableListing[], now: number): RoutedDelivery {
  const { family, body } = delivery;
  const [listing] = candidates;
  if (isOnSite(listing) && listing.name === delivery.listing)
    return routeSitePayload(readStoredSiteDelivery(body, listing, now), listing);
  const scopes = candidates.map((each) => ({ listing: withoutSecrets(each), family }));
  const payload = readStoredPayload(delivery, now, inferVoteKind(scopes, { signed: true }));
  return routeDelivery(requireFamily(family, payload), scopes);
}

/** A later version may recognise an event of the other family, which the secret of the delivery does not authorize. */
function requireFamily(family: Family, payload: ParsedPayload): ParsedPayload {
  const payloadFamily = familyIn(payload);
  if (payloadFamily === null || payloadFamily === family) return payload;
  const reason = `it was signed with a ${family} secret`;
  return { type: 'unprocessable', kind: kindIn(payload), reason, family: payloadFamily };
}

/** The payload of a delivery from the log. `now` is in ms since the epoch. */
export function readStoredPayload(
  { body, family }: Pick<Delivery, 'body' | 'family'>,
  now: number,
  defaultVote: KnownVoteKind | null = null,
): ParsedPayload {
  return readPayload(parseJson(body), { premiumPath: family === 'premium', now, defaultVote });
}

/**
 * The idempotency keys of a delivery from the log, as far as its body determines them. Empty for a delivery that is not
 * an event and for a vote without a timestamp. For an order, only the IDs in this body count.
 */
export function eventKeysOf(
  delivery: Delivery & { readonly listing: string | null; readonly kind: string | null },
): string[] {
  const { receivedAt, listing, kind } = delivery;
  // If the body has no kind, the column has the inferred one.
  const defaultVote = voteKinds.find((voteKind) => voteKind === kind) ?? null;
  const payload = readStoredPayload(delivery, receivedAt, defaultVote);
  if (payload.type !== 'event' || listing === null) return [];
  const { event } = payload;
  if (event.family === 'premium') return [...premiumKeys(event, event.orderIds, delivery)];
  return event.at === null ? [] : [voteKey(event, listing, receivedAt)];
}
