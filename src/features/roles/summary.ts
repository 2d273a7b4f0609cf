import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJson } from '@tallyhook/platform/json';
import { roleKind } from '../../core/outbox/effect-kind.ts';
import type { GrantState } from '../../core/rewards/grant.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';

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
