import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunningContender } from './contender-runner.ts';

/** The file in which tallyhook keeps votes, inside the directory that it was given. */
export const databaseFile = 'tallyhook.db';

/**
 * Looks whether every vote that tallyhook acknowledged is in its database: a row, an entry and an effect each, and balances that are the
 * sums of the entries. Returns how many there are.
 * @throws Error where one is missing: then the speed is worth nothing.
 */
export function verifyDurability(tallyhook: RunningContender): number {
  const database = new DatabaseSync(join(tallyhook.directory, databaseFile), { readOnly: true });
  try {
    const count = (what: string) => Number(Object.values(database.prepare(`SELECT ${what}`).get() ?? {})[0]);
    const found = {
      recorded: count("count(*) FROM deliveries WHERE outcome = 'recorded'"),
      entries: count('count(*) FROM entries'),
      effects: count('count(*) FROM effects'),
      votes: count('sum(votes) FROM balances'),
      wrongBalances: count(
        `count(*) FROM balances LEFT JOIN (SELECT user_id, sum(credits) AS owed FROM entries GROUP BY user_id) USING (user_id)
         WHERE credits IS NOT owed`,
      ),
    };
    const sent = tallyhook.sent();
    const { recorded, entries, effects, votes, wrongBalances } = found;
    if ([recorded, entries, effects, votes].some((each) => each !== sent) || wrongBalances > 0) {
      throw new Error(`tallyhook acknowledged ${sent} votes, and this is what it kept: ${JSON.stringify(found)}.`);
    }
    return sent;
  } finally {
    database.close();
  }
}
