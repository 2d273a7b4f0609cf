import { type AccountId, accountIdOf, memberOf } from '../../core/ledger/account.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import type { Grant, StoredGrant } from '../../core/rewards/grant.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { linkedEntries } from '../../core/store/linked-entries.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { run, type SqlAccess, upsert } from '../../core/store/query-builder.ts';
import { toGrant, toOutage } from '../../core/store/recording/queries.ts';
import { type CommonGoals, commonGoalsOf, type Sql } from '../../core/store/sql-module.ts';
import { applyGrants } from '../../core/tally/grants.ts';
import type { BackfillPlan } from './plan.ts';
import {
  type BackfilledMember,
  type BackfillRules,
  communityOf,
  createBackfillPlanner,
  goalsIn,
  type MemberState,
  owedOf,
} from './planner.ts';
import { simulateCredits } from './simulate.ts';

/* Payments for the time before the rules. */

export const reads = { simulateCredits };

export const writes = {
  /** Before members are paid. */
  async saveGoals(sql: Sql, { listings: [listing], goals }: BackfillRules): Promise<void> {
    if (listing !== undefined) await commonGoalsOf(sql.hooks)?.saveReached(sql, listing, goals);
  },

  /** Pays a member what is still owed. `now` in ms since the epoch. */
  async backfillMember(sql: Sql, userId: string, rules: BackfillRules, now: number): Promise<BackfilledMember> {
    const { db, connection } = sql;
    const { id: communityId } = communityOf(rules);
    const account = await lockAccount(connection, db, accountIdOf(communityId, userId));
    const linked = linkedEntries(db, account.lastEntry).selectFrom('linked');
    const entries = await run(connection, linked.select(['listing', 'at', 'cause', 'credits', 'achievement']));
    const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
    const goals = commonGoalsOf(sql.hooks);
    const planner = createBackfillPlanner(rules, outages.map(toOutage), goals?.goalAt);
    const whole = planner.plan(userId, entries);
    const state = await readMemberState(sql, account.id, whole, goals);
    const plan = owedOf(whole, state);
    if (plan === null) {
      await releaseAccount(connection, db, account);
      return { entries: [], roles: 0 };
    }
    let updated = planner.apply(account, plan, now);
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
    await goals?.savePaid(sql, account.id, goalsIn(plan));
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
  const own = stored.filter(({ guildId }) => guildId === listing.community.guildId);
  const current = new Map(own.map((grant) => [nameOf(grant), grant]));
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
    await upsert(sql, 'grants', { user_id, role, source, guild_id }, { until, state });
  }
  await enqueue(sql, effects);
}

/** What is stored about a member beside the entries, as far as the plan depends on it. */
export async function readMemberState(
  sql: SqlAccess,
  accountId: AccountId,
  plan: BackfillPlan,
  goals: CommonGoals | undefined,
): Promise<MemberState> {
  const grants = sql.db.selectFrom('grants').selectAll().where('user_id', '=', memberOf(accountId));
  return {
    grants: plan.grants.length === 0 ? [] : (await run(sql.connection, grants)).map(toGrant),
    joined: (await goals?.joined(sql, accountId, goalsIn(plan))) ?? [],
  };
}
