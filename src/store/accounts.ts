import type { Kysely } from 'kysely';
import { countedVotes } from '../ledger/entry.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Connection } from './dialect.ts';
import { run } from './statement.ts';
import type { Tables } from './tables.ts';

/** The ledger, as anybody may read it. */
export function sqlAccounts(db: Kysely<Tables>, reading: Connection): LedgerReads {
  return {
    async account(userId) {
      const [row] = await run(
        reading,
        db.selectFrom('balances').select(['credits', 'votes']).where('user_id', '=', userId),
      );
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },

    async lastVoteAt(userId, listing) {
      const votes = db
        .selectFrom('entries')
        .select('at')
        .where('user_id', '=', userId)
        .where('cause', 'in', countedVotes)
        .orderBy('at', 'desc')
        .limit(1);
      const [last] = await run(reading, listing === null ? votes : votes.where('listing', '=', listing));
      return last?.at ?? null;
    },
  };
}
