import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import { correctionEntry } from '../../core/ledger/correction.ts';
import { type Cause, countedVoteCauses, isCountedVote } from '../../core/ledger/entry.ts';
import { isUnreachedMilestone } from '../../core/rewards/history-of-entries.ts';
import { milestoneGrants } from '../../core/rewards/milestones.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { communityOfGuild } from '../../core/store/communities/store.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import {
  type EntryRow,
  entriesOf,
  reversedReason,
  uncountVotes,
  updateEntries,
} from '../../core/store/uncounted-votes.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';

/** The votes of a listing that were cast from one time to another (ms since the epoch; `until` is exclusive). */
export interface VoteRange {
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

/** What a reversal takes from one member. `spent`: credits that the member no longer had. */
interface ReversedMember {
  readonly votes: number;
  readonly credits: number;
  readonly spent: number;
}

/** A vote and what it has earned itself; a milestone is one of all votes. */
export const reversedCauses = [...countedVoteCauses, 'streak', 'allListings'] as const satisfies readonly Cause[];

/**
 * Takes back what the votes of a member have earned, and the milestones that are not reached without them: credits by a
 * correction, as far as the account has them, and roles. The votes stay in the ledger, as votes that do not count. Null if
 * nothing is left to reverse.
 * @param listings of the community
 */
export async function reverseMember(
  sql: Sql,
  range: VoteRange,
  { accountId, listings }: { readonly accountId: AccountId; readonly listings: readonly ListingContext[] },
  now: number,
): Promise<ReversedMember | null> {
  const { db, connection } = sql;
  const account = await lockAccount(connection, db, accountId);
  const entries = await entriesOf(sql, account);
  const own = entries.filter((entry) => isReversible(entry, range));
  if (own.length === 0) {
    await releaseAccount(connection, db, account);
    return null;
  }
  const votes = own.filter(({ cause }) => isCountedVote(cause));
  const left = account.votes - votes.length;
  const milestones = entries.filter(({ achievement }) => isUnreachedMilestone(achievement, left));
  const reversed = new Set([...own, ...milestones].map(({ id }) => id));
  const earned = [...own, ...milestones].reduce((sum, { credits }) => sum + credits, 0);
  const credits = Math.min(earned, Math.max(0, account.credits));
  const { communityId, userId } = partsOf(accountId);
  const reason = `votes of ${range.listing} reversed`;
  const correction = correctionEntry({ communityId, userId, credits: -credits, reason, at: now });
  const corrected = credits === 0 ? account : await appendEntry(connection, db, account, correction);
  await updateEntries(sql, [...reversed], { reason: reversedReason });
  const ids = new Set(votes.map(({ id }) => id));
  // What is reversed counts for no leaderboard.
  const worth = entries.map((entry) => (reversed.has(entry.id) ? { ...entry, credits: 0 } : entry));
  const rest = await uncountVotes(sql, corrected, { entries: worth, ids, reason: reversedReason }, { listings, now });
  await endGrants(sql, { userId, votes: left, entries: rest, listings }, now);
  return { votes: votes.length, credits, spent: earned - credits };
}

function isReversible({ listing, at, cause, reason }: EntryRow, range: VoteRange): boolean {
  const isIn = listing === range.listing && at >= range.from && at < range.until;
  return isIn && reason !== reversedReason && reversedCauses.some((each) => each === cause);
}

/** Roles of votes that do not count any more end earlier, or now. */
async function endGrants(
  sql: Sql,
  member: {
    readonly userId: string;
    readonly votes: number;
    readonly entries: readonly EntryRow[];
    readonly listings: readonly ListingContext[];
  },
  now: number,
): Promise<void> {
  const { db, connection } = sql;
  const { userId, votes, entries, listings } = member;
  const guilds = new Set(listings.flatMap(({ community }) => community.guildId ?? []));
  const own = db.selectFrom('grants').selectAll().where('user_id', '=', userId);
  const granted = await run(connection, own.where('source', 'in', ['voter', 'milestone']));
  for (const { role, source, until, guild_id } of granted) {
    if (!guilds.has(guild_id)) continue;
    const end = source === 'voter' ? voterEnd(role) : milestoneEnd(role);
    if (end === null || (until !== null && until <= end)) continue;
    const grant = db.updateTable('grants').set({ until: end }).where('user_id', '=', userId);
    await run(connection, grant.where('role', '=', role).where('source', '=', source).where('guild_id', '=', guild_id));
    const communityId = await communityOfGuild(sql, guild_id);
    await enqueue(sql, [roleEffect(communityId, { guildId: guild_id, userId, role }, null, now)]);
  }

  function voterEnd(role: string): number {
    const ends = entries.flatMap(({ listing, cause, at }) => {
      const rule = isCountedVote(cause) ? listings.find(({ name }) => name === listing)?.rewards.voterRole : null;
      return rule?.role === role ? at + rule.forMs : [];
    });
    return ends.reduce((latest, end) => Math.max(latest, end), now);
  }

  /** Null if the role stays. */
  function milestoneEnd(role: string): number | null {
    const grants = listings.flatMap(({ rewards }) => milestoneGrants(rewards, userId, votes));
    return grants.some((grant) => grant.role === role && grant.until === null) ? null : now;
  }
}
