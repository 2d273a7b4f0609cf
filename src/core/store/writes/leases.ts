import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { LeaseGroup, LeaseStore } from '../../../platform/leases/lease-store.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** Leases of processes, for use inside a transaction of `connection`. */
export function leaseWrites(db: Kysely<Tables>, connection: Connection) {
  const lockGroup = (group: string) => lock(connection, db, `leases of ${group}`);
  const saveSize = (group: string, size: number) =>
    run(
      connection,
      db
        .insertInto('lease_groups')
        .values({ name: group, size })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ size })),
    );

  async function sizeOf(group: string): Promise<number | undefined> {
    const sizes = db.selectFrom('lease_groups').select('size').where('name', '=', group);
    return (await run(connection, sizes))[0]?.size;
  }

  const holdersOf = (group: string) =>
    run(connection, db.selectFrom('lease_holders').select(['id', 'beat']).where('group_name', '=', group));

  const leasesOf = (group: string) =>
    run(connection, db.selectFrom('leases').select(['slot', 'size', 'holder']).where('group_name', '=', group));

  return {
    async joinLeases(...[group, holder, size]: Parameters<LeaseStore['join']>): Promise<void> {
      await lockGroup(group);
      if ((await holdersOf(group)).length === 0) await saveSize(group, size);
      const insert = db.insertInto('lease_holders').values({ id: holder, group_name: group, beat: 0 });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('id').doNothing()),
      );
    },

    async renewLeases(...[group, holder]: Parameters<LeaseStore['renew']>): Promise<LeaseGroup | null> {
      const update = db.updateTable('lease_holders').set((eb) => ({ beat: eb('beat', '+', 1) }));
      const renewed = await run(connection, update.where('id', '=', holder).returning('id'));
      if (renewed.length === 0) return null;
      return {
        size: (await sizeOf(group)) ?? 0,
        holders: await holdersOf(group),
        leases: await leasesOf(group),
      };
    },

    async takeLeases(
      ...[group, holder, { size, slots, limit }]: Parameters<LeaseStore['take']>
    ): Promise<readonly number[]> {
      await lockGroup(group);
      const own = db.selectFrom('lease_holders').select('id').where('id', '=', holder).forUpdate();
      if ((await run(connection, own)).length === 0) return [];
      if (((await sizeOf(group)) ?? size) !== size) return [];
      const leases = await leasesOf(group);
      if (leases.some((lease) => lease.size !== size)) return [];
      const taken = new Set(leases.map(({ slot }) => slot));
      const free = slots.filter((slot) => !taken.has(slot)).slice(0, limit);
      if (free.length === 0) return [];
      const rows = free.map((slot) => ({ group_name: group, size, slot, holder }));
      await run(connection, db.insertInto('leases').values(rows));
      return free;
    },

    async releaseLeases(...[group, holder, slots]: Parameters<LeaseStore['release']>): Promise<void> {
      if (slots.length === 0) return;
      const own = db.deleteFrom('leases').where('group_name', '=', group).where('holder', '=', holder);
      await run(connection, own.where('slot', 'in', slots));
    },

    async removeLeaseHolder(...[holder, beat]: Parameters<LeaseStore['remove']>): Promise<void> {
      const ofHolder = db.deleteFrom('lease_holders').where('id', '=', holder);
      const removed = await run(
        connection,
        (beat === null ? ofHolder : ofHolder.where('beat', '=', beat)).returning('id'),
      );
      if (removed.length > 0) await run(connection, db.deleteFrom('leases').where('holder', '=', holder));
    },

    async resizeLeases(...[group, size]: Parameters<LeaseStore['resize']>): Promise<void> {
      await lockGroup(group);
      await saveSize(group, size);
    },
  };
}
