import type { Kysely } from 'kysely';
import { lastVoteIn } from '../../ledger/account.ts';
import type { LedgerReads } from '../../ledger/ledger.ts';
import type { Connection } from '../dialect/dialect.ts';
import { preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Single accounts, as anybody may read them. */
export function sqlAccounts(db: Kysely<Tables>, reading: Connection): Omit<LedgerReads, 'leaderboard'> {
  const balance = preparedQuery<{ userId: string }>()((argument) =>
    db.selectFrom('balances').select(['credits', 'votes', 'last_votes']).where('user_id', '=', argument('userId')),
  );

  return {
    async account(userId) {
      const [row] = await balance(reading, { userId });
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },

    async lastVoteAt(userId, listing) {
      const [row] = await balance(reading, { userId });
      return row === undefined ? null : lastVoteIn(JSON.parse(row.last_votes), listing);
    },
  };
}
