import type { Kysely, Selectable } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { EffectFormats } from '../../outbox/effect-kind.ts';
import { roleEffect } from '../../tally/grants.ts';
import { type EventKey, forgottenVoteKey } from '../../tally/idempotency-key.ts';
import type { Forgetting } from '../../tally/member-data.ts';
import { findMemberRows, type Mentions } from '../member-data/member-rows.ts';
import { memberTables, votersOf } from '../member-data/member-tables.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lockAccountsOf, releaseAccount } from './accounts.ts';
import { lock } from './lock.ts';
import { closePurchases, lockShop } from './refund.ts';

/** Forgets members, for use inside a transaction of `connection`. */
export function forgetWrites(db: Kysely<Tables>, connection: Connection, effects: EffectFormats) {
  /** The payment of a party would otherwise pay the account under both ids. */
  async function lockUnpaidParties(userId: string): Promise<void> {
    const voters = await run(connection, votersOf(db, userId));
    const periods = voters.filter(({ state }) => state === 'eligible').map(({ period }) => period);
    for (const period of periods.sort()) {
      await run(connection, db.updateTable('parties').set({ period }).where('period', '=', period));
    }
  }

  /** The effects read the grants when they are carried out, and there are none left then. */
  async function removeRoles(grants: readonly Selectable<Tables['grants']>[], now: number): Promise<void> {
    const roles = new Map(grants.map((grant) => [`${grant.guild_id} ${grant.role}`, grant]));
    await enqueue(
      { db, connection },
      [...roles.values()].map(({ guild_id: guildId, user_id: userId, role }) =>
        roleEffect({ guildId, userId, role, erase: true }, null, now),
      ),
    );
  }

  async function keepVote(key: EventKey, at: number, expires_at: number): Promise<void> {
    const row = db.insertInto('forgotten_votes').values({ key: Buffer.from(key, 'hex'), at, expires_at });
    await run(
      connection,
      row.onConflict((conflict) => conflict.column('key').doUpdateSet({ at, expires_at })),
    );
  }

  return {
    /**
     * Forgets a member, in all communities. A vote that is recorded meanwhile waits for the account, and is counted for a
     * new one.
     * @param found before the transaction, because it takes long
     */
    async forget(userId: string, found: Mentions, { pseudonym, now, keepVotesMs }: Forgetting): Promise<void> {
      await lock(connection, db, 'orders');
      // A purchase that is settled meanwhile has read its buyer.
      await lockShop(connection, db);
      await lockUnpaidParties(userId);
      const reports = await closePurchases(connection, db, userId, now);
      const accounts = await lockAccountsOf(connection, db, userId);
      const accountIds = accounts.map(({ id }) => id);
      const grants = await run(connection, db.selectFrom('grants').selectAll().where('user_id', '=', userId));
      const rows = await findMemberRows({ db, connection, effects }, userId, accountIds, found);
      for (const [listing, at] of accounts.flatMap(({ lastVotes }) => Object.entries(lastVotes))) {
        const expiresAt = at + keepVotesMs;
        if (expiresAt > now) await keepVote(forgottenVoteKey(userId, listing), at, expiresAt);
      }
      for (const account of accounts) await releaseAccount(connection, db, { ...account, roles: [] });
      for (const table of Object.values(memberTables)) {
        if (!('forget' in table)) continue;
        for (const query of table.forget(db, rows, pseudonym)) await run(connection, query);
      }
      await removeRoles(grants, now);
      await enqueue({ db, connection }, reports);
    },

    /** Deletes the votes of forgotten members that have expired. */
    async deleteExpired(now: number): Promise<void> {
      await run(connection, db.deleteFrom('forgotten_votes').where('expires_at', '<=', now));
    },
  };
}
