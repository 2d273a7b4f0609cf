import type { AccountId } from '../../core/ledger/account-id.ts';
import type { Texts } from '../../texts/texts.ts';
import type { RoleConnectionBody } from './discord-oauth.ts';
import type { StoredValues } from './linked-members.ts';

/**
 * What Discord knows of a member for linked roles. A connection belongs to a member and an application, not to a guild,
 * so it covers all communities of the installation.
 */
export interface MemberValues {
  /** Counted votes in all communities. */
  readonly votes: number;
  /** The longest current streak in any community (days). */
  readonly streak: number;
  /** The last counted vote in any community (ms since the epoch); null before the first. */
  readonly lastVoteAt: number | null;
  readonly hasPremium: boolean;
}

/** @param dayIn the current day of an account's community (day number) */
export function memberValues(
  { accounts, hasPremium }: StoredValues,
  dayIn: (accountId: AccountId) => number,
): MemberValues {
  const lastVotes = accounts.flatMap((account) => Object.values(account.lastVotes));
  const streaks = accounts.map(({ accountId, streak }) => (dayIn(accountId) <= streak.lastDay ? streak.days : 0));
  return {
    votes: accounts.reduce((sum, { votes }) => sum + votes, 0),
    streak: Math.max(0, ...streaks),
    lastVoteAt: lastVotes.length === 0 ? null : Math.max(...lastVotes),
    hasPremium,
  };
}

/** As Discord expects it. The keys are those of {@link roleConnectionRecords}. */
export function connectionBody({ votes, streak, lastVoteAt, hasPremium }: MemberValues, texts: Texts) {
  return {
    platform_name: texts.linkedRoles.platform,
    metadata: {
      votes: String(votes),
      streak: String(streak),
      ...(lastVoteAt === null ? {} : { last_vote: new Date(lastVoteAt).toISOString() }),
      premium: hasPremium ? '1' : '0',
    },
  } satisfies RoleConnectionBody;
}
