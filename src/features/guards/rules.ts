import { addedValue } from '../../core/added-value.ts';
import type { Refusal } from '../../webhook/rejections.ts';

/** Whose votes are not paid, and who is on no leaderboard: of a community. */
export interface Guards {
  /** The least age of an account when it votes (ms); 0 for any. */
  readonly minAccountAgeMs: number;
  /** True if only members of the guild are paid. */
  readonly membersOnly: boolean;
  /** Discord IDs of those who are never paid. */
  readonly blocked: readonly string[];
  /** Discord IDs of roles: who was last seen with one of them is on no leaderboard. */
  readonly hiddenRoles: readonly string[];
}

/** The guards of a community: of the rules of its listings. */
export const guardsRule = addedValue<Guards | null>('guards', null);

export interface GuardedVote {
  readonly userId: string;
  /** The time of the vote (ms since the epoch). */
  readonly at: number;
  /** True if Discord says that the voter is in the guild. */
  readonly isMember: boolean;
}

/**
 * Why a vote is not paid; `unknown_member` if Discord is to be asked first; null if nothing is against it. What is for good
 * comes before what Discord has to be asked about.
 */
export function guardAgainst(
  { userId, at, isMember }: GuardedVote,
  { blocked, minAccountAgeMs, membersOnly }: Guards,
): Refusal | 'unknown_member' | null {
  if (blocked.includes(userId)) return 'blocked';
  if (at - createdAt(userId) < minAccountAgeMs) return 'account_too_new';
  return membersOnly && !isMember ? 'unknown_member' : null;
}

const discordEpoch = 1_420_070_400_000;

/** When an account was created (ms since the epoch). Discord: "API Reference", section "Snowflakes". */
function createdAt(userId: string): number {
  return Number(BigInt(userId) >> 22n) + discordEpoch;
}

/** Discord IDs of the roles whose members are on no leaderboard of the community of these listings, and win no prizes. */
export function hiddenRolesOf(listings: readonly { readonly rewards: object }[]): readonly string[] {
  return [...new Set(listings.flatMap(({ rewards }) => guardsRule.in(rewards)?.hiddenRoles ?? []))];
}
