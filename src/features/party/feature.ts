import type { Feature } from '../../core/feature.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { type EndedGuild, rowsPerWrite } from '../../core/store/sql-module.ts';
import { partyPanelKind, partyReachedKind, partyRewardKind } from './effects.ts';
import type { PartySql, PartyTables } from './hot-tables.ts';
import { countForParty, partyRow } from './on-vote.ts';
import { goalAt, partyRules } from './rules.ts';
import * as sql from './store.ts';

export const party = {
  sql,
  tables: {
    parties: { withoutMembers: 'Totals.' },
    party_voters: {
      select: (db, { userId }) => [votersOf(db, userId)],
      forget(db, { userId }, user_id) {
        const voters = db.updateTable('party_voters').set({ user_id }).where('user_id', '=', userId);
        return [voters.where('period', 'in', db.selectFrom('parties').select('period'))];
      },
    },
  },
  effects: [partyRewardKind, partyPanelKind, partyReachedKind],
  onVote: { of: { rule: partyRules }, reads: partyRow, call: countForParty },
  beforeForgetting: lockUnpaidParties,
  deleteOfGuild: deleteParties,
  goalAt,
} satisfies Feature<PartyTables>;

/** The payment of a party would otherwise pay the account under both ids. */
async function lockUnpaidParties({ db, connection }: PartySql, userId: string): Promise<readonly []> {
  const voters = await run(connection, votersOf(db, userId));
  const periods = voters.filter(({ state }) => state === 'eligible').map(({ period }) => period);
  for (const period of periods.sort()) {
    await run(connection, db.updateTable('parties').set({ period }).where('period', '=', period));
  }
  return [];
}

/** Of a community that has ended: the voters of its parties, each before the party itself. */
async function deleteParties({ db, connection }: PartySql, { communityId }: EndedGuild): Promise<boolean> {
  const own = db.selectFrom('parties').select('period').where('period', 'like', `${communityId} %`);
  const [party] = await run(connection, own.orderBy('period').limit(literal(1)));
  if (party === undefined) return false;
  const { period } = party;
  const voters = db.selectFrom('party_voters').select('user_id').where('period', '=', period);
  const rows = await run(connection, voters.limit(literal(rowsPerWrite)));
  for (const { user_id } of rows) {
    const voter = db.deleteFrom('party_voters').where('period', '=', period);
    await run(connection, voter.where('user_id', '=', user_id));
  }
  if (rows.length < rowsPerWrite) await run(connection, db.deleteFrom('parties').where('period', '=', period));
  return true;
}

/** A member's periods. The key begins with the period, so it is looked up for each one. */
function votersOf(db: PartySql['db'], userId: string) {
  const voters = db.selectFrom('party_voters').selectAll().where('user_id', '=', userId);
  return voters.where('period', 'in', db.selectFrom('parties').select('period'));
}
