import pg from 'pg';
import type { VoteRun } from './voters.ts';

/** What is wrong after the failover. Numbers of members, each of whom voted once. */
export interface Losses {
  /** Their vote was acknowledged and is not in the database. */
  readonly lost: number;
  /** Recorded or paid more than once, or with a balance that is not the sum of the entries. */
  readonly paidTwice: number;
  readonly announcedTwice: number;
  /** Recorded, and not announced. */
  readonly notAnnounced: number;
}

interface MemberRow {
  readonly user_id: string;
  readonly deliveries: number;
  readonly entries: number;
  readonly owed: number;
  readonly credits: number;
  readonly votes: number;
}

/** All are in one community. */
const memberOfAccount = `split_part(account_id, ':', 2)`;
const members = `
  SELECT user_id, coalesce(recorded.n, 0)::int AS deliveries, coalesce(entered.n, 0)::int AS entries,
         coalesce(entered.owed, 0)::int AS owed, coalesce(balances.credits, 0)::int AS credits,
         coalesce(balances.votes, 0)::int AS votes
  FROM (SELECT user_id, count(*) AS n FROM deliveries WHERE outcome = 'recorded' GROUP BY user_id) AS recorded
  FULL JOIN (SELECT ${memberOfAccount} AS user_id, count(*) AS n, sum(credits) AS owed
             FROM entries GROUP BY account_id) AS entered USING (user_id)
  FULL JOIN (SELECT ${memberOfAccount} AS user_id, credits, votes FROM balances) AS balances USING (user_id)`;

/**
 * Compares the database with the votes that were acknowledged and with what was announced.
 * @param announcements how often each member was announced, by user id
 */
export async function findLosses(
  databaseUrl: string,
  run: VoteRun,
  announcements: ReadonlyMap<string, number>,
): Promise<Losses> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<MemberRow>(members);
    const stored = new Map(rows.map((row) => [row.user_id, row]));
    const isRecorded = (userId: string) => (stored.get(userId)?.deliveries ?? 0) > 0;
    return {
      lost: [...run.acknowledged.keys()].filter((userId) => !isRecorded(userId)).length,
      paidTwice: rows.filter(
        ({ deliveries, entries, votes, owed, credits }) =>
          deliveries !== 1 || entries !== 1 || votes !== 1 || owed !== credits,
      ).length,
      announcedTwice: [...announcements.values()].filter((count) => count > 1).length,
      notAnnounced: rows.filter(({ user_id }) => !announcements.has(user_id)).length,
    };
  } finally {
    await client.end();
  }
}

/** Effects that are not done yet. */
export async function countWaitingEffects(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM effects WHERE state = 'waiting'`,
    );
    return rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
