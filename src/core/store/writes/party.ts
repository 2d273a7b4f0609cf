import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { accountIdOf } from '../../ledger/account-id.ts';
import type { PartyReward } from '../../outbox/effect-contents.ts';
import { partyEntry } from '../../rewards/party.ts';
import { addToScores } from '../../rewards/period-scores.ts';
import { partyOf } from '../../tally/party.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { appendEntry, lockAccount } from './accounts.ts';

/** Voters per transaction, in which votes for the party wait. */
const votersPerPayment = 15;

/** Payments to the voters of a party, for use inside a transaction of `connection`. */
export function partyWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /**
     * Pays the reward to voters who have not been paid, at most 15. Returns whether there may be more. `now` in ms
     * since the epoch.
     */
    async payParty({ period: key, goal, credits, day }: PartyReward, now: number): Promise<boolean> {
      const { accounts, period } = partyOf(key);
      // Two processes that pay at once take turns.
      const touch = db.updateTable('parties').set({ period: key }).where('period', '=', key);
      const [party] = await run(connection, touch.returning('reached_at'));
      if (party === undefined || party.reached_at === null) return false;
      const voters = await run(
        connection,
        db
          .selectFrom('party_voters')
          .select('user_id')
          .where('period', '=', key)
          .where('state', '=', literal('eligible'))
          .orderBy('user_id')
          .limit(votersPerPayment),
      );
      for (const { user_id: userId } of voters) {
        const account = await lockAccount(connection, db, accountIdOf(accounts, userId));
        const scores = addToScores(account.scores, day, 0, credits);
        const reward = partyEntry({ goal, credits }, period);
        const entry = { ...reward, accountId: account.id, listing: null, at: now, deliveryId: null, untimed: false };
        await appendEntry(connection, db, { ...account, scores }, entry);
      }
      const paid = db.updateTable('party_voters').set({ state: 'paid' }).where('period', '=', key);
      const userIds = voters.map(({ user_id }) => user_id);
      if (userIds.length > 0) await run(connection, paid.where('user_id', 'in', userIds));
      return voters.length === votersPerPayment;
    },
  };
}
