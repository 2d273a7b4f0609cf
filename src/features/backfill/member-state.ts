import type { Compilable, Kysely } from 'kysely';
import type { AccountScope } from '../../core/ledger/account-id.ts';
import { toGrant } from '../../core/store/recording/queries.ts';
import type { Tables } from '../../core/store/tables.ts';
import { partyKey, partyOf } from '../../core/tally/party.ts';
import type { BackfillPlan } from './plan.ts';
import { type MemberState, periodOf } from './planner.ts';

/** Runs a statement inside a transaction that writes, or on a snapshot. */
export type RunQuery = <Row>(query: Compilable<Row>) => Promise<readonly Row[]>;

/** What is stored about a member beside the entries, as far as the plan depends on it. */
export async function readMemberState(
  db: Kysely<Tables>,
  run: RunQuery,
  { userId, accounts }: { readonly userId: string; readonly accounts: AccountScope },
  plan: BackfillPlan,
): Promise<MemberState> {
  const grants = db.selectFrom('grants').selectAll().where('user_id', '=', userId);
  const parties = plan.entries.filter(({ cause }) => cause === 'party').map(periodOf);
  const keys = parties.map((period) => partyKey(accounts, period));
  const voter = db.selectFrom('party_voters').select('period').where('user_id', '=', userId);
  return {
    grants: plan.grants.length === 0 ? [] : (await run(grants)).map(toGrant),
    partyPeriods: new Set(
      keys.length === 0
        ? []
        : (await run(voter.where('period', 'in', keys))).map(({ period }) => partyOf(period).period),
    ),
  };
}
