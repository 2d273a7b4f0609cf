import type { Compilable, Selectable } from 'kysely';
import { partsOf } from '../../core/ledger/account.ts';
import { type NewEffect, parseContent } from '../../core/outbox/effect-kind.ts';
import { accountsOfMember, lockAccountsOf, releaseAccount } from '../../core/store/accounts.ts';
import { communityOfGuild } from '../../core/store/communities.ts';
import type { Mentions } from '../../core/store/member-data/member-table.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { lock, run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import { forgottenVoteKey } from '../../core/tally/idempotency-key.ts';
import { findMemberRows, findMentions } from './member-rows.ts';

/** The rows about a member by table, as they are stored, with JSON columns parsed. Times are ms since the epoch. */
export type ExportedRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The pseudonym of a forgotten member, and how long votes are kept. */
export interface Forgetting {
  /** From {@link createPseudonym}. */
  readonly pseudonym: string;
  /** The current time (ms since the epoch). */
  readonly now: number;
  /** For how long after a vote its repeat is still recognised if it has no timestamp (ms). */
  readonly keepVotesMs: number;
}

export const reads = {
  findMentions,

  /** Everything that is stored about a member. Tables without rows about the member are missing. */
  async export(sql: Sql, userId: string): Promise<ExportedRows> {
    const { db, connection, memberTables } = sql;
    const accounts = await accountsOfMember(connection, db, userId);
    const rows = await findMemberRows(sql, userId, accounts, await findMentions(sql, userId));
    const exported: [string, ExportedRows[string]][] = [];
    for (const [name, table] of Object.entries(memberTables)) {
      if (!('select' in table)) continue;
      const selected = await runAll(sql, table.select(db, rows));
      if (selected.length > 0) exported.push([name, selected.map((row) => toReadable(sql, row))]);
    }
    return Object.fromEntries(exported);
  },
};

export const writes = {
  /**
   * Forgets a member, in all communities. A vote that is recorded meanwhile waits for the account, and is counted for a
   * new one.
   * @param found before the transaction, because it takes long
   */
  async forget(sql: Sql, userId: string, found: Mentions, { pseudonym, now, keepVotesMs }: Forgetting): Promise<void> {
    const { db, connection } = sql;
    const tables = Object.values(sql.memberTables).filter((table) => 'forget' in table);
    await lock(connection, db, 'orders');
    const effects: NewEffect[] = [];
    for (const { beforeForgetting } of sql.hooks) effects.push(...((await beforeForgetting?.(sql, userId, now)) ?? []));
    const accounts = await lockAccountsOf(connection, db, userId);
    const accountIds = accounts.map(({ id }) => id);
    const grants = await run(connection, db.selectFrom('grants').selectAll().where('user_id', '=', userId));
    const rows = await findMemberRows(sql, userId, accountIds, found);
    for (const { id, lastVotes } of accounts) {
      const community = { id: partsOf(id).communityId };
      for (const [name, at] of Object.entries(lastVotes)) {
        const expiresAt = at + keepVotesMs;
        if (expiresAt <= now) continue;
        const key = Buffer.from(forgottenVoteKey(userId, { name, community }), 'hex');
        await upsert(sql, 'forgotten_votes', { key }, { at, expires_at: expiresAt });
      }
    }
    for (const account of accounts) await releaseAccount(connection, db, { ...account, roles: [] });
    for (const table of tables) await runAll(sql, table.forget(db, rows, pseudonym));
    await enqueue(sql, [...(await roleRemovals(sql, grants, now)), ...effects]);
  },

  /** Deletes the votes of forgotten members that have expired. */
  async deleteExpired({ db, connection }: Sql, now: number): Promise<void> {
    await run(connection, db.deleteFrom('forgotten_votes').where('expires_at', '<=', now));
  },
};

export type MemberDataStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/**
 * Replaces the member's id everywhere, deletes the bodies of the member's deliveries and cancels waiting effects, in
 * one transaction. Entries, sums and idempotency keys remain. Roles that were granted are removed by effects, which
 * contain the id until then. Does nothing for a member of whom nothing is stored.
 */
export async function forgetMember(store: MemberDataStore, userId: string, forgetting: Forgetting): Promise<void> {
  await store.forget(userId, await store.findMentions(userId), forgetting);
}

/** The effects read the grants when they are carried out, and there are none left then. */
async function roleRemovals(
  sql: Sql,
  grants: readonly Selectable<Tables['grants']>[],
  now: number,
): Promise<readonly NewEffect[]> {
  const roles = new Map(grants.map((grant) => [`${grant.guild_id} ${grant.role}`, grant]));
  const effects: NewEffect[] = [];
  for (const { guild_id: guildId, user_id: userId, role } of roles.values()) {
    effects.push(roleEffect(await communityOfGuild(sql, guildId), { guildId, userId, role, erase: true }, null, now));
  }
  return effects;
}

async function runAll<Row>({ connection }: Sql, queries: readonly Compilable<Row>[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const query of queries) rows.push(...(await run(connection, query)));
  return rows;
}

const jsonColumns = ['body', 'last_votes', 'history', 'roles'];

/** The row with its JSON columns parsed, and the fields of an effect's contents named. */
function toReadable({ effects }: Sql, row: object): Record<string, unknown> {
  const columns = Object.entries<unknown>({ ...row });
  const kind = 'kind' in row ? String(row.kind) : '';
  return Object.fromEntries(
    columns.map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      if (name === 'content') {
        const contents = parseContent(effects, kind, value);
        return [name, 'reason' in contents ? parsed(value) : contents.content];
      }
      return [name, jsonColumns.includes(name) ? parsed(value) : value];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
