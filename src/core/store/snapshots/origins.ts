import { partsOf } from '../../ledger/account.ts';
import { parseIdentities } from '../../tally/listing-context.ts';
import type { Snapshot } from './snapshot.ts';

/** The ids of deliveries that were recorded for another community than the one whose secret has authenticated them. */
export async function foreignRecordings({ db, run }: Snapshot): Promise<readonly number[]> {
  const paid = await run(
    db
      .selectFrom('deliveries')
      .innerJoin('entries', 'entries.delivery_id', 'deliveries.id')
      .select(['deliveries.id', 'deliveries.origin', 'entries.account_id'])
      .where('origin', 'is not', null)
      .orderBy('deliveries.id'),
  );
  const foreign = paid.filter((row) => {
    const { communityId } = partsOf(row.account_id);
    return parseIdentities(row.origin)?.every((identity) => identity.communityId !== communityId) === true;
  });
  return [...new Set(foreign.map(({ id }) => id))];
}
