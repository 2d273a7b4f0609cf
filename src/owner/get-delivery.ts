import { type DeliveryRecord, type EffectRecord, type EntryRecord, isPruned } from '../core/records/records.ts';
import { HttpError } from '../platform/web/http-error.ts';
import type { OwnerContext } from './context.ts';
import { explainDelivery } from './explain.ts';
import { type TimelineStep, timelineOf } from './timeline.ts';

/** A delivery with everything that resulted from it. */
export interface DeliveryDetails {
  readonly delivery: DeliveryRecord;
  /** The id of the delivery that this one duplicates; null if it is not a duplicate, or the original is unknown. */
  readonly original: number | null;
  readonly entry: EntryRecord | null;
  readonly effects: readonly EffectRecord[];
  readonly why: string;
  readonly timeline: readonly TimelineStep[];
}

type RecordsContext = Pick<OwnerContext, 'records' | 'eventKeysOf'>;

/** @throws HttpError 404 */
export async function getDelivery(context: RecordsContext, id: number): Promise<DeliveryDetails> {
  const delivery = await findDelivery(context, id);
  const [original, entry, effects] = await Promise.all([
    findOriginal(context, delivery),
    context.records.entryOf(delivery),
    context.records.effectsOf(id),
  ]);
  const why = explainDelivery(delivery, { entry, original });
  return { delivery, original, entry, effects, why, timeline: timelineOf(delivery, { entry, original, effects }) };
}

/** @throws HttpError 404 */
export async function findDelivery({ records }: Pick<OwnerContext, 'records'>, id: number): Promise<DeliveryRecord> {
  const delivery = await records.delivery(id);
  if (delivery === null) throw new HttpError(404, `Delivery ${id} does not exist.`);
  return delivery;
}

/**
 * Duplicates of earlier versions are stored without their original, so the keys are read from the body. A vote without a timestamp, or whose body
 * was pruned, duplicates its user's last vote.
 */
async function findOriginal(
  { records, eventKeysOf }: RecordsContext,
  delivery: DeliveryRecord,
): Promise<number | null> {
  const { outcome, family, userId, listing, receivedAt } = delivery;
  if (outcome !== 'duplicate') return null;
  if (delivery.originalId !== null) return delivery.originalId;
  const keys = isPruned(delivery) ? [] : eventKeysOf(delivery);
  const original = await records.recordedUnder(keys);
  if (original !== null || family !== 'vote' || userId === null || listing === null) return original;
  return records.lastVote(userId, listing, receivedAt);
}
