import { dealtWith } from './dealt-with.ts';
import type { Meaning } from './meaning.ts';
import type { Delivery, Filing, Recorded } from './tally.ts';

/** Kept whole until it is understood: a vote is never lost because its shape was new. */
export async function quarantine(
  delivery: Delivery,
  { kind, reason, listing }: Omit<Meaning & { is: 'unclear' }, 'is'>,
  { log }: Filing,
): Promise<Recorded> {
  const unpaid = { userId: null, credits: 0, eventKey: null };
  const deliveryId = await log({ ...delivery, listing, kind, outcome: 'quarantined', reason, ...unpaid });
  return deliveryId === null ? dealtWith : { outcome: 'quarantined', deliveryId, credits: 0, reason };
}
