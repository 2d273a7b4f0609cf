import type { Outage } from '../../rewards/outages.ts';
import { toOutage } from '../recording/queries.ts';
import type { Snapshot } from './snapshot.ts';

/** All times in which receiving was down, oldest first. */
export async function outagesIn({ db, run }: Snapshot): Promise<readonly Outage[]> {
  return (await run(db.selectFrom('outages').selectAll().orderBy('from_at'))).map(toOutage);
}
