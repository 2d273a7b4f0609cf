import { createHmac } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';

/** The secret shared by the contenders and the load generator. */
export const secret = 'bench-secret-bench-secret-bench';

/** The path at which every contender accepts votes. */
export const path = '/webhooks/vote';

/**
 * In which order members vote: by ascending id, or scattered like random ids, of ten times as many members. It decides how
 * many database pages a commit changes.
 */
export type VoterOrder = 'sequential' | 'scattered';

/** The number of members who vote in turn. The numbers are prime, so a stride visits every member. */
export const voterCounts: Readonly<Record<VoterOrder, number>> = { sequential: 100_003, scattered: 1_000_003 };
const strides: Readonly<Record<VoterOrder, number>> = { sequential: 1, scattered: 618_041 };

/** Between votes (ms). A member's next vote is later than the cooldown, so that every vote counts. */
const interval = 500;
/** Recent, as in production, and early enough that a run does not reach the present. */
const first = Date.now() - 30 * day;

/** The id of member `i`, which is ascending, as an SQL expression; the same as {@link voterOf}'s. */
export const memberIdSql = 'CAST(200000000000000000 + i * 1000003 AS TEXT)';

/**
 * The numbers of members in an order that is as good as random, as a common table expression of SQLite. A table that has
 * grown like this has room in its pages, as in production; one that is filled in the order of its key has none.
 */
export function scatteredNumbersSql(members: number): string {
  return `WITH RECURSIVE counted(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted LIMIT ${members}),
    numbers(i) AS (SELECT i FROM counted ORDER BY i * 2654435761 % 4294967291)`;
}

/** The user id of the member who casts the vote with this number. */
export function voterOf(number: number, voters: VoterOrder = 'sequential'): string {
  const member = (number * strides[voters]) % voterCounts[voters];
  return String(200_000_000_000_000_000n + BigInt(member) * 1_000_003n);
}

/** The signed vote with this number: about 190 bytes, unique. */
export function vote(number: number, voters: VoterOrder = 'sequential'): { body: string; signature: string } {
  const body = JSON.stringify({
    event: 'server_vote',
    userId: voterOf(number, voters),
    serverId: '613425648685547541',
    timestamp: new Date(first + number * interval).toISOString(),
    creditsAwarded: true,
    voter: { username: 'a_member_who_votes' },
  });
  // Of Node, because it is computed for every vote of a load.
  return { body, signature: createHmac('sha256', secret).update(body).digest('hex') };
}
