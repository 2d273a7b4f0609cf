import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { roleEffect } from '../../tally/grants.ts';
import type { GrantedRole, RoleResult } from '../../tally/reward-store.ts';
import { lockAccountsOf } from '../accounts.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { PurchaseRow } from '../purchases.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { findOpenPurchases, lockShop, refundRole, settlePurchases } from './refund.ts';

/** Grants as the outbox and the sweeps change them, for use inside a transaction of `connection`. */
export function grantWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /**
     * Stores the result of an attempt at a role. If the grants have changed meanwhile so that the result is wrong,
     * enqueues another attempt. `now` in ms since the epoch.
     */
    async settleRole({ userId, role }: GrantedRole, result: RoleResult, now: number): Promise<void> {
      // Before the grants, because purchases lock the shop and the account before they insert grants.
      const purchases = await lockOpenPurchases({ userId, role });
      // A recording that has read the grants must not find out too late that the result was stored: see `applyGrants`.
      await lockAccountsOf(connection, db, userId);
      const isSame = db.updateTable('grants').where('user_id', '=', userId).where('role', '=', role);
      const grants = await run(connection, isSame.set({ role }).returningAll());
      const isWanted = grants.some(({ until }) => until === null || until > now);
      const [grant] = grants;
      if (grant === undefined) return;
      if (result === 'failed' || result === 'parked') {
        await run(connection, isSame.set({ state: 'parked' }));
        if (result === 'failed') await refundRole(connection, db, purchases, now);
        // A role that could not be removed is tried again by the repairs.
        if (result === 'failed' && !isWanted) return;
      } else if (isWanted !== (result !== 'removed')) {
        await run(connection, isSame.set({ state: 'pending' }));
        await enqueue({ db, connection }, [roleEffect({ guildId: grant.guild_id, userId, role }, null, now)]);
        return;
      } else if (isWanted) {
        // Also a refused role, so that it is removed at the end of the grant: the member may have it from before.
        await run(connection, isSame.set({ state: 'applied' }));
        if (result === 'refused') await refundRole(connection, db, purchases, now);
        else await settlePurchases(connection, db, purchases, 'fulfilled', now);
      } else {
        // A buyer who never had the role until its end, in a long outage for example, does not pay for it.
        await refundRole(connection, db, purchases, now);
      }
      const ended = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
      await run(connection, ended.where('until', 'is not', null).where('until', '<=', now));
    },

    /** Enqueues the removal of roles whose grant has ended, at most `limit`. Returns how many. */
    async endGrants(now: number, limit: number): Promise<number> {
      const ended = await run(
        connection,
        db
          .selectFrom('grants')
          .selectAll()
          .where('state', '=', literal('applied'))
          .where('until', 'is not', null)
          .where('until', '<=', now)
          .orderBy('until')
          .limit(limit),
      );
      await enqueueRoles(ended, now);
      return ended.length;
    },

    /** Enqueues the roles of a member again, to repair what was changed in Discord. */
    async repairMember(userId: string, now: number): Promise<void> {
      const grants = db.selectFrom('grants').selectAll().where('user_id', '=', userId);
      await enqueueRoles(await run(connection, grants.where('state', '<>', literal('pending'))), now);
    },

    /**
     * Enqueues the roles of the members that follow, until there are `limit` of them or more. Returns the last member;
     * null at the end.
     */
    async repairAfter(userId: string, limit: number, now: number): Promise<string | null> {
      const following = db.selectFrom('grants').selectAll().where('user_id', '>', userId);
      const page = await run(connection, following.orderBy('user_id').limit(limit));
      const last = page.at(-1);
      if (last === undefined) return null;
      const rest = following.where('user_id', '=', last.user_id);
      const grants = [...page.filter(({ user_id }) => user_id !== last.user_id), ...(await run(connection, rest))];
      await enqueueRoles(
        grants.filter(({ state }) => state !== 'pending'),
        now,
      );
      return page.length < limit ? null : last.user_id;
    },
  };

  async function lockOpenPurchases(grantedRole: GrantedRole): Promise<readonly PurchaseRow[]> {
    if ((await findOpenPurchases(connection, db, grantedRole)).length === 0) return [];
    await lockShop(connection, db);
    await lockAccountsOf(connection, db, grantedRole.userId);
    return findOpenPurchases(connection, db, grantedRole);
  }

  async function enqueueRoles(grants: readonly Tables['grants'][], now: number): Promise<void> {
    const roles = new Map(grants.map((grant) => [`${grant.user_id} ${grant.role}`, grant]));
    // Recordings lock the accounts before they change grants, in the same order.
    for (const userId of [...new Set(grants.map(({ user_id }) => user_id))].sort()) {
      await lockAccountsOf(connection, db, userId);
    }
    for (const { user_id, role } of roles.values()) {
      const same = db.updateTable('grants').set({ state: 'pending' }).where('user_id', '=', user_id);
      await run(connection, same.where('role', '=', role));
    }
    await enqueue(
      { db, connection },
      [...roles.values()].map(({ guild_id: guildId, user_id: userId, role }) =>
        roleEffect({ guildId, userId, role }, null, now),
      ),
    );
  }
}
