import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { addVote } from './rate.ts';
import { rateAlarms } from './tables.ts';

declare module '../../core/rewards/rules.ts' {
  interface ListingRewards {
    /** Whether many more votes than usual are held for the owner, because anyone who sees a request can forge votes. */
    readonly rateAlarm?: true;
  }
}

/** Counts a vote, and holds it if there are too many: its delivery is quarantined until the owner decides. */
export function holdVote(
  tally: Tally,
  { vote, listing, delivery, rowWriter }: UnrecordedVote,
): RecordedDelivery | null {
  // The owner has released it.
  if (rowWriter.replayedId !== null) return null;
  const rate = tally.rowOf(rateAlarms, listing.name);
  const counted = addVote(rate, delivery.receivedAt);
  if (counted !== rate) tally.saveRow(rateAlarms, counted);
  if (counted.state !== 'held') return null;
  const reason = quarantineReasons.rateAlarm;
  const row = { ...delivery, listing: listing.name, kind: vote.kind, userId: vote.userId, credits: 0, eventKeys: [] };
  const deliveryId = rowWriter.writeRow({ ...row, outcome: 'quarantined', reason });
  if (deliveryId === null) return null;
  return { outcome: 'quarantined', deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}
