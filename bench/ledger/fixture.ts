/** The data of the filled ledgers: votes for one listing, one per second, by members in pseudo-random order. */
export const listing = 'server';
export const firstVoteAt = Date.UTC(2025, 0, 1);
const stride = 7_919;

/** Number of voters; each votes ten times. */
export function votersOf(entries: number): number {
  return Math.ceil(entries / 10);
}

/** Ids of 18 digits, like Discord's, not in ascending order. */
export function userId(number: number): string {
  return String(200_000_000_000_000_000n + BigInt(number) * 600_000_001n);
}

/** The same two as SQL expressions for vote number `i`. */
export function voterSql(voters: number): string {
  return `CAST(200000000000000000 + (i * ${stride} % ${voters}) * 600000001 AS TEXT)`;
}

export const atSql = `(${firstVoteAt} + i * 1000)`;
