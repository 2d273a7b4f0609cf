import type { CircuitStore } from '../../../discord/circuits/circuits.ts';
import { increase, run, upsert } from '../query-builder.ts';
import type { SqlOperations } from '../sql-module.ts';

/* Channels and roles that Discord rejects. */

/** Minutes after which a count is deleted. */
const keptMinutes = 60;

export const reads: SqlOperations<Pick<CircuitStore, 'all' | 'rejections'>> = {
  async all({ db, connection }) {
    const rows = await run(connection, db.selectFrom('open_circuits').selectAll().orderBy('target'));
    return rows.map(({ target, guild_id: guildId, code, reason, opened_at: openedAt, probe_at: probeAt }) => {
      return { target, guildId, code, reason, openedAt, probeAt };
    });
  },

  async rejections({ db, connection }, from, until) {
    const counts = db.selectFrom('guild_rejections').where('minute', '>=', from).where('minute', '<=', until);
    const sums = counts.groupBy('guild_id').select(({ fn }) => ['guild_id', fn.sum<number | null>('count').as('sum')]);
    const rows = await run(connection, sums.orderBy('guild_id'));
    return rows.map(({ guild_id: guildId, sum }) => ({ guildId, count: Number(sum ?? 0) }));
  },
};

export const writes: SqlOperations<Pick<CircuitStore, 'save' | 'addRejections'>> = {
  async save(sql, open, closed) {
    const { db, connection } = sql;
    // In one order, so that two processes never wait for each other.
    const targets = [...open.map(({ target }) => target), ...closed].sort();
    const saved = new Map(open.map((circuit) => [circuit.target, circuit]));
    for (const target of targets) {
      const circuit = saved.get(target);
      if (circuit === undefined) {
        await run(connection, db.deleteFrom('open_circuits').where('target', '=', target));
        continue;
      }
      const { guildId: guild_id, code, reason, openedAt: opened_at, probeAt: probe_at } = circuit;
      await upsert(sql, 'open_circuits', { target }, { guild_id, code, reason, opened_at, probe_at });
    }
  },

  async addRejections(sql, minute, counts) {
    await run(sql.connection, sql.db.deleteFrom('guild_rejections').where('minute', '<', minute - keptMinutes));
    const sorted = counts.toSorted((a, b) => (a.guildId < b.guildId ? -1 : 1));
    for (const { guildId, count } of sorted)
      await increase(sql, 'guild_rejections', { minute, guild_id: guildId }, { count });
  },
};
