import { type DeliveryRecord, type EffectRecord, type EntryRecord, isPruned } from '../core/records/records.ts';
import { formatCount, minute } from '../platform/durations.ts';
import { quarantineReasons } from '../webhook/quarantine-reasons.ts';
import { asSentence, explainEffect, formatCredits } from './explain.ts';

/** A step in the processing of a delivery. */
export interface TimelineStep {
  /** ms since the epoch. */
  readonly at: number;
  readonly what: string;
  readonly text: string;
}

/** The steps in the processing of a delivery, oldest first. */
export function timelineOf(
  delivery: DeliveryRecord,
  {
    entry,
    original,
    effects,
  }: { entry: EntryRecord | null; original: number | null; effects: readonly EffectRecord[] },
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
      text: `Received and verified a ${family} delivery${size} for ${listing ?? 'an unknown listing'}.`,
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
    case 'quarantined':
      return reason === quarantineReasons.aheadOfTime
        ? `Stored until its time, then replayed automatically: its ${asSentence(reason)}`
        : `Stored because it could not be processed: ${asSentence(reason)}`;
  }
}
