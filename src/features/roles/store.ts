import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJson } from '@tallyhook/platform/json';
import type { AccountId } from '../../core/ledger/account.ts';
import {
  type EffectKind,
  fieldsFormat,
  type MemberRole,
  type MessageType,
  planKey,
  roleFields,
  roleKind,
} from '../../core/outbox/effect-kind.ts';
import type { GrantedRole, GrantState } from '../../core/rewards/reward.ts';
import { lockAccountsOf } from '../../core/store/accounts.ts';
import { communityOfGuild } from '../../core/store/communities.ts';
import { enqueue, withdraw } from '../../core/store/outbox/enqueue.ts';
import { literal, preparedStatement, run } from '../../core/store/query-builder.ts';
import type { SettleRole, Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { roleEffect } from '../../core/tally/grants.ts';

/** A role could not be added or removed, with the reason and a hint in words. */
export interface RoleFailureReport extends MemberRole {
  readonly reason: string;
  /** The code of the reason, from which each language words it: `role_too_high`. */
  readonly cause: string;
  readonly isRemoval?: true;
}

export const roleFailedReport: MessageType<'roleFailed', RoleFailureReport> = {
  type: 'roleFailed',
  fields: { ...roleFields, reason: ['string'], cause: ['string'] },
};

/**
 * The state of a member's role in Discord after an attempt. `parked`: the member is not in the server, so the role is
 * given after a return. `failed`: Discord rejects the change permanently. `refused`: it was not added, but the member
 * may have it from an earlier attempt.
 */
export type RoleState = 'applied' | 'removed' | 'parked' | 'failed' | 'refused';

/** A voter whose roles Discord is asked for (Discord IDs). */
export interface UnseenVoter {
  readonly guildId: string;
  readonly userId: string;
}

export const voterRolesKind: EffectKind<'voterRoles', UnseenVoter> = {
  kind: 'voterRoles',
  ...fieldsFormat<UnseenVoter>({ guildId: ['string'], userId: ['string'] }),
  withoutMember: (content, userId) => (content.userId === userId ? null : content),
};

/** A role of a guild (Discord IDs). */
export interface RoleOfGuild {
  readonly guildId: string;
  readonly role: string;
}

const findGrantsOf = preparedStatement<GrantedRole>()((db, placeholder) =>
  db
    .selectFrom('grants')
    .select('until')
    .where('user_id', '=', placeholder('userId'))
    .where('role', '=', placeholder('role'))
    .where('guild_id', '=', placeholder('guildId')),
);
/** The grants of a member that no effect is waiting for. */
const findSettledGrants = preparedStatement<{ userId: string }>()((db, placeholder) =>
  db
    .selectFrom('grants')
    .select(['guild_id', 'role', 'until'])
    .where('user_id', '=', placeholder('userId'))
    .where('state', '<>', literal('pending')),
);

/* Times are ms since the epoch. */

export const reads = {
  async isGranted(sql: Sql, { userId, role, guildId }: GrantedRole, now: number): Promise<boolean> {
    return (await findGrantsOf(sql, { userId, role, guildId })).some(({ until }) => until === null || until > now);
  },

  /** True if a grant of the role is stored, also one that has ended. */
  async hasGrant(sql: Sql, { userId, role, guildId }: GrantedRole): Promise<boolean> {
    return (await findGrantsOf(sql, { userId, role, guildId })).length > 0;
  },

  /**
   * The roles that a member has, or lacks, other than the grants say.
   * @param present the member's roles in a guild; null if they are not known, for all that are stored
   */
  async differingGrants(
    sql: Sql,
    userId: string,
    present: { readonly guildId: string; readonly roles: readonly string[] } | null,
    now: number,
  ): Promise<readonly RoleOfGuild[]> {
    const grants = await findSettledGrants(sql, { userId });
    const roles = Map.groupBy(grants, ({ guild_id, role }) => `${guild_id} ${role}`);
    return [...roles.values()].flatMap((sameRole) => {
      const [first] = sameRole;
      if (first === undefined) return [];
      const { guild_id: guildId, role } = first;
      const isWanted = sameRole.some(({ until }) => until === null || until > now);
      const differs = present === null || (present.guildId === guildId && present.roles.includes(role) !== isWanted);
      return differs ? [{ guildId, role }] : [];
    });
  },

  summary: summarizeGrants,
};

export const writes = {
  /**
   * Stores the result of an attempt at a role. If the grants have changed meanwhile so that the result is wrong,
   * enqueues another attempt.
   */
  async settleRole(sql: Sql, granted: GrantedRole, result: RoleState, now: number): Promise<void> {
    const { db, connection } = sql;
    const { userId, role, guildId } = granted;
    const waiting: SettleRole[] = [];
    for (const { beforeRoleSettled } of sql.hooks) {
      const settle = await beforeRoleSettled?.(sql, granted);
      if (settle) waiting.push(settle);
    }
    const settle: SettleRole = async (...args) => {
      for (const each of waiting) await each(...args);
    };
    // A recording that has read the grants must not find out too late that the result was stored: see `applyGrants`.
    await lockAccountsOf(connection, db, userId);
    const ofRole = db.updateTable('grants').where('user_id', '=', userId).where('role', '=', role);
    const isSame = ofRole.where('guild_id', '=', guildId);
    const grants = await run(connection, isSame.set({ role }).returningAll());
    const isWanted = grants.some(({ until }) => until === null || until > now);
    if (grants.length === 0) return;
    await planEnd(sql, granted, result === 'applied' || result === 'refused' ? grants : [], now);
    if (result === 'failed' || result === 'parked') {
      await run(connection, isSame.set({ state: 'parked' }));
      if (result === 'failed') await settle(false, now);
      // A role that could not be removed is tried again by the repairs.
      if (result === 'failed' && !isWanted) return;
    } else if (isWanted !== (result !== 'removed')) {
      await run(connection, isSame.set({ state: 'pending' }));
      const effect = roleEffect(await communityOfGuild(sql, guildId), { guildId, userId, role }, null, now);
      await enqueue(sql, [effect]);
      return;
    } else if (isWanted) {
      // Also a refused role, so that it is removed at the end of the grant: the member may have it from before.
      await run(connection, isSame.set({ state: 'applied' }));
      await settle(result !== 'refused', now);
    } else {
      // Who never had the role until its end, in a long outage for example, was not given it.
      await settle(false, now);
    }
    const ended = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
    const ofGuild = ended.where('guild_id', '=', guildId);
    await run(connection, ofGuild.where('until', 'is not', null).where('until', '<=', now));
  },

  /** Enqueues roles of a member again, to repair what was changed in Discord. */
  async repairMember(sql: Sql, userId: string, roles: readonly RoleOfGuild[], now: number): Promise<void> {
    const grants = sql.db.selectFrom('grants').selectAll().where('user_id', '=', userId);
    const settled = await run(sql.connection, grants.where('state', '<>', literal('pending')));
    const isNamed = ({ guild_id, role }: Tables['grants']) =>
      roles.some((each) => each.guildId === guild_id && each.role === role);
    await enqueueRoles(sql, settled.filter(isNamed), now);
  },

  /**
   * Enqueues the roles of the members that follow `userId` in the order of ids again, until there are `limit` roles or
   * more. Returns the last member; null at the end.
   */
  async repairAfter(sql: Sql, userId: string, limit: number, now: number): Promise<string | null> {
    const { db, connection } = sql;
    const following = db.selectFrom('grants').selectAll().where('user_id', '>', userId);
    const page = await run(connection, following.orderBy('user_id').limit(limit));
    const last = page.at(-1);
    if (last === undefined) return null;
    const rest = following.where('user_id', '=', last.user_id);
    const grants = [...page.filter(({ user_id }) => user_id !== last.user_id), ...(await run(connection, rest))];
    const settled = grants.filter(({ state }) => state !== 'pending');
    await enqueueRoles(sql, settled, now);
    return page.length < limit ? null : last.user_id;
  },

  /** Stores which of the roles that a rule of the community names a member has (Discord IDs). */
  async seeRoles({ db, connection }: Sql, accountId: AccountId, seen: readonly string[]): Promise<void> {
    const roles = seen.length === 0 ? null : JSON.stringify(seen);
    if (roles === null) {
      await run(connection, db.updateTable('balances').set({ roles }).where('account_id', '=', accountId));
      return;
    }
    const account = { account_id: accountId, credits: 0, votes: 0, last_votes: '{}', roles };
    const insert = db.insertInto('balances').values(account);
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('account_id').doUpdateSet({ roles })),
    );
  },
};

/** Plans the effect that takes a role away, which the member has until the last of these grants ends. */
async function planEnd(
  sql: Sql,
  { guildId, userId, role }: GrantedRole,
  grants: readonly Pick<Tables['grants'], 'until'>[],
  now: number,
): Promise<void> {
  const communityId = await communityOfGuild(sql, guildId);
  const key = planKey(communityId, 'role', userId, role);
  const dueAt = grants.reduce((last, { until }) => Math.max(last, until ?? Number.POSITIVE_INFINITY), now);
  if (dueAt === now || dueAt === Number.POSITIVE_INFINITY) return withdraw(sql, [key]);
  await enqueue(sql, [
    { ...roleEffect(communityId, { guildId, userId, role }, null, now), plan: { key, dueAt, userId } },
  ]);
}

export type RoleStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

async function enqueueRoles(sql: Sql, grants: readonly Tables['grants'][], now: number): Promise<void> {
  const { db, connection } = sql;
  const roles = new Map(grants.map((grant) => [`${grant.user_id} ${grant.role} ${grant.guild_id}`, grant]));
  // Recordings lock the accounts before they change grants, in the same order.
  for (const userId of [...new Set(grants.map(({ user_id }) => user_id))].sort()) {
    await lockAccountsOf(connection, db, userId);
  }
  for (const { user_id, role, guild_id } of roles.values()) {
    const same = db.updateTable('grants').set({ state: 'pending' }).where('user_id', '=', user_id);
    await run(connection, same.where('role', '=', role).where('guild_id', '=', guild_id));
  }
  for (const { guild_id: guildId, user_id: userId, role } of roles.values()) {
    await enqueue(sql, [roleEffect(await communityOfGuild(sql, guildId), { guildId, userId, role }, null, now)]);
  }
}

/** Rows that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 10_000;
const maxParked = 50;
/** Buried effects in which the reasons of parked roles are searched. */
const maxBuried = 200;

/**
 * The number of grants by state, and some that Discord rejected, with the reason; null if it is not known any more. Scans
 * the grants. @param guildId null for all guilds
 */
export async function summarizeGrants(sql: Sql, guildId: string | null = null) {
  const { db, connection } = sql;
  const counts: Record<GrantState, number> = { pending: 0, applied: 0, parked: 0 };
  const parked: { readonly userId: string; readonly role: string; readonly source: string }[] = [];
  let last: string | undefined = '';
  while (last !== undefined) {
    const all = db.selectFrom('grants').select(['user_id', 'role', 'source', 'state']).where('user_id', '>', last);
    const grants = guildId === null ? all : all.where('guild_id', '=', guildId);
    const page: readonly Pick<Tables['grants'], 'user_id' | 'role' | 'source' | 'state'>[] = await run(
      connection,
      grants.orderBy('user_id').limit(rowsPerQuery),
    );
    for (const { user_id: userId, role, source, state } of page) {
      counts[state] += 1;
      if (state === 'parked' && parked.length < maxParked) parked.push({ userId, role, source });
    }
    last = page.length < rowsPerQuery ? undefined : page.at(-1)?.user_id;
    await nextTurn();
  }
  const reasons = parked.length === 0 ? new Map<string, string>() : await reasonsOfRoles(sql);
  return {
    counts,
    parked: parked.map((grant) => ({ ...grant, reason: reasons.get(`${grant.userId} ${grant.role}`) ?? null })),
  };
}

/** Why the newest effects for roles failed, by user and role. */
async function reasonsOfRoles({ db, connection }: Sql): Promise<Map<string, string>> {
  const buried = await run(
    connection,
    db
      .selectFrom('effects')
      .select(['kind', 'content', 'reason'])
      .where('state', '=', literal('buried'))
      .orderBy('id', 'desc')
      .limit(maxBuried),
  );
  const reasons = new Map<string, string>();
  for (const { kind, content, reason } of buried.toReversed()) {
    const failed = kind === 'role' ? roleKind.parse(parseJson(content)) : null;
    if (failed === null) continue;
    const { userId, role } = failed;
    if (reason !== null) reasons.set(`${userId} ${role}`, reason);
  }
  return reasons;
}
