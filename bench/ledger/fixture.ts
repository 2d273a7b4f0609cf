/** What the filled ledgers hold: votes of one listing, one a second, by members who take turns in an order that looks random. */
export const listing = 'server';
export const firstVoteAt = Date.UTC(2025, 0, 1);
const stride = 7_919;

/** How many vote; each of them ten times. */
export function votersOf(entries: number): number {
  return Math.ceil(entries / 10);
}

/** Ids of 18 digits, as Discord's are, that do not lie in the order of their numbers. */
export function userId(number: number): string {
  return String(200_000_000_000_000_000n + BigInt(number) * 600_000_001n);
}

/** The same two as SQL, of the vote number `i` among so many voters. */
export function voterSql(voters: number): string {
  return `CAST(200000000000000000 + (i * ${stride} % ${voters}) * 600000001 AS TEXT)`;
}

export const atSql = `(${firstVoteAt} + i * 1000)`;
