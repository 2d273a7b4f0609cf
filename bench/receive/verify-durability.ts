import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunningContender } from './contender-runner.ts';

/** The database file in tallyhook's directory. */
export const databaseFile = 'tallyhook.db';

/**
 * Checks that every acknowledged vote is in tallyhook's database: a row, an entry and an announcement each, and balances
 * that are the sums of the entries. Returns the number of votes.
 * @throws Error if one is missing
 */
export function verifyDurability(tallyhook: RunningContender): number {
  const database = new DatabaseSync(join(tallyhook.directory, databaseFile), { readOnly: true });
  try {
    const count = (what: string) => Number(Object.values(database.prepare(`SELECT ${what}`).get() ?? {})[0]);
    const found = {
      recorded: count("count(*) FROM deliveries WHERE outcome = 'recorded'"),
      // Each earlier member has voted once.
      entries: count("count(*) FROM entries WHERE cause = 'vote'") - tallyhook.members,
      effects: count("count(*) FROM effects WHERE kind = 'announcement'"),
      votes: count('sum(votes) FROM balances') - tallyhook.members,
      wrongBalances: count(
        `count(*) FROM balances LEFT JOIN (SELECT account_id, sum(credits) AS owed FROM entries GROUP BY account_id) USING (account_id)
         WHERE credits IS NOT owed`,
      ),
    };
    const acknowledged = tallyhook.acknowledged();
    const { recorded, entries, effects, votes, wrongBalances } = found;
    if ([recorded, entries, effects, votes].some((each) => each !== acknowledged) || wrongBalances > 0) {
      const stored = JSON.stringify(found);
      throw new Error(`${tallyhook.name} acknowledged ${acknowledged} votes, and its database contains ${stored}.`);
    }
    return acknowledged;
  } finally {
    database.close();
  }
}
