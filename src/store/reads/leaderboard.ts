import { setImmediate as turn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Account } from '../../ledger/account.ts';
import type { LedgerReads } from '../../ledger/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Accounts that are ranked; whoever comes after them is on no page. */
const ranked = 1_000;
/** How long a ranking holds (ms). */
const holds = 30 * second;
/** Accounts that are looked at before others get a turn: a few ms of SQLite, which answers nobody else meanwhile. */
const stride = 10_000;

/**
 * The leaderboard, taken from all balances when it is asked for and kept for half a minute. An index of the balances by credits would
 * answer at once, and cost every vote half as much again, whether anybody looks at leaderboards or not.
 */
export function sqlLeaderboard(db: Kysely<Tables>, reading: Connection, clock: Clock): LedgerReads['leaderboard'] {
  let taken: { readonly at: number; readonly asOf: number; readonly ranking: Promise<readonly Account[]> } | undefined;

  function current() {
    const at = clock.monotonic();
    if (taken !== undefined && at - taken.at < holds) return taken;
    const ranking = rankingOf(db, reading);
    const mine = { at, asOf: clock.now(), ranking };
    taken = mine;
    ranking.catch(() => {
      if (taken === mine) taken = undefined;
    });
    return mine;
  }

  return async ({ limit, offset = 0 }) => {
    const { asOf, ranking } = current();
    return { asOf, places: (await ranking).slice(offset, offset + limit) };
  };
}

/** Those with the most credits, found a stretch of accounts at a time. */
async function rankingOf(db: Kysely<Tables>, reading: Connection): Promise<readonly Account[]> {
  const accounts = db.selectFrom('balances');
  let first: Account[] = [];
  let after = '';
  while (true) {
    const ahead = accounts.select('user_id').where('user_id', '>', after).orderBy('user_id');
    const [end] = await run(reading, ahead.offset(stride - 1).limit(1));
    const stretch = accounts
      .select(['user_id as userId', 'credits', 'votes'])
      .where('user_id', '>', after)
      .where('credits', '>=', first[ranked - 1]?.credits ?? 1)
      .orderBy('credits', 'desc')
      .orderBy(({ fn }) => fn('length', ['user_id']))
      .orderBy('user_id')
      .limit(ranked);
    const found = await run(reading, end === undefined ? stretch : stretch.where('user_id', '<=', end.user_id));
    first = [...first, ...found].sort(byRank).slice(0, ranked);
    if (end === undefined) return first;
    after = end.user_id;
    await turn();
  }
}

/** Most credits first; of equals the one whose account at Discord is older. Ids are numbers, of up to 20 digits. */
function byRank(a: Account, b: Account): number {
  return b.credits - a.credits || a.userId.length - b.userId.length || (a.userId < b.userId ? -1 : 1);
}
