import { day } from '@tallyhook/platform/durations';
import type { Selectable } from 'kysely';
import { accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import { newEffect } from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { settlementDelayMs } from '../../core/rewards/calendar.ts';
import type { Period } from '../../core/rewards/rules.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { isHidden } from '../../core/store/standings/hidden-members.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { tellOf } from '../events/feature.ts';
import { plannedDraw, type RaffleKey, raffleDrawnKind, raffleOpenedKind } from './effects.ts';
import { type RaffleRules, raffleEntry } from './rules.ts';

/* Times are ms since the epoch. */

export interface RaffleTables {
  /** The raffles of communities, one for each period. */
  raffles: {
    /** See `raffleIdOf`. */
    id: string;
    community_id: CommunityId;
    /** The period as `formatPeriod` writes it: `week 2026-W02`. */
    period: string;
    /** The first day of the period (day number). */
    first_day: number;
    /** The community's time zone when the raffle began. */
    time_zone: string;
    starts_at: number;
    ends_at: number;
    opened_at: number;
    /** The rules as they were when it began. */
    places: number;
    credits: number;
    tickets_per_vote: number;
    max_tickets: number;
    commitment: string;
    /** Hex. Nothing shows it before the draw. */
    seed: string;
    /** The key of the pseudonyms (hex); null once the next raffle is drawn: nobody can assign them to members then. */
    member_key: string | null;
    /** `open`: not drawn yet. `cancelled`: there were no raffles any more when it was to be drawn. */
    state: 'open' | 'drawn' | 'cancelled';
    /** The digest of the list from which it was drawn; null before. */
    tickets_hash: string | null;
    /** The text that is published; null before the draw. */
    file: string | null;
  };
  raffle_winners: {
    raffle_id: string;
    /** Counted from 1. */
    place: number;
    community_id: CommunityId;
    user_id: string;
  };
}

export type RaffleSql = Sql<RaffleTables>;

/** A raffle that has begun. */
export interface Raffle extends RaffleKey {
  /** The period as `formatPeriod` writes it: `week 2026-W02`. */
  readonly period: string;
  /** The first day of the period (day number). */
  readonly firstDay: number;
  readonly timeZone: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly openedAt: number;
  /** `per` is in the period. */
  readonly rules: Omit<RaffleRules, 'per'>;
  readonly commitment: string;
  readonly seed: string;
  readonly memberKey: string | null;
  readonly state: RaffleTables['raffles']['state'];
  readonly ticketsHash: string | null;
}

/** A raffle with the ids of its winners, the first one first, without those who were forgotten. */
export interface DrawnRaffle extends Raffle {
  readonly winners: readonly string[];
}

/** Who has won a raffle, and the proof. */
export interface RaffleDraw extends RaffleKey {
  /** The ids of the members, the first one first. */
  readonly winners: readonly string[];
  readonly ticketsHash: string;
  readonly file: string;
}

/** So long after its end, a raffle and its file are deleted. */
const keptMs = 366 * day;

/** All columns but the file, which may have some MB. */
const columns = [
  ...(['id', 'community_id', 'period', 'first_day', 'time_zone', 'starts_at', 'ends_at', 'opened_at'] as const),
  ...(['places', 'credits', 'tickets_per_vote', 'max_tickets', 'commitment', 'seed', 'member_key'] as const),
  ...(['state', 'tickets_hash'] as const),
] as const;

export const reads = {
  /** Null if the community has no such raffle. */
  async find(sql: RaffleSql, { communityId, raffleId }: RaffleKey): Promise<DrawnRaffle | null> {
    const rows = rafflesOf(sql, communityId).select(columns).where('id', '=', raffleId);
    return withWinners(sql, await run(sql.connection, rows));
  },

  /** The raffle of a period, as `formatPeriod` writes it; null if it has not begun. */
  async ofPeriod(sql: RaffleSql, communityId: CommunityId, period: string): Promise<Raffle | null> {
    const rows = rafflesOf(sql, communityId).select(columns).where('period', '=', period);
    const [row] = await run(sql.connection, rows);
    return row === undefined ? null : toRaffle(row);
  },

  /** The newest raffle that was drawn; null before the first. */
  async lastDrawn(sql: RaffleSql, communityId: CommunityId): Promise<DrawnRaffle | null> {
    const drawn = rafflesOf(sql, communityId).select(columns).where('state', '=', literal('drawn'));
    return withWinners(sql, await run(sql.connection, drawn.orderBy('ends_at', 'desc').limit(literal(1))));
  },

  /** The counted votes of a member in a period that is not over; 0 with one of the roles that take no part. */
  async votesOf(
    { db, connection }: RaffleSql,
    { communityId, userId, per, firstDay }: RaffleVotes,
    hiddenRoles: readonly string[],
  ): Promise<number> {
    const [start, votes] = [`${per}_start`, `${per}_votes`] as const;
    const account = db.selectFrom('balances').where('account_id', '=', accountIdOf(communityId, userId));
    const [row] = await run(connection, account.select([`${start} as start`, `${votes} as votes`, 'roles']));
    return row === undefined || row.start !== firstDay || isHidden(row.roles, hiddenRoles) ? 0 : row.votes;
  },

  /** The published file at the address of a raffle, or when it will be there; null if there is no such raffle. */
  async published({ db, connection }: RaffleSql, raffleId: string): Promise<PublishedRow | null> {
    const rows = db.selectFrom('raffles').select(['file', 'state', 'commitment', 'ends_at as endsAt']);
    return (await run(connection, rows.where('id', '=', raffleId)))[0] ?? null;
  },
};

/** Asks for the votes of a member in a period. */
interface RaffleVotes {
  readonly communityId: CommunityId;
  readonly userId: string;
  readonly per: Period;
  /** The first day of the period (day number). */
  readonly firstDay: number;
}

type PublishedRow = Pick<RaffleTables['raffles'], 'file' | 'state' | 'commitment'> & { readonly endsAt: number };

export const writes = {
  /**
   * Begins the raffle of a period, once, and plans its draw. Returns whether it has begun now.
   * @param channelId where it is announced; null for nowhere
   */
  async open(sql: RaffleSql, raffle: Raffle, channelId: string | null, now: number): Promise<boolean> {
    const insert = sql.db.insertInto('raffles').values({ ...toRow(raffle), file: null });
    const once = insert.onConflict((conflict) => conflict.columns(['community_id', 'period']).doNothing());
    if ((await run(sql.connection, once.returning('id'))).length === 0) return false;
    const { period, endsAt } = raffle;
    await enqueue(sql, [
      plannedDraw(raffle, period, { dueAt: endsAt + settlementDelayMs, now }),
      ...(channelId === null ? [] : [announcement(raffleOpenedKind, raffle, channelId, now)]),
    ]);
    return true;
  },

  /**
   * Pays the winners of a raffle and publishes its file, once ever, in one transaction. `changed` if a winner was forgotten
   * since: then nothing is written, and it is drawn again without that member.
   */
  async draw(sql: RaffleSql, drawn: RaffleDraw, channelId: string | null, now: number): Promise<'done' | 'changed'> {
    const { db, connection } = sql;
    const { communityId, raffleId, winners, ticketsHash, file } = drawn;
    const own = db.updateTable('raffles').where('community_id', '=', communityId);
    // Two processes that draw at once take turns.
    const lock = own.set({ state: 'open' }).where('id', '=', raffleId).where('state', '=', literal('open'));
    const [raffle] = await run(connection, lock.returning(['period', 'credits']));
    if (raffle === undefined) return 'done';
    const accounts = await lockWinners(sql, communityId, winners);
    if (accounts === null) return 'changed';
    const { period, credits } = raffle;
    const entry = { ...raffleEntry(credits, period), listing: null, at: now, deliveryId: null, untimed: false };
    for (const [index, userId] of winners.entries()) {
      const account = accounts.get(userId);
      if (account === undefined) continue;
      const { credits: balance } = await appendEntry(connection, db, account, { ...entry, accountId: account.id });
      const winner = { raffle_id: raffleId, place: index + 1, community_id: communityId, user_id: userId };
      await run(connection, db.insertInto('raffle_winners').values(winner));
      const won = { userId, cause: 'raffle', period, by: null, place: null, score: null, credits, role: null, balance };
      await tellOf(sql, communityId, { type: 'prize.won', data: { ...won, at: new Date(now).toISOString() } }, now);
    }
    await run(connection, own.set({ member_key: null }).where('state', '=', literal('drawn')));
    const published = own.set({ state: 'drawn', tickets_hash: ticketsHash, file });
    await run(connection, published.where('id', '=', raffleId));
    await deleteOld(sql, communityId, now - keptMs);
    if (channelId !== null) await enqueue(sql, [announcement(raffleDrawnKind, drawn, channelId, now)]);
    return 'done';
  },

  /** Gives up a raffle that is not drawn yet. */
  async cancel({ db, connection }: RaffleSql, { communityId, raffleId }: RaffleKey): Promise<void> {
    const own = db.updateTable('raffles').set({ state: 'cancelled', member_key: null });
    const raffle = own.where('community_id', '=', communityId).where('id', '=', raffleId);
    await run(connection, raffle.where('state', '=', literal('open')));
  },
};

export type RaffleStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function rafflesOf({ db }: RaffleSql, communityId: CommunityId) {
  return db.selectFrom('raffles').where('community_id', '=', communityId);
}

function announcement(
  kind: typeof raffleOpenedKind | typeof raffleDrawnKind,
  { communityId, raffleId }: RaffleKey,
  channelId: string,
  now: number,
) {
  const queue = queueName('channel', communityId, channelId);
  return newEffect(kind, { queue, content: { channelId, communityId, raffleId }, deliveryId: null, createdAt: now });
}

/** Locks the accounts of winners, in the order of their ids; null if one was forgotten. */
async function lockWinners(
  { db, connection }: RaffleSql,
  communityId: CommunityId,
  winners: readonly string[],
): Promise<ReadonlyMap<string, AccountState> | null> {
  const accounts = new Map<string, AccountState>();
  for (const id of winners.map((userId) => accountIdOf(communityId, userId)).toSorted()) {
    const account = await lockAccount(connection, db, id);
    accounts.set(account.userId, account);
  }
  const locked = [...accounts.values()];
  if (locked.every(({ lastEntry }) => lastEntry !== null)) return accounts;
  for (const account of locked) await releaseAccount(connection, db, account);
  return null;
}

async function deleteOld({ db, connection }: RaffleSql, communityId: CommunityId, before: number): Promise<void> {
  const ended = db.selectFrom('raffles').select('id').where('community_id', '=', communityId);
  const old = ended.where('ends_at', '<', before);
  await run(connection, db.deleteFrom('raffle_winners').where('raffle_id', 'in', old));
  const raffles = db.deleteFrom('raffles').where('community_id', '=', communityId);
  await run(connection, raffles.where('ends_at', '<', before));
}

type RaffleRow = Omit<Selectable<RaffleTables['raffles']>, 'file'>;

async function withWinners({ db, connection }: RaffleSql, [row]: readonly RaffleRow[]): Promise<DrawnRaffle | null> {
  if (row === undefined) return null;
  const winners = db.selectFrom('raffle_winners').select('user_id').where('raffle_id', '=', row.id).orderBy('place');
  return { ...toRaffle(row), winners: (await run(connection, winners)).map(({ user_id }) => user_id) };
}

function toRow(raffle: Raffle): RaffleRow {
  const { raffleId: id, communityId: community_id, period, firstDay: first_day, timeZone: time_zone } = raffle;
  const { winners: places, credits, ticketsPerVote: tickets_per_vote, maxTickets: max_tickets } = raffle.rules;
  const { startsAt: starts_at, endsAt: ends_at, openedAt: opened_at } = raffle;
  const { commitment, seed, memberKey: member_key, state, ticketsHash: tickets_hash } = raffle;
  return {
    ...{ id, community_id, period, first_day, time_zone, starts_at, ends_at, opened_at },
    ...{ places, credits, tickets_per_vote, max_tickets, commitment, seed, member_key, state, tickets_hash },
  };
}

function toRaffle(row: RaffleRow): Raffle {
  const { id: raffleId, community_id: communityId, period, first_day: firstDay, time_zone: timeZone } = row;
  const { places: winners, credits, tickets_per_vote: ticketsPerVote, max_tickets: maxTickets } = row;
  const { starts_at: startsAt, ends_at: endsAt, opened_at: openedAt } = row;
  const { commitment, seed, member_key: memberKey, state, tickets_hash: ticketsHash } = row;
  return {
    ...{ raffleId, communityId, period, firstDay, timeZone, startsAt, endsAt, openedAt },
    ...{ rules: { winners, credits, ticketsPerVote, maxTickets } },
    ...{ commitment, seed, memberKey, state, ticketsHash },
  };
}
