import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { AccountId } from '../../ledger/account-id.ts';
import { accountKey } from '../account-columns.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The roles last seen of members, for use inside a transaction of `connection`. */
export function seenRolesWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** Stores which of the roles that a multiplier names a member has (Discord IDs). */
    async seeRoles(accountId: AccountId, seen: readonly string[]): Promise<void> {
      const roles = seen.length === 0 ? null : JSON.stringify(seen);
      if (roles === null) {
        await run(connection, db.updateTable('balances').set({ roles }).where('user_id', '=', accountId));
        return;
      }
      const insert = db
        .insertInto('balances')
        .values({ ...accountKey(accountId), credits: 0, votes: 0, last_votes: '{}', roles });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('user_id').doUpdateSet({ roles })),
      );
    },
  };
}
