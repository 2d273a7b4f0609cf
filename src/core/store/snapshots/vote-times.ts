import { type Kysely, sql } from 'kysely';
import { accountRange, type CommunityId } from '../../ledger/account.ts';
import { countedVoteCauses } from '../../ledger/entry.ts';
import type { Outage } from '../../rewards/outages.ts';
import { literal } from '../query-builder.ts';
import { toOutage } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import type { Snapshot } from './snapshot.ts';

const votes = countedVoteCauses.map((cause) => literal(cause));
const pageSize = 10_000;

/**
 * Counted votes of a community by slot of time (`at` divided by `slotMs`), in ascending order. One scan of the entries; the result
 * grows with the time that they span, not with their number.
 */
export function countVotesBySlot({ db, run }: Snapshot, communityId: CommunityId, slotMs: number) {
  const slot = slotOf(slotMs);
  return run(
    entriesOf(db, communityId)
      .select(({ fn }) => [slot.as('slot'), fn.countAll<number>().as('votes')])
      .where('cause', 'in', votes)
      .groupBy(slot)
      .orderBy(slot),
  );
}

/** The times of all counted votes of a community in these slots (ms since the epoch). One scan of the entries, in pages. */
export async function* voteTimesIn(
  { db, run }: Snapshot,
  communityId: CommunityId,
  slots: readonly number[],
  slotMs: number,
) {
  if (slots.length === 0) return;
  let lastId = 0;
  while (true) {
    const page = await run(
      entriesOf(db, communityId)
        .select(['id', 'at'])
        .where('id', '>', lastId)
        .where('cause', 'in', votes)
        .where(slotOf(slotMs), 'in', slots)
        .orderBy('id')
        .limit(pageSize),
    );
    for (const { at } of page) yield at;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    lastId = last.id;
  }
}

function entriesOf(db: Kysely<Tables>, communityId: CommunityId) {
  const { after, before } = accountRange(communityId);
  return db.selectFrom('entries').where('account_id', '>', after).where('account_id', '<', before);
}

/** Times before 1970 do not occur: the integer division of both databases rounds towards zero. */
function slotOf(slotMs: number) {
  return sql<number>`at / ${sql.lit(slotMs)}`;
}

/** All times in which receiving was down, oldest first. */
export async function outagesIn({ db, run }: Snapshot): Promise<readonly Outage[]> {
  return (await run(db.selectFrom('outages').selectAll().orderBy('from_at'))).map(toOutage);
}
