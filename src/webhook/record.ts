import { type Log, type Recorded, recordEvent } from '../tally/record-event.ts';
import { recordTest } from '../tally/record-test.ts';
import type { Delivery, Tally } from '../tally/tally.ts';
import { addressee } from './addressee.ts';
import type { Grant } from './keyring.ts';
import { kindIn, type Reading } from './payload.ts';

/** What the reading becomes in the store. Shared with the replay of a quarantined delivery, which logs in its old row. */
export async function record(
  tally: Tally,
  delivery: Delivery,
  reading: Reading,
  grants: readonly Grant[],
  log: Log = (row) => tally.log(row),
): Promise<Recorded> {
  if (reading.is === 'unknown') return quarantine(delivery, reading.kind, reading.reason, grants, log);
  const target = reading.is === 'event' ? reading.event.target : reading.target;
  const listing = addressee(
    grants.map((grant) => grant.listing),
    target,
  );
  if (listing === null)
    return quarantine(delivery, kindIn(reading), 'no configured listing is meant by it', grants, log);
  if (reading.is === 'test') return recordTest(tally, reading, listing, delivery, log);
  return recordEvent(tally, reading.event, listing, delivery, log);
}

/** Kept whole until it is understood: a vote is never lost because its shape was new. */
async function quarantine(
  delivery: Delivery,
  kind: string | null,
  reason: string,
  grants: readonly Grant[],
  log: Log,
): Promise<Recorded> {
  const names = [...new Set(grants.map(({ listing }) => listing.name))];
  const listing = names.length === 1 ? (names[0] ?? null) : null;
  const row = {
    ...delivery,
    listing,
    kind,
    outcome: 'quarantined',
    reason,
    userId: null,
    credits: 0,
    eventKey: null,
  } as const;
  const deliveryId = (await log(row)) ?? 0;
  return { outcome: 'quarantined', deliveryId, credits: 0, reason };
}
