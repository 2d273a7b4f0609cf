import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { AccountId } from '../../ledger/account-id.ts';
import { recipientOf } from '../../outbox/direct-message-queue.ts';
import { readHome } from '../installation/store.ts';
import { literal, run } from '../query-builder.ts';
import { noDelivery, type Tables } from '../tables.ts';
import { deletedBody, type GuildRows } from '../writes/guild-data.ts';
import { progressKeys } from '../writes/progress.ts';
import type { Write } from '../writes/writes.ts';

/** Rows that one transaction changes: a few ms. */
const rowsPerWrite = 100;
/** Rows that one query scans: a few ms, in which SQLite blocks this thread. */
const scanSize = 5_000;

const noRows: GuildRows = {
  ...{ deliveries: [], effects: [], plannedEffects: [], grants: [], purchases: [], reminders: [], orders: [] },
  ...{ partyVoters: [], parties: [], progress: [], listings: [] },
};

/**
 * Deletes the accounts of a community, and what else is stored of its listings, in many small transactions, so that a vote
 * for another community does not wait. After an interruption it can be repeated. The home community keeps everything.
 */
export async function deleteGuildData(
  db: Kysely<Tables>,
  reading: Connection,
  write: Write,
  { guildId, signal }: { readonly guildId: string; readonly signal: AbortSignal },
): Promise<void> {
  if ((await readHome({ db, connection: reading })) === guildId) return;
  const listings = await listingsOf();
  const ofListings = listings.length === 0 ? [''] : listings;

  await deleteAccounts();
  await deleteFound('grants', async () => {
    const grants = db.selectFrom('grants').select(['user_id', 'role', 'source']).where('guild_id', '=', guildId);
    const rows = await run(reading, grants.limit(literal(rowsPerWrite)));
    return rows.map(({ user_id: userId, role, source }) => ({ userId, role, source }));
  });
  await deleteFound('purchases', async () => {
    const own = db.selectFrom('purchases').select('id').where('account_guild_id', '=', guildId);
    return (await run(reading, own.limit(literal(rowsPerWrite)))).map(({ id }) => id);
  });
  await deleteFound('reminders', async () => {
    const reminders = db.selectFrom('reminders').select(['user_id', 'listing']).where('listing', 'in', ofListings);
    const rows = await run(reading, reminders.limit(literal(rowsPerWrite)));
    return rows.map(({ user_id: userId, listing }) => ({ userId, listing }));
  });
  await deleteFound('orders', async () => {
    const orders = db.selectFrom('orders').select('id').where('listing', 'in', ofListings);
    return (await run(reading, orders.limit(literal(rowsPerWrite)))).map(({ id }) => id);
  });
  await deleteParties();
  await emptyDeliveries();
  await deleteEffects();
  const progress = listings.flatMap((name) => [
    ...[progressKeys.digest(name), progressKeys.reviewPoll(name), progressKeys.reviews(name)],
    progressKeys.lostStreaks(name),
  ]);
  if (signal.aborted) return;
  await write('deleteGuildRows', { ...noRows, progress: [...progress, progressKeys.lostStreaks(guildId)], listings });

  /** Those that were linked in Discord; listings of the operator are not its own. */
  async function listingsOf(): Promise<readonly string[]> {
    const changed = db.selectFrom('changed_settings').select('listing').where('guild_id', '=', guildId);
    const values = db.selectFrom('setting_values').select('listing').where('guild_id', '=', guildId);
    const isLink = literal('link');
    const rows = await run(reading, changed.where('path', '=', isLink).union(values.where('path', '=', isLink)));
    return rows.map(({ listing }) => listing);
  }

  async function deleteAccounts(): Promise<void> {
    const first = db.selectFrom('balances').select('user_id').where('guild_id', '=', guildId);
    while (!signal.aborted) {
      const [account] = await run(reading, first.orderBy('user_id').limit(literal(1)));
      if (account === undefined) return;
      await write('deleteAccountEntries', account.user_id as AccountId);
    }
  }

  async function deleteFound<Name extends keyof GuildRows>(
    name: Name,
    find: () => Promise<GuildRows[Name]>,
  ): Promise<void> {
    while (!signal.aborted) {
      const rows = await find();
      if (rows.length === 0) return;
      await write('deleteGuildRows', { ...noRows, [name]: rows });
    }
  }

  async function deleteParties(): Promise<void> {
    const own = db.selectFrom('parties').select('period').where('period', 'like', `${guildId} %`);
    for (const { period } of await run(reading, own)) {
      await deleteFound('partyVoters', async () => {
        const voters = db.selectFrom('party_voters').select('user_id').where('period', '=', period);
        const rows = await run(reading, voters.limit(literal(rowsPerWrite)));
        return rows.map(({ user_id: userId }) => ({ period, userId }));
      });
      if (signal.aborted) return;
      await write('deleteGuildRows', { ...noRows, parties: [period] });
    }
  }

  /** Rows of a table that a test selects, in the order of their ids; some per query, because no index finds them. */
  async function scan<Row extends { readonly id: number }>(
    read: (after: number) => Promise<readonly Row[]>,
    visit: (rows: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    for (let after = -1; !signal.aborted; ) {
      const rows = await read(after);
      await visit(rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < scanSize) return;
      after = last.id;
      await nextTurn();
    }
  }

  async function emptyDeliveries(): Promise<void> {
    const deliveries = db.selectFrom('deliveries').select(['id', 'listing', 'body']);
    await scan(
      (after) => run(reading, deliveries.where('id', '>', after).orderBy('id').limit(literal(scanSize))),
      async (rows) => {
        const isOwn = ({ listing, body }: (typeof rows)[number]) =>
          listing !== null && listings.includes(listing) && body !== deletedBody;
        await inParts(rows.filter(isOwn), 'deliveries');
      },
    );
  }

  /** Those without a delivery, which name a listing or the guild. Effects of deliveries were deleted with them. */
  async function deleteEffects(): Promise<void> {
    const isOwn = ({ queue, content }: { readonly queue: string; readonly content: string }) =>
      queue === `role ${guildId}` ||
      recipientOf(queue)?.guildId === guildId ||
      content.includes(`"${guildId}"`) ||
      content.includes(`"${guildId} `) ||
      listings.some((name) => content.includes(`"${name}"`));
    const effects = db.selectFrom('effects').select(['id', 'queue', 'content']).where('delivery_id', '=', noDelivery);
    await scan(
      (after) => run(reading, effects.where('id', '>', after).orderBy('id').limit(literal(scanSize))),
      (rows) => inParts(rows.filter(isOwn), 'effects'),
    );
    const planned = db.selectFrom('planned_effects').select(['id', 'queue', 'content']);
    await scan(
      (after) => run(reading, planned.where('id', '>', after).orderBy('id').limit(literal(scanSize))),
      (rows) => inParts(rows.filter(isOwn), 'plannedEffects'),
    );
  }

  async function inParts(
    rows: readonly { readonly id: number }[],
    name: 'deliveries' | 'effects' | 'plannedEffects',
  ): Promise<void> {
    for (let at = 0; at < rows.length && !signal.aborted; at += rowsPerWrite) {
      const ids = rows.slice(at, at + rowsPerWrite).map(({ id }) => id);
      await write('deleteGuildRows', { ...noRows, [name]: ids });
    }
  }
}
