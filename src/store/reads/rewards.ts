import type { Kysely } from 'kysely';
import { noPartyProgress } from '../../rewards/party.ts';
import type { RewardStore } from '../../tally/reward-store.ts';
import type { Connection } from '../dialect/dialect.ts';
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
    settleRole: (role, result, now) => write('settleRole', role, result, now),
    endGrants: (now, limit) => write('endGrants', now, limit),
    async repairMember(userId, now) {
      const grants = db.selectFrom('grants').select('role').where('user_id', '=', userId).limit(1);
      if ((await run(reading, grants)).length > 0) await write('repairMember', userId, now);
    },
    repairAfter: (userId, limit, now) => write('repairAfter', userId, limit, now),
    payParty: (reward, now) => write('payParty', reward, now),
    async party(period) {
      const [party] = await run(reading, db.selectFrom('parties').selectAll().where('period', '=', period));
      return party === undefined ? noPartyProgress : { votes: party.votes, reachedAt: party.reached_at };
    },
    seeRoles: (userId, roles) => write('seeRoles', userId, roles),
    beat: (now) => write('beat', now),
    async usersWithoutHistory(userId, limit) {
      const users = db.selectFrom('balances').select('user_id').where('user_id', '>', userId);
      const incomplete = users.where('history', 'is', null).where('votes', '>', literal(0));
      return (await run(reading, incomplete.orderBy('user_id').limit(limit))).map(({ user_id }) => user_id);
    },
    completeHistory: (userId, listing, now) => write('completeHistory', userId, listing, now),
  };
}
