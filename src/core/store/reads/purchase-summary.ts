import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { PurchaseSummary } from '../../records/reward-records.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

const maxNewest = 10;
/**
 * Purchases with the highest ids, in which the newest are searched. Ids need not grow with time: on some databases, each
 * connection has a range of its own, of 100 ids for example.
 */
const recentPurchases = 1_000;

/** The newest purchases, without codes, and how many wait for the owner. Scans the purchases, which are rare. */
export async function summarizePurchases(db: Kysely<Tables>, reading: Connection): Promise<PurchaseSummary> {
  const recent = db
    .selectFrom('purchases')
    .select(['id', 'user_id', 'name', 'price', 'state', 'role', 'at'])
    .orderBy('id', 'desc')
    .limit(recentPurchases);
  const newest = db
    .selectFrom(recent.as('recent'))
    .select(['id', 'user_id as userId', 'name', 'price', 'state', 'role', 'at'])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxNewest);
  // Neither a role nor a code: the owner fulfils it.
  const waiting = db
    .selectFrom('purchases')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', literal('confirmed'))
    .where('role', 'is', null)
    .where('code', 'is', null);
  const [counted] = await run(reading, waiting);
  return { newest: await run(reading, newest), waiting: counted?.count ?? 0 };
}
