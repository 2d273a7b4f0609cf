import { accountIdOf } from '../../core/ledger/account.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { selectVotesBetween, toPastVote } from '../../core/store/recording/queries.ts';
import type { CorrectedVote, SqlClient } from '../../core/store/sql-module.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { RecordedVote } from './judge.ts';
import type { Confirmation } from './tables.ts';
import { type ConfirmationSql, voteOf, type WaitingVote, waitingIn, waitingRow } from './tables.ts';

export const reads = {
  /** The votes of a member that wait. */
  async waiting(
    { db, connection }: ConfirmationSql,
    { listing, userId }: Confirmation,
  ): Promise<readonly WaitingVote[]> {
    const row = db.selectFrom('confirmations').select('waiting').where('vote', '=', voteOf(listing, userId));
    return (await run(connection, row)).flatMap(waitingIn);
  },

  /** The counted votes of a member for the target of a listing after a time (ms since the epoch). */
  async recordedSince(
    { db, connection }: ConfirmationSql,
    { name, community }: Pick<ListingContext, 'name' | 'community'>,
    userId: string,
    after: number,
  ): Promise<readonly RecordedVote[]> {
    const accountId = accountIdOf(community.id, userId);
    const account = db
      .selectFrom('balances')
      .select('last_entry')
      .where('account_id', '=', accountId)
      .limit(literal(1));
    const [{ last_entry: newest } = { last_entry: null }] = await run(connection, account);
    const names = namesOfTarget(community, name);
    const range = { newest, listing: null, after, before: Number.MAX_SAFE_INTEGER };
    const votes = (await connection.run(selectVotesBetween(db)(range))) as Parameters<typeof toPastVote>[0][];
    return votes
      .map(toPastVote)
      .filter(({ listing, cause }) => listing !== null && names.includes(listing) && isCountedVote(cause));
  },
};

/** Replaces the votes of a member that wait. */
async function changeWaiting(
  { db, connection }: Pick<ConfirmationSql, 'db' | 'connection'>,
  { listing, userId }: Confirmation,
  change: (waiting: readonly WaitingVote[]) => readonly WaitingVote[],
): Promise<void> {
  const vote = voteOf(listing, userId);
  const own = db.updateTable('confirmations').where('vote', '=', vote);
  // It locks the row until the end of the transaction.
  const [row] = await run(connection, own.set({ vote }).returning('waiting'));
  if (row === undefined) return;
  const changed = change(waitingIn(row));
  if (changed.length === 0) await run(connection, db.deleteFrom('confirmations').where('vote', '=', vote));
  else await run(connection, own.set(waitingRow(listing, userId, changed)));
}

const forgetWaiting = (
  sql: Pick<ConfirmationSql, 'db' | 'connection'>,
  confirmation: Confirmation,
  deliveryId: number,
) => changeWaiting(sql, confirmation, (waiting) => waiting.filter((each) => each.deliveryId !== deliveryId));

/** Votes that were received while a clock was ahead were received before it was set back. */
export const correctWaiting = (sql: ConfirmationSql, { listing, userId, correctedTo }: CorrectedVote) =>
  changeWaiting(sql, { listing, userId }, (waiting) =>
    waiting.map((each) => ({ ...each, receivedAt: Math.min(each.receivedAt, correctedTo) })),
  );

export const writes = {
  /** Leaves the delivery to the owner: a repeat of it is held again. */
  async leave(
    { db, connection }: ConfirmationSql,
    { listing, userId }: Confirmation,
    deliveryId: number,
    reason: string,
  ) {
    const delivery = db.updateTable('deliveries').where('id', '=', deliveryId).where('outcome', '=', 'quarantined');
    await run(connection, delivery.set({ reason }));
    await forgetWaiting({ db, connection }, { listing, userId }, deliveryId);
  },

  /** Notes that the delivery waits no longer, whatever became of it. */
  forgetWaiting,
};

export type ConfirmationStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
