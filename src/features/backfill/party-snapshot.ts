import type { PartyProgress } from '../../core/rewards/party.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';

/** The progress of all parties for which votes were counted, by the ID of their period. */
export async function partiesIn({ db, run }: Snapshot): Promise<ReadonlyMap<string, PartyProgress>> {
  const rows = await run(db.selectFrom('parties').selectAll());
  return new Map(rows.map(({ period, votes, reached_at: reachedAt }) => [period, { votes, reachedAt }]));
}
