import { formatCount, minute } from '@tallyhook/platform/durations';
import { HttpError } from '@tallyhook/platform/web/http-error';
import {
  type DeliveryEffect,
  type DeliveryRecord,
  isPruned,
  type LedgerEntry,
  type Records,
} from '../../core/records/records.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { asSentence, explainDelivery, explainEffect, formatCredits, waitOf } from './explain.ts';

/** A delivery with everything that resulted from it. */
export interface DeliveryDetails {
  readonly delivery: DeliveryRecord;
  /** The id of the delivery that this one duplicates; null if it is not a duplicate, or the original is unknown. */
  readonly original: number | null;
  readonly entry: LedgerEntry | null;
  readonly effects: readonly DeliveryEffect[];
  readonly why: string;
  readonly timeline: readonly TimelineStep[];
}

/** Where a delivery is looked up. */
export interface RecordsContext {
  readonly records: Records;
}

/** @throws HttpError 404 */
export async function getDelivery(context: RecordsContext, id: number): Promise<DeliveryDetails> {
  const delivery = await findDelivery(context, id);
  const original = delivery.originalId;
  const [entry, effects] = await Promise.all([context.records.entryOf(delivery), context.records.effectsOf(id)]);
  const why = explainDelivery(delivery, { entry, original });
  return { delivery, original, entry, effects, why, timeline: timelineOf(delivery, { entry, original, effects }) };
}

/** @throws HttpError 404 */
export async function findDelivery({ records }: Pick<RecordsContext, 'records'>, id: number): Promise<DeliveryRecord> {
  const delivery = await records.delivery(id);
  if (delivery === null) throw new HttpError(404, `Delivery ${id} does not exist.`);
  return delivery;
}

interface TimelineStep {
  /** ms since the epoch. */
  readonly at: number;
  readonly what: string;
  readonly text: string;
}

/** The steps in the processing of a delivery, oldest first. */
function timelineOf(
  delivery: DeliveryRecord,
  {
    entry,
    original,
    effects,
  }: { entry: LedgerEntry | null; original: number | null; effects: readonly DeliveryEffect[] },
): TimelineStep[] {
  const { receivedAt: at, body, family, listing, outcome } = delivery;
  // Only a replay records an event with a later time than its delivery.
  const recordedAt = entry !== null && entry.at > at + 5 * minute ? entry.at : at;
  // The body of a duplicate is that of its original.
  const size =
    isPruned(delivery) || delivery.originalId !== null ? '' : ` of ${formatCount(Buffer.byteLength(body), 'byte')}`;
  return [
    {
      at,
      what: 'received',
      text: `Received and verified a ${family} delivery${size}${listing === null ? ' for an unknown listing' : ''}.`,
    },
    ...(recordedAt > at
      ? [{ at, what: 'held back', text: `Stored until its time: its ${quarantineReasons.aheadOfTime}.` }]
      : []),
    { at: recordedAt, what: outcome, text: explainOutcome(delivery, original) },
    ...(entry === null
      ? []
      : [
          {
            at: recordedAt,
            what: 'entry',
            text: `Entry ${entry.id}: ${entry.cause}, ${formatCredits(entry.credits)}.`,
          },
        ]),
    ...effects.map((effect) => ({
      at: effect.finishedAt ?? effect.createdAt,
      what: `effect ${effect.state}`,
      text: `${effect.kind} ${effect.id}: ${explainEffect(effect)}`,
    })),
  ];
}

function explainOutcome({ outcome, reason }: DeliveryRecord, original: number | null): string {
  switch (outcome) {
    case 'recorded':
      return 'Recorded in one transaction with its entry and its effects.';
    case 'duplicate':
      return original === null ? 'Duplicate of a recorded event.' : `Duplicate of delivery ${original}.`;
    case 'test':
      return 'Processed as a test from the dashboard.';
    case 'ignored':
      return 'Logged as an event that neither pays nor counts.';
    case 'quarantined':
      return explainHold({ outcome, reason });
  }
}

function explainHold(delivery: Pick<DeliveryRecord, 'outcome' | 'reason'>): string {
  const reason = asSentence(delivery.reason);
  switch (waitOf(delivery)) {
    case 'aheadOfTime':
      return `Stored until its time, then replayed automatically: its ${reason}`;
    case 'unconfirmed':
      return `Stored until its site answers: ${reason}`;
    case null:
      return delivery.reason === quarantineReasons.rateAlarm
        ? `Held until the owner decides: ${reason}`
        : `Stored because it could not be processed: ${reason}`;
  }
}
