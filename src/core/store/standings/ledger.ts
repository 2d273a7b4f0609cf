import type { Connection } from '@tallyhook/platform/database/dialect';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import type { Kysely } from 'kysely';
import { type AccountId, accountIdOf, type CommunityId, type LastVotes, lastVoteIn } from '../../ledger/account.ts';
import type { LedgerReads } from '../../ledger/ledger.ts';
import { parseLastVotes } from '../account-columns.ts';
import type { Tables } from '../tables.ts';

/** Reads the last votes of an account; null without an account. Rejects with the driver's error. */
export type FindLastVotes = (id: AccountId) => Promise<LastVotes | null>;

/** A command asks several times at once for the same account, such as for each name of a listing: it is read once. */
export function createFindLastVotes(db: Kysely<Tables>, reading: Connection): FindLastVotes {
  const findRow = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select('last_votes').where('account_id', '=', placeholder('id')),
  );
  const started = new Map<AccountId, Promise<LastVotes | null>>();

  async function read(id: AccountId): Promise<LastVotes | null> {
    const [row] = await findRow(reading, { id });
    return row === undefined ? null : parseLastVotes(row.last_votes);
  }

  return (id) => {
    let votes = started.get(id);
    if (votes === undefined) {
      votes = read(id);
      started.set(id, votes);
      // Nothing else happens before, so that a read never misses a vote that was recorded before it was asked for.
      queueMicrotask(() => started.delete(id));
    }
    return votes;
  };
}

/** The ledger's read port over SQL, by community. */
export function sqlLedger(
  db: Kysely<Tables>,
  reading: Connection,
  findLastVotes: FindLastVotes,
): (communityId: CommunityId) => LedgerReads {
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select(['credits', 'votes']).where('account_id', '=', placeholder('id')),
  );

  return (accounts) => ({
    async account(userId) {
      const [row] = await findBalance(reading, { id: accountIdOf(accounts, userId) });
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },
    async lastVoteAt(userId, listing) {
      const lastVotes = await findLastVotes(accountIdOf(accounts, userId));
      return lastVotes === null ? null : lastVoteIn(lastVotes, listing);
    },
  });
}
