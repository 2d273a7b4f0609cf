import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { lock } from '../lock.ts';
import { insertMissing, run, upsert } from '../query-builder.ts';
import type { Sql, SqlOperations } from '../sql-module.ts';

/* Leases of processes. */

export const reads = {};

export const writes: SqlOperations<LeaseStore> = {
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
