import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { lastVoteIn } from '../../ledger/account.ts';
import { type AccountId, type AccountScope, accountIdOf } from '../../ledger/account-id.ts';
import type { LedgerReads } from '../../ledger/ledger.ts';
import { parseLastVotes } from '../json-columns.ts';
import { preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The ledger's read port over SQL, by community. */
export function sqlLedger(db: Kysely<Tables>, reading: Connection): (accounts: AccountScope) => LedgerReads {
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select(['credits', 'votes', 'last_votes']).where('user_id', '=', placeholder('id')),
  );

  return (accounts) => ({
    async account(userId) {
      const [row] = await findBalance(reading, { id: accountIdOf(accounts, userId) });
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },

    async lastVoteAt(userId, listing) {
      const [row] = await findBalance(reading, { id: accountIdOf(accounts, userId) });
      return row === undefined ? null : lastVoteIn(parseLastVotes(row.last_votes), listing);
    },
  });
}
