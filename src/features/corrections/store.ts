import type { AccountId, CommunityId } from '../../core/ledger/account.ts';
import { countedVoteCauses } from '../../core/ledger/entry.ts';
import { rowsPerCount } from '../../core/store/counters.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { selectCorrections, toCorrection } from '../../core/store/recording/queries.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { reversedReason } from '../../core/store/uncounted-votes.ts';
import type { StoredCorrection } from '../../core/tally/tally.ts';
import { reversedCauses, reverseMember, type VoteRange } from './reverse-member.ts';

/** Members with something to reverse among some entries. */
export interface ReversiblePage {
  readonly members: readonly { readonly accountId: AccountId; readonly votes: number; readonly credits: number }[];
  /** The id after these entries; null after the last ones. */
  readonly next: number | null;
}

export const reads = {
  /** The correction of a community with this idempotency key; null if there is none. */
  async find(
    { db, connection }: Sql,
    communityId: CommunityId,
    idempotencyKey: string,
  ): Promise<StoredCorrection | null> {
    const [row] = await run(connection, selectCorrections(db, communityId, [idempotencyKey]));
    return row === undefined ? null : toCorrection(row);
  },

  /** Looks through {@link rowsPerCount} entries: no index serves it, because it would slow down every vote. */
  async reversible({ db, connection }: Sql, range: VoteRange, fromId: number): Promise<ReversiblePage> {
    const entries = db.selectFrom('entries').where('id', '>=', fromId).orderBy('id').limit(literal(rowsPerCount));
    const slice = entries.select(['id', 'account_id', 'listing', 'cause', 'credits', 'at', 'reason']).as('slice');
    const last = db.selectFrom(entries.select('id').as('ids')).select(({ fn }) => fn.max<number | null>('id').as('id'));
    const lastId = (await run(connection, last))[0]?.id ?? null;
    const members = db
      .selectFrom(slice)
      .where('listing', '=', range.listing)
      .where('at', '>=', range.from)
      .where('at', '<', range.until)
      .where('cause', 'in', reversedCauses.map(literal))
      .where((eb) => eb.or([eb('reason', 'is', null), eb('reason', '<>', reversedReason)]))
      .select(({ fn, eb }) => [
        'account_id',
        fn.sum<number | string>('credits').as('credits'),
        fn.count<number>(eb.case().when('cause', 'in', countedVoteCauses.map(literal)).then(1).end()).as('votes'),
      ])
      .groupBy('account_id');
    const rows = lastId === null ? [] : await run(connection, members);
    return {
      members: rows.map((row) => ({ accountId: row.account_id, votes: row.votes, credits: Number(row.credits) })),
      next: lastId === null ? null : lastId + 1,
    };
  },

  /**
   * The newest corrections with an author, newest first.
   * @param query.communityId of one community; null for all. `before`: only earlier ones (ms since the epoch)
   */
  async authored(
    { db, connection }: Sql,
    { communityId, before, limit }: { communityId: CommunityId | null; before: number | null; limit: number },
  ): Promise<readonly AuthoredCorrection[]> {
    let query = db.selectFrom('corrections').selectAll().where('author', 'is not', null);
    if (before !== null) query = query.where('at', '<', before);
    if (communityId !== null) query = query.where('community_id', '=', communityId);
    const rows = await run(connection, query.orderBy('at', 'desc').limit(limit));
    return rows.map(({ author, community_id: _community, ...row }) => ({ ...toCorrection(row), author: author ?? '' }));
  },
};

/** A correction of a manager or the operator. */
export interface AuthoredCorrection extends StoredCorrection {
  readonly author: string;
}

/** Corrections are recorded as events are: see `record-correction.ts`. */
export const writes = { reverseMember };

export type CorrectionStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
