import { hour } from '@tallyhook/platform/durations';
import type { Database, Sql } from '../database.ts';
import type { LostInvite } from '../tables.ts';
import { type StoredListing, saveInvite, updateFacts } from './listings.ts';

const intervalMs = 1 * hour;
/** After an invite has not led to its server for some times: its owner has not replaced it, and may never do. */
const maxIntervalMs = 168 * hour;

/** Stores the invite that an owner has entered, or none, and has the members of a server counted by it. */
export async function saveCheckedInvite(
  database: Database,
  { id, kind }: Pick<StoredListing, 'id' | 'kind'>,
  invite: string | null,
  now: number,
): Promise<void> {
  await database.transaction().execute(async (sql) => {
    await saveInvite(sql, id, invite);
    await sql.deleteFrom('invite_checks').where('listing_id', '=', id).execute();
    if (kind === 'bot' || invite === null) return;
    await sql.insertInto('invite_checks').values({ listing_id: id, due_at: now, failures: 0 }).execute();
  });
}

/** A server's last invite check; null without one. `readAt`: when the members were counted (ms since the epoch). */
export async function findInviteCheck(sql: Sql, listingId: string) {
  const checks = sql.selectFrom('invite_checks').select(['problem', 'read_at as readAt']);
  return (await checks.where('listing_id', '=', listingId).executeTakeFirst()) ?? null;
}

/** A server whose members are to be counted by its invite. */
export interface DueInvite {
  readonly id: string;
  readonly invite: string;
  readonly failures: number;
}

/** The invite that has been due for the longest time at `now` (ms since the epoch); null if none is due. */
export async function findDueInvite(sql: Sql, now: number): Promise<DueInvite | null> {
  const due = await sql
    .selectFrom('invite_checks')
    .innerJoin('listings', 'listings.id', 'invite_checks.listing_id')
    .select(['listings.id', 'listings.invite', 'invite_checks.failures'])
    .where('listings.state', '!=', 'deleting')
    // One that is due later than any can be is from before the clock was set back.
    .where((row) => row.or([row('due_at', '<=', now), row('due_at', '>', now + maxIntervalMs + hour)]))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return due?.invite ? { ...due, invite: due.invite } : null;
}

/** Stores the numbers that Discord gave for an invite, unless the listing has another one now. */
export async function storeInviteCounts(
  database: Database,
  due: DueInvite,
  counts: { readonly members: number; readonly online: number },
  now: number,
): Promise<void> {
  await database.transaction().execute(async (sql) => {
    if (!(await setCheck(sql, due, { due_at: now + intervalMs, failures: 0, problem: null, read_at: now }))) return;
    await updateFacts(sql, due.id, 'server', counts);
  });
}

/** Notes that an invite does not lead to its server, and asks for it less and less often. */
export async function storeLostInvite(
  database: Database,
  due: DueInvite,
  problem: LostInvite,
  now: number,
): Promise<void> {
  const failures = due.failures + 1;
  const delayMs = Math.min(intervalMs * 2 ** failures, maxIntervalMs);
  await setCheck(database, due, { due_at: now + delayMs, failures, problem });
}

/** Asks for an invite again at `dueAt` (ms since the epoch), because Discord did not say what became of it. */
export async function postponeInvite(database: Database, due: DueInvite, dueAt: number): Promise<void> {
  await setCheck(database, due, { due_at: dueAt });
}

type Check = { readonly due_at: number; failures?: number; problem?: LostInvite | null; read_at?: number };

/** False if the listing has another invite now. */
async function setCheck(sql: Sql, { id, invite }: DueInvite, values: Check): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('invite_checks')
    .set(values)
    .where('listing_id', '=', ({ selectFrom }) =>
      selectFrom('listings').select('id').where('id', '=', id).where('invite', '=', invite).forNoKeyUpdate(),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
