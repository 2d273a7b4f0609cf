import { partsOf } from '../../core/ledger/account.ts';
import { insertMissing, run } from '../../core/store/query-builder.ts';
import type { CommonGoals } from '../../core/store/sql-module.ts';
import { partyEntry, partyKey, partyOf, partyPeriod } from './rules.ts';

/** Parties of past votes. The id of a goal is that of its period. */
export const commonGoals: CommonGoals = {
  goalAt({ rewards: { party }, calendar }, at) {
    if (!party) return null;
    const { id, firstDay } = partyPeriod(party.per, calendar.dayAt(at));
    return { id, firstDay, votes: party.goal, entry: partyEntry(party, id) };
  },
  async reached({ db, connection }, accounts) {
    const rows = await run(connection, db.selectFrom('parties').select(['period', 'reached_at']));
    const parties = rows.map(({ period, reached_at }) => ({ ...partyOf(period), reached_at }));
    const own = parties.filter((party) => party.communityId === accounts);
    return new Map(own.map(({ period, reached_at }) => [period, reached_at]));
  },
  async saveReached(sql, { community: { id: communityId }, rewards: { party } }, goals) {
    for (const [id, reached_at] of goals) {
      const key = { period: partyKey(communityId, id) };
      await insertMissing(sql, 'parties', key, { votes: party?.goal ?? 0, reached_at });
    }
  },
  async joined({ db, connection }, accountId, ids) {
    if (ids.length === 0) return [];
    const { communityId, userId } = partsOf(accountId);
    const keys = ids.map((id) => partyKey(communityId, id));
    const voters = db.selectFrom('party_voters').select('period').where('user_id', '=', userId);
    const rows = await run(connection, voters.where('period', 'in', keys));
    return rows.map(({ period }) => partyOf(period).period);
  },
  async savePaid(sql, accountId, ids) {
    const { communityId, userId } = partsOf(accountId);
    for (const id of ids) {
      const key = { period: partyKey(communityId, id), user_id: userId };
      await insertMissing(sql, 'party_voters', key, { state: 'paid' });
    }
  },
};
