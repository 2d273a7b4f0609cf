import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Account, lastVoteIn } from '../../ledger/account.ts';
import type { LedgerReads } from '../../ledger/ledger.ts';
import { pseudonymPrefix } from '../../ledger/pseudonym.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseLastVotes } from '../json-columns.ts';
import { preparedQuery, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Length of the ranking; later accounts are on no page of the leaderboard. */
const maxRankedAccounts = 1_000;
/** How long a ranking is cached. */
const rankingTtlMs = 30 * second;
/** Accounts that one query reads: a few ms, in which SQLite blocks this thread. */
const scanSize = 10_000;

/** The ledger's read port over SQL. */
export function sqlLedger(db: Kysely<Tables>, reading: Connection, clock: Clock): LedgerReads {
  const findBalance = preparedQuery<{ userId: string }>()((placeholder) =>
    db.selectFrom('balances').select(['credits', 'votes', 'last_votes']).where('user_id', '=', placeholder('userId')),
  );

  return {
    async account(userId) {
      const [row] = await findBalance(reading, { userId });
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },

    async lastVoteAt(userId, listing) {
      const [row] = await findBalance(reading, { userId });
      return row === undefined ? null : lastVoteIn(parseLastVotes(row.last_votes), listing);
    },

    leaderboard: sqlLeaderboard(db, reading, clock),
  };
}

/**
 * The leaderboard, computed from all balances on request and cached for half a minute. An index of the balances by
 * credits would avoid the scan, but make every vote half as expensive again, even if nobody uses the leaderboard.
 */
function sqlLeaderboard(db: Kysely<Tables>, reading: Connection, clock: Clock): LedgerReads['leaderboard'] {
  let cacheEntry:
    | { readonly at: number; readonly asOf: number; readonly ranking: Promise<readonly Account[]> }
    | undefined;

  function currentRanking() {
    const at = clock.monotonic();
    if (cacheEntry !== undefined && at - cacheEntry.at < rankingTtlMs) return cacheEntry;
    const ranking = rankAccounts(db, reading);
    const entry = { at, asOf: clock.now(), ranking };
    cacheEntry = entry;
    ranking.catch(() => {
      if (cacheEntry === entry) cacheEntry = undefined;
    });
    return entry;
  }

  return async ({ limit, offset = 0 }) => {
    const { asOf, ranking } = currentRanking();
    return { asOf, places: (await ranking).slice(offset, offset + limit) };
  };
}

/**
 * The accounts with the most credits. Scans the balances in ranges of user ids, and yields to other work in between.
 */
async function rankAccounts(db: Kysely<Tables>, reading: Connection): Promise<readonly Account[]> {
  const balances = db.selectFrom('balances');
  let top: Account[] = [];
  let lastUserId = '';
  while (true) {
    const following = balances.select('user_id').where('user_id', '>', lastUserId).orderBy('user_id');
    const [rangeEnd] = await run(reading, following.offset(scanSize - 1).limit(1));
    const candidates = balances
      .select(['user_id as userId', 'credits', 'votes'])
      .where('user_id', '>', lastUserId)
      .where('user_id', 'not like', `${pseudonymPrefix}%`)
      .where('credits', '>=', top[maxRankedAccounts - 1]?.credits ?? 1)
      .orderBy('credits', 'desc')
      .orderBy(({ fn }) => fn('length', ['user_id']))
      .orderBy('user_id')
      .limit(maxRankedAccounts);
    const accounts = await run(
      reading,
      rangeEnd === undefined ? candidates : candidates.where('user_id', '<=', rangeEnd.user_id),
    );
    top = [...top, ...accounts].sort(byRank).slice(0, maxRankedAccounts);
    if (rangeEnd === undefined) return top;
    lastUserId = rangeEnd.user_id;
    await nextTurn();
  }
}

/**
 * Most credits first; of equals the older Discord account, whose id is the smaller number. Ids are numbers of up to 20
 * digits.
 */
function byRank(a: Account, b: Account): number {
  return b.credits - a.credits || a.userId.length - b.userId.length || (a.userId < b.userId ? -1 : 1);
}
