import type { Compilable, Kysely } from 'kysely';
import { type AccountScope, accountIdOf } from '../../core/ledger/account-id.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import type { Grant, StoredGrant } from '../../core/rewards/grant.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { linkedEntries } from '../../core/store/linked-entries.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { insertMissing, run, upsert } from '../../core/store/query-builder.ts';
import { toGrant, toOutage } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { applyGrants } from '../../core/tally/grants.ts';
import { partyKey, partyOf } from '../../core/tally/party.ts';
import type { BackfillPlan } from './plan.ts';
import {
  type BackfilledMember,
  type BackfillRules,
  communityOf,
  createBackfillPlanner,
  type MemberState,
  owedOf,
  periodOf,
} from './planner.ts';
import { simulateCredits } from './simulate.ts';

/* Payments for the time before the rules. */

export const reads = { simulateCredits };

export const writes = {
  /**
   * Stores that parties (by their keys) have reached their goals, unless votes were counted for them: so late votes are
   * paid, but only once.
   */
  async saveParties(sql: Sql, partyGoals: BackfillRules['partyGoals'], goal: number): Promise<void> {
    for (const [key, reached_at] of partyGoals) {
      await insertMissing(sql, 'parties', { period: key }, { votes: goal, reached_at });
    }
  },

  /** Pays a member what is still owed. `now` in ms since the epoch. */
  async backfillMember(sql: Sql, userId: string, rules: BackfillRules, now: number): Promise<BackfilledMember> {
    const { db, connection } = sql;
    const { accounts } = communityOf(rules);
    const account = await lockAccount(connection, db, accountIdOf(accounts, userId));
    const linked = linkedEntries(db, account.lastEntry).selectFrom('linked');
    const entries = await run(connection, linked.select(['listing', 'at', 'cause', 'credits', 'achievement']));
    const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
    const planner = createBackfillPlanner(rules, outages.map(toOutage));
    const whole = planner.plan(userId, entries);
    const state = await readMemberState(db, (query) => run(connection, query), { userId, accounts }, whole);
    const plan = owedOf(whole, state);
    if (plan === null) {
      await releaseAccount(connection, db, account);
      return { entries: [], roles: 0 };
    }
    let updated = planner.apply(account, plan, entries, now);
    for (const { cause, credits, reason, achievement, listing } of plan.entries) {
      const entry = { cause, credits, reason, achievement, listing };
      updated = await appendEntry(connection, db, updated, {
        ...entry,
        accountId: account.id,
        at: now,
        deliveryId: null,
        untimed: false,
      });
    }
    const paidParties = plan.entries.filter(({ cause }) => cause === 'party').map(periodOf);
    for (const period of paidParties) {
      const key = partyKey(accounts, period);
      await insertMissing(sql, 'party_voters', { period: key, user_id: userId }, { state: 'paid' });
    }
    await grantRoles(sql, rules, plan.grants, state.grants, now);
    return { entries: plan.entries.map(({ cause, credits }) => ({ cause, credits })), roles: plan.grants.length };
  },
};

async function grantRoles(
  sql: Sql,
  { listings: [listing] }: BackfillRules,
  grants: readonly Grant[],
  stored: readonly StoredGrant[],
  now: number,
): Promise<void> {
  if (listing === undefined) return;
  const nameOf = ({ role, source }: Pick<Grant, 'role' | 'source'>) => `${role} ${source}`;
  const current = new Map(stored.map((grant) => [nameOf(grant), grant]));
  const saved = new Set<string>();
  const effects: NewEffect[] = [];
  applyGrants(
    {
      grantsOf: () => [...current.values()],
      saveGrant(grant) {
        current.set(nameOf(grant), grant);
        saved.add(nameOf(grant));
      },
      enqueue: (effect) => void effects.push(effect),
    },
    grants,
    { community: listing.community, deliveryId: null, now },
  );
  for (const name of saved) {
    const grant = current.get(name);
    if (grant === undefined) continue;
    const { userId: user_id, role, source, guildId: guild_id, until, state } = grant;
    await upsert(sql, 'grants', { user_id, role, source }, { guild_id, until, state });
  }
  await enqueue(sql, effects);
}

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
