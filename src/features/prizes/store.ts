import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AccountId, accountIdOf, type CommunityId, memberOf } from '../../core/ledger/account.ts';
import { isCountedVote, rewardCauses } from '../../core/ledger/entry.ts';
import { newEffect } from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import {
  type Calendar,
  type CalendarPeriod,
  formatPeriod,
  outageDays,
  type PeriodTimes,
  periodOf,
  timesOf,
} from '../../core/rewards/calendar.ts';
import { rebuildHistory } from '../../core/rewards/replay-votes.ts';
import { type StreakContext, streakBefore } from '../../core/rewards/streak.ts';
import {
  accountsIn,
  type BalanceRow,
  linkedEntries,
  parseHistory,
  toAccountState,
} from '../../core/store/account-columns.ts';
import { appendEntry } from '../../core/store/accounts.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run, upsert } from '../../core/store/query-builder.ts';
import { toOutage } from '../../core/store/recording/queries.ts';
import { rowsPerWrite, type Sql, type SqlClient } from '../../core/store/sql-module.ts';
import { isShown } from '../../core/store/standings/hidden-members.ts';
import { reversedReason } from '../../core/store/uncounted-votes.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { calendarOf } from '../../core/tally/community.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import { tellOf } from '../events/feature.ts';
import { type PrizesWon, plannedSettlement, prizesWonKind } from './effects.ts';
import {
  boardName,
  type Candidate,
  type PrizeBoard,
  prizeEntry,
  prizeSource,
  type Settlement,
  type Winner,
} from './rules.ts';

/* Times are ms since the epoch. */

/** A board and period of a community. */
interface SettlementKey {
  readonly community_id: CommunityId;
  /** See {@link boardName}. */
  readonly board: string;
  readonly first_day: number;
}

export interface PrizeTables {
  /** Settlements of boards, each of which happens once ever. */
  prize_settlements: SettlementKey & {
    /** `paying`: its winners are decided. `settled`: they are paid. */
    state: 'paying' | 'settled';
    winners: number;
    at: number;
  };
  /** `due`: to be paid. `holding`: is paid, and holds the role until the next settlement. Others are deleted. */
  prize_winners: SettlementKey & {
    user_id: string;
    place: number;
    score: number;
    credits: number;
    role: string | null;
    state: 'due' | 'holding';
  };
}

export type PrizeSql = Sql<PrizeTables>;

/** Accounts that one query reads: a few ms, in which SQLite blocks this thread. */
const accountsPerQuery = 2_000;
/** Accounts whose entries one query reads, all of them: some ms. */
const accountsWithEntries = 10;
/** Winners, or holders of a role, per transaction, in which votes wait: some ms. */
const membersPerPayment = 15;

export const reads = {
  /** The state of a settlement; null before its winners are decided. */
  async state({ db, connection }: PrizeSql, settlement: Settlement): Promise<'paying' | 'settled' | null> {
    const own = db.selectFrom('prize_settlements').select('state');
    const rows = own.where(({ and }) => and(keyOf(settlement)));
    return (await run(connection, rows))[0]?.state ?? null;
  },

  candidates,

  /** The latest settlement of a board: the first day of its period, and how many members have won; null without one. */
  async latest({ db, connection }: PrizeSql, board: Omit<Settlement, 'firstDay'>) {
    const rows = settlementsOf(db, board).selectAll().orderBy('first_day', 'desc').limit(literal(1));
    const [row] = await run(connection, rows);
    return row === undefined ? null : { firstDay: row.first_day, winners: row.winners };
  },
};

export const writes = {
  /** Plans settlements at their times, apart from those that are decided already. */
  async plan(sql: PrizeSql, settlements: readonly Settlement[], timeZone: string, now: number): Promise<void> {
    for (const settlement of settlements) await planSettlement(sql, settlement, timeZone, now);
  },

  /**
   * Stores who has won, once ever, and enqueues the announcement. In one transaction, so that the places are those of one
   * attempt: the winners are as many as the settings say, and those who share a place with them.
   */
  async decide(
    sql: PrizeSql,
    settlement: Settlement,
    winners: readonly Winner[],
    { announced, now }: { readonly announced: PrizesWon | null; readonly now: number },
  ): Promise<void> {
    const { db, connection } = sql;
    const key = keyOf(settlement);
    const row = { ...key, state: 'paying', winners: winners.length, at: now } as const;
    const insert = db.insertInto('prize_settlements').values(row);
    const added = insert.onConflict((conflict) => conflict.doNothing()).returning('state');
    if ((await run(connection, added)).length === 0) return;
    // The winners of a later period hold the roles.
    const later = settlementsOf(db, settlement).select('first_day').where('first_day', '>', settlement.firstDay);
    const isLate = (await run(connection, later.limit(literal(1)))).length > 0;
    for (let start = 0; start < winners.length; start += rowsPerWrite) {
      const rows = winners.slice(start, start + rowsPerWrite).map(({ userId: user_id, role, ...won }) => {
        return { ...key, ...won, user_id, role: isLate ? null : role, state: 'due' } as const;
      });
      await run(connection, db.insertInto('prize_winners').values(rows));
    }
    if (announced === null || winners.length === 0) return;
    const queue = queueName('channel', settlement.communityId, announced.channelId);
    await enqueue(sql, [newEffect(prizesWonKind, { queue, content: announced, deliveryId: null, createdAt: now })]);
  },

  /** Pays winners who have not been paid, at most 15. Returns whether there may be more. */
  async pay(sql: PrizeSql, settlement: Settlement, guildId: string | null, now: number): Promise<boolean> {
    const { db, connection } = sql;
    const key = await lockSettlement(sql, settlement);
    const due = db.selectFrom('prize_winners').selectAll().where('state', '=', literal('due'));
    const unpaid = due
      .where(({ and }) => and(key))
      .orderBy('user_id')
      .limit(literal(membersPerPayment));
    const rows = await run(connection, unpaid);
    for (const { user_id: userId, place, score, credits, role } of rows) {
      const winner = { userId, place, score, credits, role: guildId === null ? null : role };
      const isPaid = await payWinner(sql, settlement, { winner, guildId }, now);
      const ofWinner = { ...key, user_id: userId };
      if (!isPaid || winner.role === null) await deleteWinner(sql, ofWinner);
      else {
        const holding = db.updateTable('prize_winners').set({ state: 'holding' });
        await run(
          connection,
          holding.where(({ and }) => and(ofWinner)),
        );
      }
    }
    return rows.length === membersPerPayment;
  },

  /**
   * Takes the roles of earlier settlements from those who have not won them again, at most 15. Returns whether there
   * may be more.
   */
  async release(sql: PrizeSql, settlement: Settlement, now: number): Promise<boolean> {
    const { db, connection } = sql;
    const { first_day, ...board } = await lockSettlement(sql, settlement);
    const holders = db.selectFrom('prize_winners').selectAll().where('first_day', '<', first_day);
    const earlier = holders.where('state', '=', literal('holding')).where(({ and }) => and(board));
    const rows = await run(connection, earlier.orderBy('user_id').limit(literal(membersPerPayment)));
    for (const { first_day: of, user_id, role } of rows) {
      const own = db.selectFrom('prize_winners').select('role');
      const [again] = await run(
        connection,
        own.where(({ and }) => and({ ...board, first_day, user_id })),
      );
      if (role !== null && again?.role !== role) await endRole(sql, settlement, { userId: user_id, role }, now);
      await deleteWinner(sql, { ...board, first_day: of, user_id });
    }
    return rows.length === membersPerPayment;
  },

  /**
   * Notes that all are paid, and plans the settlement of the next period.
   * @param next null if there are no prizes for it
   */
  async finish(
    sql: PrizeSql,
    settlement: Settlement,
    next: { readonly timeZone: string } | null,
    now: number,
  ): Promise<void> {
    const { db, connection } = sql;
    const own = db.updateTable('prize_settlements').set({ state: 'settled' });
    await run(
      connection,
      own.where(({ and }) => and(keyOf(settlement))),
    );
    if (next === null) return;
    const firstDay = periodOf(settlement.per, settlement.firstDay).endDay;
    await planSettlement(sql, { ...settlement, firstDay }, next.timeZone, now);
  },
};

export type PrizeStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function keyOf(settlement: Settlement): SettlementKey {
  const { communityId: community_id, firstDay: first_day } = settlement;
  return { community_id, board: boardName(settlement), first_day };
}

function settlementsOf(db: PrizeSql['db'], board: Omit<Settlement, 'firstDay'>) {
  const own = db.selectFrom('prize_settlements').where('community_id', '=', board.communityId);
  return own.where('board', '=', boardName(board));
}

/** Two processes that settle at once take turns, also with one that forgets a winner. */
async function lockSettlement({ db, connection }: PrizeSql, settlement: Settlement): Promise<SettlementKey> {
  const key = keyOf(settlement);
  const touch = db.updateTable('prize_settlements').set({ board: key.board });
  await run(
    connection,
    touch.where(({ and }) => and(key)),
  );
  return key;
}

async function planSettlement(sql: PrizeSql, settlement: Settlement, timeZone: string, now: number): Promise<void> {
  if ((await reads.state(sql, settlement)) !== null) return;
  const period = periodOf(settlement.per, settlement.firstDay);
  const { settlesAt: dueAt } = timesOf(period, calendarOf({ timeZone }));
  await enqueue(sql, [plannedSettlement(settlement, period, { dueAt, now })]);
}

async function deleteWinner(
  { db, connection }: PrizeSql,
  winner: SettlementKey & { readonly user_id: string },
): Promise<void> {
  await run(
    connection,
    db.deleteFrom('prize_winners').where(({ and }) => and(winner)),
  );
}

/** The payment of a member who is forgotten would otherwise follow: see `payWinner`. */
export async function lockUnpaidSettlements({ db, connection }: PrizeSql, userId: string): Promise<readonly []> {
  const due = db.selectFrom('prize_winners').select(['community_id', 'board', 'first_day']);
  const own = due.where('user_id', '=', userId).orderBy('community_id').orderBy('board').orderBy('first_day');
  for (const key of await run(connection, own)) {
    const touch = db.updateTable('prize_settlements').set({ board: key.board });
    await run(
      connection,
      touch.where(({ and }) => and(key)),
    );
  }
  return [];
}

/** False for a member who was forgotten since the winners were decided. */
async function payWinner(
  sql: PrizeSql,
  settlement: Settlement,
  { winner, guildId }: { readonly winner: Winner; readonly guildId: string | null },
  now: number,
): Promise<boolean> {
  const { db, connection } = sql;
  const { communityId, per, by, firstDay } = settlement;
  const { userId, place, score, credits, role } = winner;
  const account = await lockExisting(sql, accountIdOf(communityId, userId));
  if (account === null) return false;
  const reward = prizeEntry(winner, settlement);
  const entry = reward && {
    ...reward,
    accountId: account.id,
    listing: null,
    at: now,
    deliveryId: null,
    untimed: false,
  };
  const { credits: balance } = entry === null ? account : await appendEntry(connection, db, account, entry);
  if (role !== null && guildId !== null) {
    const grant = { user_id: userId, role, source: prizeSource(settlement), guild_id: guildId };
    await upsert(sql, 'grants', grant, { until: null, state: 'pending' });
    await enqueue(sql, [roleEffect(communityId, { guildId, userId, role }, null, now)]);
  }
  const won = { userId, cause: 'prize', period: formatPeriod(per, firstDay), by, place, score, credits, role, balance };
  await tellOf(sql, communityId, { type: 'prize.won', data: { ...won, at: new Date(now).toISOString() } }, now);
  return true;
}

/** Locks an account; null if there is none. */
async function lockExisting({ db, connection }: Sql, account_id: AccountId): Promise<AccountState | null> {
  const touch = db.updateTable('balances').set({ account_id }).where('account_id', '=', account_id);
  const [row] = await run(connection, touch.returningAll());
  return row === undefined ? null : toAccountState(row as BalanceRow);
}

async function endRole(
  sql: PrizeSql,
  settlement: Settlement,
  { userId, role }: { readonly userId: string; readonly role: string },
  now: number,
): Promise<void> {
  const { db, connection } = sql;
  const { communityId } = settlement;
  // Recordings lock the account before they change grants.
  await lockExisting(sql, accountIdOf(communityId, userId));
  const grant = db.updateTable('grants').set({ until: now }).where('user_id', '=', userId).where('role', '=', role);
  const ofPrize = grant.where('source', '=', prizeSource(settlement));
  for (const { guild_id: guildId } of await run(connection, ofPrize.returning('guild_id'))) {
    await enqueue(sql, [roleEffect(communityId, { guildId, userId, role }, null, now)]);
  }
}

/** Parameters of the scores of a board. */
export interface CandidateQuery extends Settlement {
  readonly timeZone: string;
  /** Missed days in any seven that do not break a streak. */
  readonly forgive: number;
  /** Discord ids of roles whose members have no place; the next ones move up. */
  readonly hiddenRoles: readonly string[];
}

/** The part of an account that decides about its score. */
type Account = Pick<BalanceRow, (typeof accountColumns)[number]>;

const accountColumns = [
  ...(['account_id', 'last_entry', 'history'] as const),
  ...(['week_start', 'week_votes', 'week_credits', 'month_start', 'month_votes', 'month_credits'] as const),
] as const;

/** Parameters that all accounts of one scan share. */
interface Scan extends PeriodTimes {
  readonly by: PrizeBoard['by'];
  readonly period: CalendarPeriod;
  readonly calendar: Calendar;
  readonly streaks: StreakContext;
}

/**
 * The members with votes in a period, and their scores at its end. The balances have the scores of the newest period of
 * each member; of those who have voted since, the entries are read: the ledger has the votes of every period, however
 * late it is settled.
 */
async function candidates(
  sql: Sql,
  { communityId, per, by, firstDay, timeZone, forgive, hiddenRoles }: CandidateQuery,
): Promise<readonly Candidate[]> {
  const { db, connection } = sql;
  const calendar = calendarOf({ timeZone });
  const period = periodOf(per, firstDay);
  const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
  const streaks = { forgive, outageDays: outageDays(outages.map(toOutage), calendar) };
  const scan: Scan = { by, period, calendar, streaks, ...timesOf(period, calendar) };
  const shown = isShown(hiddenRoles);
  const found: Candidate[] = [];
  for (let last: AccountId | null | undefined = null; last !== undefined; await nextTurn()) {
    const voters = db.selectFrom('balances').select(accountColumns).where(`${per}_start`, '>=', firstDay);
    const balances = shown === null ? voters : voters.where(shown);
    const page: readonly Account[] = await run(
      connection,
      accountsIn(balances, communityId, last).limit(literal(accountsPerQuery)),
    );
    const isCurrent = (account: Account) => account[`${per}_start`] === firstDay;
    for (const account of page.filter(isCurrent)) {
      const earned = { votes: account[`${per}_votes`], credits: account[`${per}_credits`] };
      found.push(await candidateOf(sql, account, earned, scan));
    }
    found.push(
      ...(await laterCandidates(
        sql,
        page.filter((account) => !isCurrent(account)),
        scan,
      )),
    );
    last = page.length < accountsPerQuery ? undefined : page.at(-1)?.account_id;
  }
  return found;
}

interface Earned {
  readonly votes: number;
  readonly credits: number;
}

async function candidateOf(sql: Sql, account: Account, { votes, credits }: Earned, scan: Scan): Promise<Candidate> {
  const score = {
    votes,
    credits,
    streak: votes === 0 || scan.by !== 'streak' ? 0 : await streakOf(sql, account, scan),
  };
  return { userId: memberOf(account.account_id), votes, score: score[scan.by] };
}

/** Candidates with votes after the period, by the entries of the period. */
async function laterCandidates(sql: Sql, accounts: readonly Account[], scan: Scan): Promise<readonly Candidate[]> {
  const { db, connection } = sql;
  const { startsAt, endsAt } = scan;
  const found: Candidate[] = [];
  for (let start = 0; start < accounts.length; start += accountsWithEntries) {
    const some = accounts.slice(start, start + accountsWithEntries);
    const linked = linkedEntries(db, newestOf(some)).selectFrom('linked');
    const entries = linked.select(['account_id', 'cause', 'credits', 'reason']).where('at', '>=', startsAt);
    const byAccount = Map.groupBy(
      await run(connection, entries.where('at', '<', endsAt)),
      ({ account_id }) => account_id,
    );
    for (const account of some) {
      const own = byAccount.get(account.account_id) ?? [];
      // What is reversed counts for no leaderboard.
      const earning = own.filter(({ cause, reason }) => rewardCauses.includes(cause) && reason !== reversedReason);
      const credits = earning.reduce((sum, entry) => sum + entry.credits, 0);
      const votes = own.filter(({ cause }) => isCountedVote(cause)).length;
      found.push(await candidateOf(sql, account, { votes, credits }, scan));
    }
    await nextTurn();
  }
  return found;
}

function newestOf(accounts: readonly Account[]): readonly number[] {
  return accounts.flatMap(({ last_entry: newest }) => newest ?? []);
}

/** The days of the streak with which the period ends. */
async function streakOf(sql: Sql, account: Account, { period, calendar, streaks, endsAt }: Scan): Promise<number> {
  const { endDay } = period;
  const days = account.history === null ? null : streakBefore(parseHistory(account.history), endDay, streaks);
  if (days !== null) return days;
  // The history of a member with votes months later begins after the period.
  const { db, connection } = sql;
  const linked = linkedEntries(db, newestOf([account]))
    .selectFrom('linked')
    .select(['cause', 'at', 'listing']);
  const entries = await run(connection, linked.where('at', '<', endsAt));
  const votes = entries
    .filter(({ cause }) => isCountedVote(cause))
    .map(({ listing, at }) => ({ listing: listing ?? '', day: calendar.dayAt(at) }));
  const history = rebuildHistory(votes, null, streaks.outageDays, { streaks: 0, bonusDays: [] });
  return streakBefore(history, endDay, streaks) ?? 0;
}
