import { minute } from '../platform/durations.ts';
import { quarantineReasons } from '../tally/quarantine.ts';
import { explainEffect, paid, stated } from './explain.ts';
import type { DeliveryRecord, EffectRecord, EntryRecord } from './records.ts';

/** One thing that happened to a delivery. */
export interface Moment {
  /** ms since the epoch. */
  readonly at: number;
  readonly what: string;
  readonly text: string;
}

/** What happened to a delivery, in order. */
export function timelineOf(
  delivery: DeliveryRecord,
  {
    entry,
    original,
    effects,
  }: { entry: EntryRecord | null; original: number | null; effects: readonly EffectRecord[] },
): Moment[] {
  const { receivedAt: at, body, family, listing, outcome } = delivery;
  // Only a replay records an event of later than its delivery.
  const recordedAt = entry !== null && entry.at > at + 5 * minute ? entry.at : at;
  const bytes = Buffer.byteLength(body).toLocaleString('en');
  return [
    {
      at,
      what: 'received',
      text: `A ${family} delivery of ${bytes} bytes arrived, for ${listing ?? 'no listing that is known'}.`,
    },
    ...(recordedAt > at
      ? [{ at, what: 'held back', text: `Kept whole until its time: its ${quarantineReasons.aheadOfTime}.` }]
      : []),
    { at: recordedAt, what: outcome, text: outcomeText(delivery, original) },
    ...(entry === null
      ? []
      : [{ at: recordedAt, what: 'entry', text: `Entry ${entry.id}: ${entry.cause}, ${paid(entry.credits)}.` }]),
    ...effects.map((effect) => ({
      at: effect.finishedAt ?? effect.createdAt,
      what: `effect ${effect.state}`,
      text: `${effect.kind} ${effect.id}: ${explainEffect(effect)}`,
    })),
  ];
}

function outcomeText({ outcome, reason }: DeliveryRecord, original: number | null): string {
  switch (outcome) {
    case 'recorded':
      return 'Recorded in one transaction with its entry and its effects.';
    case 'duplicate':
      return original === null ? 'A repeat of an event that is recorded.' : `A repeat of delivery ${original}.`;
    case 'test':
      return 'Taken for a test from the dashboard.';
    case 'quarantined':
      return reason === quarantineReasons.aheadOfTime
        ? `Kept whole until its time, and then replayed by itself: its ${stated(reason)}`
        : `Kept whole, for it was not understood: ${stated(reason)}`;
  }
}
