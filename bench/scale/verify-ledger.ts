import type pg from 'pg';
import { oneListing, voterOf } from '../load/vote.ts';
import type { SentVotes } from './receivers.ts';

/** One member in the database. All numbers as text, as PostgreSQL returns them. */
interface MemberRow {
  readonly user_id: string;
  readonly recorded: string;
  readonly effects: string;
  readonly entries: string;
  readonly owed: string;
  readonly credits: string;
  readonly votes: string;
}

/** All are in one community. */
const memberOfAccount = `split_part(account_id, ':', 2)`;
const members = `
  SELECT user_id, coalesce(recorded, 0) AS recorded, coalesce(effects, 0) AS effects,
         coalesce(entered.entries, 0) AS entries, coalesce(owed, 0) AS owed,
         coalesce(balances.credits, 0) AS credits, coalesce(votes, 0) AS votes
  FROM (SELECT user_id, count(*) AS recorded, sum(effects) AS effects
        FROM (SELECT user_id, (SELECT count(*) FROM effects WHERE delivery_id = deliveries.id) AS effects
              FROM deliveries WHERE outcome = 'recorded') AS each
        GROUP BY user_id) AS recorded
  FULL JOIN (SELECT ${memberOfAccount} AS user_id, count(*) AS entries, sum(credits) AS owed
             FROM entries GROUP BY account_id) AS entered USING (user_id)
  FULL JOIN (SELECT ${memberOfAccount} AS user_id, credits, votes FROM balances) AS balances USING (user_id)`;

/**
 * Checks that every acknowledged vote is in the database exactly once: a delivery, an entry and an effect each, and
 * balances that are the sums of the entries. A vote answered with 503 may be there once or not at all. Returns the
 * number of acknowledged votes.
 * @throws Error if one is missing or counted twice
 */
export async function verifyLedger(client: pg.Client, { sent, rejected }: SentVotes): Promise<number> {
  const { rows } = await client.query<MemberRow>(members);
  const expected = new Map<string, { least: number; most: number }>();
  for (let number = 0; number < sent; number += 1) {
    const user = voterOf(number, oneListing);
    const { least, most } = expected.get(user) ?? { least: 0, most: 0 };
    expected.set(user, { least: least + (rejected.has(number) ? 0 : 1), most: most + 1 });
  }
  for (const row of rows) {
    const { least, most } = expected.get(row.user_id) ?? { least: 0, most: 0 };
    expected.delete(row.user_id);
    const recorded = Number(row.recorded);
    const isWhole = [row.effects, row.entries, row.votes].every((count) => Number(count) === recorded);
    if (recorded < least || recorded > most || !isWhole || row.credits !== row.owed) {
      throw new Error(
        `Between ${least} and ${most} votes of a member count, and the database has ${JSON.stringify(row)}.`,
      );
    }
  }
  const missing = [...expected].find(([, { least }]) => least > 0);
  if (missing !== undefined) throw new Error(`Acknowledged votes of ${missing[0]} are not in the database.`);
  return sent - rejected.size;
}
