import type { OwnerContext } from './context.ts';
import { explainDelivery } from './explain.ts';
import { HttpError } from './http-error.ts';
import type { DeliveryRecord, EffectRecord, EntryRecord } from './records.ts';
import { type Moment, timelineOf } from './timeline.ts';

/** All that is known of one delivery. */
export interface DeliveryDetails {
  readonly delivery: DeliveryRecord;
  /** The delivery that this one repeats; null where it repeats none, or it cannot be told which. */
  readonly original: number | null;
  readonly entry: EntryRecord | null;
  readonly effects: readonly EffectRecord[];
  readonly why: string;
  readonly timeline: readonly Moment[];
}

/** @throws Refused 404 */
export async function getDelivery(services: OwnerContext, id: number): Promise<DeliveryDetails> {
  const delivery = await findDelivery(services, id);
  const [original, entry, effects] = await Promise.all([
    originalOf(services, delivery),
    services.records.entryOf(delivery),
    services.records.effectsOf(id),
  ]);
  const why = explainDelivery(delivery, { entry, original });
  return { delivery, original, entry, effects, why, timeline: timelineOf(delivery, { entry, original, effects }) };
}

/** @throws Refused 404 */
export async function findDelivery(services: OwnerContext, id: number): Promise<DeliveryRecord> {
  const delivery = await services.records.delivery(id);
  if (delivery === null) throw new HttpError(404, `There is no delivery ${id}.`);
  return delivery;
}

/** A repeat keeps no key, so its body is read once more. A vote without a time repeats the last one of its user. */
async function originalOf(
  { records, eventKeysOf: identify }: OwnerContext,
  delivery: DeliveryRecord,
): Promise<number | null> {
  const { outcome, family, userId, listing, receivedAt } = delivery;
  if (outcome !== 'duplicate') return null;
  const original = await records.recordedUnder(identify(delivery));
  if (original !== null || family !== 'vote' || userId === null || listing === null) return original;
  return records.lastVote(userId, listing, receivedAt);
}
