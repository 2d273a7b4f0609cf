import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import type { CircuitStore } from '../../discord/circuits.ts';
import type { MemberLocales } from '../../discord/languages.ts';
import type { CommandRegistry } from '../../discord/registration/command-shape.ts';
import { type BudgetStore, maxClockSkewMs } from '../../lookup/budget.ts';
import { increase, insertMissing, lock, preparedStatement, run, upsert } from './query-builder.ts';
import type { Sql, SqlClient, SqlModule, SqlModuleOf } from './sql-module.ts';

/** Counts of rejected requests are deleted after this many minutes. */
const keptMinutes = 60;

/** Leases of processes. */
export const leases: SqlModuleOf<LeaseStore> = {
  reads: {},
  writes: {
    async join(sql, group, holder, size) {
      await lockGroup(sql, group);
      if ((await holdersOf(sql, group)).length === 0) await saveSize(sql, group, size);
      await insertMissing(sql, 'lease_holders', { id: holder }, { group_name: group, beat: 0 });
    },

    async renew(sql, group, holder) {
      const { db, connection } = sql;
      const update = db.updateTable('lease_holders').set((eb) => ({ beat: eb('beat', '+', 1) }));
      const renewed = await run(connection, update.where('id', '=', holder).returning('id'));
      if (renewed.length === 0) return null;
      return {
        size: (await sizeOf(sql, group)) ?? 0,
        holders: await holdersOf(sql, group),
        leases: await leasesOf(sql, group),
      };
    },

    async take(sql, group, holder, { size, slots, limit }) {
      const { db, connection } = sql;
      await lockGroup(sql, group);
      const own = db.selectFrom('lease_holders').select('id').where('id', '=', holder).forUpdate();
      if ((await run(connection, own)).length === 0) return [];
      if (((await sizeOf(sql, group)) ?? size) !== size) return [];
      const leases = await leasesOf(sql, group);
      if (leases.some((lease) => lease.size !== size)) return [];
      const taken = new Set(leases.map(({ slot }) => slot));
      const free = slots.filter((slot) => !taken.has(slot)).slice(0, limit);
      if (free.length === 0) return [];
      const rows = free.map((slot) => ({ group_name: group, size, slot, holder }));
      await run(connection, db.insertInto('leases').values(rows));
      return free;
    },

    async release({ db, connection }, group, holder, slots) {
      if (slots.length === 0) return;
      const own = db.deleteFrom('leases').where('group_name', '=', group).where('holder', '=', holder);
      await run(connection, own.where('slot', 'in', slots));
    },

    async remove({ db, connection }, holder, beat) {
      const ofHolder = db.deleteFrom('lease_holders').where('id', '=', holder);
      const removed = await run(
        connection,
        (beat === null ? ofHolder : ofHolder.where('beat', '=', beat)).returning('id'),
      );
      if (removed.length > 0) await run(connection, db.deleteFrom('leases').where('holder', '=', holder));
    },

    async resize(sql, group, size) {
      await lockGroup(sql, group);
      await saveSize(sql, group, size);
    },
  },
};

function lockGroup({ db, connection }: Sql, group: string): Promise<void> {
  return lock(connection, db, `leases of ${group}`);
}

function saveSize(sql: Sql, group: string, size: number): Promise<void> {
  return upsert(sql, 'lease_groups', { name: group }, { size });
}

async function sizeOf({ db, connection }: Sql, group: string): Promise<number | undefined> {
  const sizes = db.selectFrom('lease_groups').select('size').where('name', '=', group);
  return (await run(connection, sizes))[0]?.size;
}

function holdersOf({ db, connection }: Sql, group: string) {
  return run(connection, db.selectFrom('lease_holders').select(['id', 'beat']).where('group_name', '=', group));
}

function leasesOf({ db, connection }: Sql, group: string) {
  return run(connection, db.selectFrom('leases').select(['slot', 'size', 'holder']).where('group_name', '=', group));
}

/** The channels and roles that Discord rejects. */
export const circuits: SqlModuleOf<CircuitStore, 'all' | 'rejections'> = {
  reads: {
    async all({ db, connection }) {
      const rows = await run(connection, db.selectFrom('open_circuits').selectAll().orderBy('target'));
      return rows.map(({ target, guild_id: guildId, code, reason, opened_at: openedAt, probe_at: probeAt }) => {
        return { target, guildId, code, reason, openedAt, probeAt };
      });
    },

    async rejections({ db, connection }, from, until) {
      const counts = db.selectFrom('rejected_requests').where('minute', '>=', from).where('minute', '<=', until);
      const sums = counts
        .groupBy('guild_id')
        .select(({ fn }) => ['guild_id', fn.sum<number | null>('count').as('sum')]);
      const rows = await run(connection, sums.orderBy('guild_id'));
      return rows.map(({ guild_id: guildId, sum }) => ({ guildId, count: Number(sum ?? 0) }));
    },
  },
  writes: {
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
      await run(sql.connection, sql.db.deleteFrom('rejected_requests').where('minute', '<', minute - keptMinutes));
      const sorted = counts.toSorted((a, b) => (a.guildId < b.guildId ? -1 : 1));
      for (const { guildId, count } of sorted)
        await increase(sql, 'rejected_requests', { minute, guild_id: guildId }, { count });
    },
  },
};

/** The log of requests to the lookup API. It survives restarts, and all processes share it. */
export const budgetStore: SqlModuleOf<BudgetStore, 'spent'> = {
  reads: {
    async spent({ db, connection }, keyId, since) {
      const ofKey = db.selectFrom('lookup_requests').where('key_id', '=', keyId).where('at', '>', since);
      const [row] = await run(connection, ofKey.select(db.fn.countAll<number>().as('count')));
      return row?.count ?? 0;
    },
  },
  writes: {
    async acquire({ db, connection }, keyId, at, window, limit, setBack = 0) {
      await lock(connection, db, `budget of ${keyId}`);
      const ofKey = db.deleteFrom('lookup_requests').where('key_id', '=', keyId);
      await run(connection, ofKey.where('at', '<=', at - 2 * window));
      // Requests with times in the future were logged before the clock was set back.
      const requests = db.updateTable('lookup_requests').where('key_id', '=', keyId);
      const future = requests.where('at', '>', at + maxClockSkewMs);
      await run(connection, future.where('at', '>', at + setBack).set({ at }));
      const shifted = future.set((eb) => ({ at: eb('at', '-', setBack) }));
      await run(connection, shifted);
      const newest = db.selectFrom('lookup_requests').select('at').where('key_id', '=', keyId).orderBy('at', 'desc');
      const inWindow = newest.where('at', '>', at - window).offset(limit - 1);
      const [limiting] = await run(connection, inWindow.limit(1));
      if (limiting !== undefined) return { granted: false, retryAt: limiting.at + window };
      await run(connection, db.insertInto('lookup_requests').values({ key_id: keyId, at }));
      return { granted: true };
    },
  },
};

/** The registered slash commands. */
export const commandRegistry: SqlModuleOf<CommandRegistry, 'list' | 'has'> = {
  reads: {
    async list({ db, connection }, applicationId) {
      const commands = db
        .selectFrom('registered_commands')
        .select(['id', 'application_id as applicationId', 'guild_id as guildId', 'name', 'definition'])
        .where('application_id', '=', applicationId);
      return run(connection, commands.orderBy('id'));
    },

    async has({ db, connection }, id) {
      const command = db.selectFrom('registered_commands').select('id').where('id', '=', id);
      return (await run(connection, command)).length > 0;
    },
  },
  writes: {
    async save(sql, { id, applicationId, guildId, name, definition }) {
      const row = { application_id: applicationId, guild_id: guildId, name, definition };
      await upsert(sql, 'registered_commands', { id }, row);
    },

    async remove({ db, connection }, id) {
      await run(connection, db.deleteFrom('registered_commands').where('id', '=', id));
    },
  },
};

/** The console sessions that were signed out, shared by all processes and kept over restarts. */
export const sessions = {
  reads: {
    async isRevoked({ db, connection }: Sql, sessionId: string): Promise<boolean> {
      const revocation = db.selectFrom('revoked_sessions').select('id').where('id', '=', sessionId);
      return (await run(connection, revocation)).length > 0;
    },
  },
  writes: {
    /**
     * Deletes revocations of expired sessions.
     * @param session `expiresAt`: the end of the session, until which the revocation is stored; both times in ms since
     * the epoch
     */
    async revoke(
      sql: Sql,
      { id, expiresAt, now }: { readonly id: string; readonly expiresAt: number; readonly now: number },
    ): Promise<void> {
      await run(sql.connection, sql.db.deleteFrom('revoked_sessions').where('expires_at', '<=', now));
      await insertMissing(sql, 'revoked_sessions', { id }, { expires_at: expiresAt });
    },
  },
} satisfies SqlModule;

export type SessionRevocations = SqlClient<typeof sessions>;

/** The row that the readiness check writes. */
export const probes = {
  reads: {},
  writes: {
    /** Writes the time (ms since the epoch) to check that the database is writable. */
    async write(sql: Sql, at: number): Promise<void> {
      await upsert(sql, 'probes', { id: 1 }, { at });
    },
  },
} satisfies SqlModule;

/** The languages of members who may get direct messages. */
export const memberLocales: SqlModuleOf<MemberLocales, 'localeOf'> = {
  reads: {
    localeOf: async (sql, userId) => (await findLocale(sql, { userId }))[0]?.locale ?? null,
  },
  writes: {
    async setLocale(sql, user_id, locale) {
      await upsert(sql, 'member_languages', { user_id }, { locale });
    },
  },
};

const findLocale = preparedStatement<{ userId: string }>()((db, placeholder) =>
  db.selectFrom('member_languages').select('locale').where('user_id', '=', placeholder('userId')),
);
