import type { Kysely } from 'kysely';
import { type AccountState, emptyAccount, withEntry } from '../../ledger/account.ts';
import { countedVoteCauses, type Entry } from '../../ledger/entry.ts';
import type { LedgerWrites } from '../../ledger/ledger.ts';
import { untimedSuffix } from '../../tally/idempotency-key.ts';
import type { Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseLastVotes } from '../json-columns.ts';
import { linkedEntries } from '../linked-entries.ts';
import { literal, preparedInsert, preparedQuery, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Entries and balances, for use inside a transaction of `connection`. */
export function ledgerWrites(
  db: Kysely<Tables>,
  connection: Connection,
): LedgerWrites & Pick<Tally, 'hasUntimedVoteBetween'> {
  const insertEntry = preparedInsert<Entry & { previous: number | null }>()((placeholder) =>
    db.insertInto('entries').values({
      user_id: placeholder('userId'),
      listing: placeholder('listing'),
      credits: placeholder('credits'),
      cause: placeholder('cause'),
      reason: placeholder('reason'),
      at: placeholder('at'),
      delivery_id: placeholder('deliveryId'),
      previous: placeholder('previous'),
    }),
  );
  const findBalance = preparedQuery<{ userId: string }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select(['credits', 'votes', 'last_entry', 'last_votes'])
      .where('user_id', '=', placeholder('userId')),
  );
  const saveBalance = preparedQuery<Omit<AccountState, 'lastVotes'> & { lastVotes: string }>()((placeholder) =>
    db
      .insertInto('balances')
      .values({
        user_id: placeholder('userId'),
        credits: placeholder('credits'),
        votes: placeholder('votes'),
        last_entry: placeholder('lastEntry'),
        last_votes: placeholder('lastVotes'),
      })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(({ ref }) => ({
          credits: ref('excluded.credits'),
          votes: ref('excluded.votes'),
          last_entry: ref('excluded.last_entry'),
          last_votes: ref('excluded.last_votes'),
        })),
      ),
  );

  return {
    async accountState(userId) {
      const [row] = await findBalance(connection, { userId });
      if (row === undefined) return emptyAccount(userId);
      const { credits, votes, last_entry: lastEntry, last_votes: lastVotes } = row;
      return { userId, credits, votes, lastEntry, lastVotes: parseLastVotes(lastVotes) };
    },

    async append(account, entry) {
      const id = await insertEntry(connection, { ...entry, previous: account.lastEntry });
      if (id === null) throw new Error('The entry was not inserted.');
      const updated = withEntry(account, entry, id);
      await saveBalance(connection, { ...updated, lastVotes: JSON.stringify(updated.lastVotes) });
      return updated;
    },

    async hasVoteBetween({ lastEntry }, listing, after, before) {
      const votes = linkedEntries(db, lastEntry)
        .selectFrom('linked')
        .select('id')
        .where('at', '>', after)
        .where('at', '<', before)
        .where('listing', '=', listing)
        .where('cause', 'in', countedVoteCauses.map(literal));
      return (await run(connection, votes.limit(1))).length > 0;
    },

    async hasUntimedVoteBetween({ lastEntry }, listing, after, before, causes) {
      const rows = await run(
        connection,
        linkedEntries(db, lastEntry)
          .selectFrom('linked')
          .innerJoin('deliveries', 'deliveries.id', 'linked.delivery_id')
          .select('linked.id')
          .where('linked.at', '>', after)
          .where('linked.at', '<', before)
          .where('linked.listing', '=', listing)
          .where('linked.cause', 'in', causes.map(literal))
          .where('deliveries.event_key', 'like', `% ${untimedSuffix}`)
          .limit(1),
      );
      return rows.length > 0;
    },
  };
}
