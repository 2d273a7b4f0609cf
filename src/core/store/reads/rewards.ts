import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { homeAccounts } from '../../ledger/account-id.ts';
import { noPartyProgress } from '../../rewards/party.ts';
import type { RewardStore } from '../../tally/reward-store.ts';
import { accountOf } from '../account-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

export function sqlRewards(db: Kysely<Tables>, reading: Connection, write: Write): RewardStore {
  return {
    async isGranted({ userId, role }, now) {
      const grants = db.selectFrom('grants').select('until').where('user_id', '=', userId).where('role', '=', role);
      const rows = await run(reading, grants);
      return rows.some(({ until }) => until === null || until > now);
    },
    async hasGrant({ userId, role }) {
      const grants = db.selectFrom('grants').select('role').where('user_id', '=', userId).where('role', '=', role);
      return (await run(reading, grants.limit(1))).length > 0;
    },
    async isPaidFor({ userId, role }) {
      const ofRole = db.selectFrom('purchases').select('id').where('user_id', '=', userId).where('role', '=', role);
      return (await run(reading, ofRole.where('state', '=', literal('confirmed')).limit(1))).length > 0;
    },
    settleRole: (role, result, now) => write('settleRole', role, result, now),
    endGrants: (now, limit) => write('endGrants', now, limit),
    async repairMember(userId, now) {
      const grants = db.selectFrom('grants').select('role').where('user_id', '=', userId).limit(1);
      if ((await run(reading, grants)).length > 0) await write('repairMember', userId, now);
    },
    repairAfter: (userId, limit, now) => write('repairAfter', userId, limit, now),
    async party(period) {
      const [party] = await run(reading, db.selectFrom('parties').selectAll().where('period', '=', period));
      return party === undefined ? noPartyProgress : { votes: party.votes, reachedAt: party.reached_at };
    },
    seeRoles: (accountId, roles) => write('seeRoles', accountId, roles),
    async accountsWithoutHistory(accountId, limit) {
      const following = db.selectFrom('balances').select('user_id').where('user_id', '>', accountId);
      const incomplete = following
        .where('guild_id', '=', literal(homeAccounts))
        .where('history', 'is', null)
        .where('votes', '>', literal(0));
      return (await run(reading, incomplete.orderBy('user_id').limit(limit))).map(accountOf);
    },
    completeHistory: (accountId, listing, now) => write('completeHistory', accountId, listing, now),
  };
}
