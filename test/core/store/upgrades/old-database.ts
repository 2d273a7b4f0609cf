import type { Dialect } from '../../../../src/core/store/dialect/dialect.ts';
import { postgres } from '../../../../src/core/store/dialect/postgres.ts';
import { sqlite } from '../../../../src/core/store/dialect/sqlite.ts';
import { migrations } from '../../../../src/core/store/migrations/index.ts';
import { migrate } from '../../../../src/core/store/migrations/migrate.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { sqlitePathOf } from '../../../../src/platform/database/database-url.ts';
import { hour, minute } from '../../../../src/platform/durations.ts';

const firstVoteAt = Date.UTC(2026, 0, 1);
const rowsPerStatement = 1_000;
const perVote = 10;
/** A prime, so that the members do not vote in the order of their ids. */
const stride = 7_919;

/** A vote in an old database. */
export interface OldVote {
  readonly userId: string;
  readonly at: number;
  readonly isUntimed: boolean;
  readonly key: string;
}

export interface OldDatabase {
  readonly votes: readonly OldVote[];
  /** The keys of all recorded events. */
  readonly keys: readonly string[];
}

export function dialectAt(url: string): Dialect {
  const path = sqlitePathOf(url);
  return path === null ? postgres(url) : sqlite(path);
}

/**
 * Writes what tallyhook wrote at migration 001: votes of a tenth as many members, some without a timestamp, premium
 * events without a member, and effects of which some wait after an attempt.
 */
export async function createOldDatabase(url: string, count: number): Promise<OldDatabase> {
  const dialect = dialectAt(url);
  await migrate(dialect, systemClock, { all: Object.fromEntries(Object.entries(migrations(dialect)).slice(0, 1)) });
  const votes = Array.from({ length: count }, (_, index) => voteNumber(index, count));
  const premiumKeys = Array.from({ length: Math.ceil(count / 100) }, (_, index) => `premium_purchase order-${index}`);
  const balances = Map.groupBy(votes, ({ userId }) => userId);

  const { migrating } = dialect;
  await migrating.begin();
  const insert = async (into: string, rows: readonly string[]) => {
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const values = rows.slice(start, start + rowsPerStatement).join(', ');
      await migrating.run({ sql: `INSERT INTO ${into} VALUES ${values}`, parameters: [] });
    }
  };
  const keys = [...votes.map(({ key }) => key), ...premiumKeys];
  await insert(
    'deliveries (received_at, family, listing, kind, outcome, user_id, credits, event_key, body)',
    keys.map((key, index) => {
      const { userId = null, at = firstVoteAt } = votes[index] ?? {};
      const user = userId === null ? 'NULL' : `'${userId}'`;
      const [family, kind, credits] =
        userId === null ? ['premium', 'premium_purchase', 0] : ['vote', 'server_vote', 10];
      return `(${at}, '${family}', 'server', '${kind}', 'recorded', ${user}, ${credits}, '${key}', '{}')`;
    }),
  );
  await insert(
    'entries (user_id, listing, credits, cause, at, delivery_id)',
    votes.map(({ userId, at }, index) => `('${userId}', 'server', ${perVote}, 'vote', ${at}, ${index + 1})`),
  );
  await insert(
    'balances (user_id, credits, votes)',
    [...balances].map(([userId, own]) => `('${userId}', ${own.length * perVote}, ${own.length})`),
  );
  await insert(
    'effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at)',
    votes.map(({ at }, index) => {
      const state = index % 2 === 0 ? 'done' : 'waiting';
      return `(${index + 1}, 'announcement', '1', '{}', '${state}', ${index % 3}, ${at}, ${at})`;
    }),
  );
  await migrating.commit();
  await dialect.close();
  return { votes, keys };
}

function voteNumber(index: number, count: number): OldVote {
  const userId = String(1_000_000 + ((index * stride) % Math.ceil(count / 10)));
  // Votes arrive late: every seventh is older than the one before it.
  const at = firstVoteAt + index * minute - (index % 7 === 0 ? hour : 0);
  const isUntimed = index % 50 === 0;
  const key = `${new Date(at).toISOString()} ${userId} server${isUntimed ? ' untimed' : ''}`;
  return { userId, at, isUntimed, key };
}
