import { sql } from 'kysely';
import { type AccountId, type CommunityId, partsOf } from '../../ledger/account.ts';
import { countedVoteCauses, type Entry } from '../../ledger/entry.ts';
import { readCommunities } from '../communities.ts';
import { literal } from '../query-builder.ts';
import { noDelivery } from '../tables.ts';
import { accessTo, type Snapshot } from './snapshot.ts';

/** An account whose balance is not the sum of the entries: credits and votes as stored and as summed up. */
export interface BalanceDifference {
  readonly accountId: AccountId;
  readonly balance: { readonly credits: number; readonly votes: number };
  readonly entries: { readonly credits: number; readonly votes: number };
}

/** A delivery whose log row and entries differ in the credits paid. A missing delivery counts as 0 credits. */
export interface PaymentDifference {
  readonly deliveryId: number;
  readonly paid: number;
  readonly entered: number;
}

/**
 * The number of entries without the correct link to their user's previous entry, plus that of balances without the
 * correct link to the newest. A history is read along these links, so an entry that they miss would not be seen.
 */
export async function brokenLinks({ db, run }: Snapshot): Promise<number> {
  const count = db.fn.countAll<number>().as('count');
  const previousId = sql<number | null>`lag(id) over (partition by account_id order by number, id)`;
  const links = db.selectFrom('entries').select(['previous', previousId.as('previous_id')]);
  const [entries] = await run(
    db.selectFrom(links.as('links')).select(count).whereRef('previous', 'is distinct from', 'previous_id'),
  );
  const place = sql<number>`row_number() over (partition by account_id order by number desc, id desc)`;
  const newest = db
    .selectFrom(
      db
        .selectFrom('entries')
        .select(['account_id', 'id as newest', place.as('place')])
        .as('places'),
    )
    .select(['account_id', 'newest'])
    .where('place', '=', 1);
  const [balances] = await run(
    db
      .selectFrom('balances')
      .leftJoin(newest.as('newest'), 'newest.account_id', 'balances.account_id')
      .select(count)
      .whereRef('last_entry', 'is distinct from', 'newest'),
  );
  return (entries?.count ?? 0) + (balances?.count ?? 0);
}

/** The number of rows that refer to a missing row: entries and effects to deliveries, order names to orders. */
export interface OrphanedRows {
  readonly entries: number;
  readonly effects: number;
  readonly names: number;
}

/** The number of differences, and the first few of them. */
export interface Differences<Difference> {
  readonly count: number;
  readonly first: readonly Difference[];
}

const maxShown = 5;

/** Accounts whose balance (credits or votes) is not the sum of their entries. An account without a balance has 0. */
export async function balanceDifferences({ db, run }: Snapshot): Promise<Differences<BalanceDifference>> {
  const isVote = (cause: string) => sql<number>`case when ${sql.ref(cause)} in (${sql.join(votes)}) then 1 else 0 end`;
  const sums = db
    .selectFrom('balances')
    .select(['account_id', 'credits', 'votes', zero.as('entered_credits'), zero.as('entered_votes')])
    .unionAll(
      db
        .selectFrom('entries')
        .select(['account_id', zero.as('credits'), zero.as('votes')])
        .select(['credits as entered_credits', isVote('cause').as('entered_votes')]),
    );
  const rows = await run(
    db
      .selectFrom(sums.as('sums'))
      .select(({ fn }) => [
        'account_id',
        fn.sum('credits').as('credits'),
        fn.sum('votes').as('votes'),
        fn.sum('entered_credits').as('entered_credits'),
        fn.sum('entered_votes').as('entered_votes'),
        groupCount.as('count'),
      ])
      .groupBy('account_id')
      .having(({ or, eb, fn }) =>
        or([
          eb(fn.sum('credits'), '<>', fn.sum('entered_credits')),
          eb(fn.sum('votes'), '<>', fn.sum('entered_votes')),
        ]),
      )
      .orderBy('account_id')
      .limit(maxShown),
  );
  const first = rows.map((row) => ({
    accountId: row.account_id,
    balance: { credits: Number(row.credits), votes: Number(row.votes) },
    entries: { credits: Number(row.entered_credits), votes: Number(row.entered_votes) },
  }));
  return { count: rows[0]?.count ?? 0, first };
}

/** Deliveries whose credits are not the sum of the credits of their entries. */
export async function paymentDifferences({ db, run }: Snapshot): Promise<Differences<PaymentDifference>> {
  const sums = db
    .selectFrom('deliveries')
    .select(['id as delivery_id', 'credits as paid', zero.as('entered')])
    .where('credits', '<>', literal(0))
    .unionAll(
      db
        .selectFrom('entries')
        .select([sql<number>`delivery_id`.as('delivery_id'), zero.as('paid'), 'credits as entered'])
        .where('delivery_id', 'is not', null)
        .where('credits', '<>', literal(0)),
    );
  const rows = await run(
    db
      .selectFrom(sums.as('sums'))
      .select(({ fn }) => [
        'delivery_id',
        fn.sum('paid').as('paid'),
        fn.sum('entered').as('entered'),
        groupCount.as('count'),
      ])
      .groupBy('delivery_id')
      .having(({ eb, fn }) => eb(fn.sum('paid'), '<>', fn.sum('entered')))
      .orderBy('delivery_id')
      .limit(maxShown),
  );
  const first = rows.map((row) => ({
    deliveryId: row.delivery_id,
    paid: Number(row.paid),
    entered: Number(row.entered),
  }));
  return { count: rows[0]?.count ?? 0, first };
}

/** Counts references to missing rows. The database has no foreign keys, to save time at each vote. */
export async function orphanedRows({ db, run }: Snapshot): Promise<OrphanedRows> {
  const count = db.fn.countAll<number>().as('count');
  const deliveries = db.selectFrom('deliveries').select('deliveries.id');
  const orders = db.selectFrom('orders').select('orders.id');
  const [entries] = await run(
    db
      .selectFrom('entries')
      .select(count)
      .where('delivery_id', 'is not', null)
      .where(({ not, exists }) =>
        not(exists(deliveries.where('deliveries.id', '=', sql.ref<number>('entries.delivery_id')))),
      ),
  );
  const [effects] = await run(
    db
      .selectFrom('effects')
      .select(count)
      .where('delivery_id', '<>', noDelivery)
      .where(({ not, exists }) =>
        not(exists(deliveries.where('deliveries.id', '=', sql.ref<number>('effects.delivery_id')))),
      ),
  );
  const [names] = await run(
    db
      .selectFrom('order_names')
      .select(count)
      .where(({ not, exists }) => {
        const named = orders.where('orders.id', '=', sql.ref<string>('order_names.order_id'));
        return not(exists(named.where('orders.community_id', '=', sql.ref<CommunityId>('order_names.community_id'))));
      }),
  );
  return { entries: entries?.count ?? 0, effects: effects?.count ?? 0, names: names?.count ?? 0 };
}

const votes = countedVoteCauses.map((cause) => literal(cause));
const zero = sql.lit(0);
/** The number of all groups, independent of the limit. */
const groupCount = sql<number>`count(*) over ()`;

/** An entry with its id. */
export interface NumberedEntry extends Omit<Entry, 'untimed' | 'achievement' | 'accountId'> {
  readonly id: number;
  /** The guild of the account's community; null if it is not known. */
  readonly guildId: string | null;
  readonly userId: string;
}

/** Which entries to read; null means all. */
export interface EntrySelection {
  /** In all communities. */
  readonly userId: string | null;
  /** Only events at or after this time (ms since the epoch). */
  readonly since: number | null;
}

const pageSize = 2_000;

/** The entries by id, in pages, so that memory use does not depend on the size of the ledger. */
export async function* entryPages(
  snapshot: Snapshot,
  { userId, since }: EntrySelection,
): AsyncGenerator<readonly NumberedEntry[], void, undefined> {
  const { db, run } = snapshot;
  const guilds = new Map((await readCommunities(accessTo(snapshot))).map(({ id, guildId }) => [id, guildId]));
  let lastId = 0;
  while (true) {
    let page = db
      .selectFrom('entries')
      .select(['id', 'account_id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(pageSize);
    if (userId !== null) page = page.where(sql<boolean>`account_id like ${`%:${userId}`}`);
    if (since !== null) page = page.where('at', '>=', since);
    const entries = await run(page);
    if (entries.length > 0) yield entries.map((entry) => toNumberedEntry(entry, guilds));
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    lastId = last.id;
  }
}

function toNumberedEntry(
  { id, account_id, ...entry }: Omit<NumberedEntry, 'guildId' | 'userId'> & { readonly account_id: AccountId },
  guilds: ReadonlyMap<CommunityId, string | null>,
): NumberedEntry {
  const { communityId, userId } = partsOf(account_id);
  return { id, guildId: guilds.get(communityId) ?? null, userId, ...entry };
}
