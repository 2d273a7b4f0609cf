import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { type AccountId, type CommunityId, partsOf } from '../../core/ledger/account.ts';
import { correctionEntry } from '../../core/ledger/correction.ts';
import { bonusCauses, countedVoteCauses, isCountedVote } from '../../core/ledger/entry.ts';
import { type ResolvableListing, withoutSecrets } from '../../core/receiving/listing.ts';
import { milestoneGrants } from '../../core/rewards/milestones.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { communityOfGuild } from '../../core/store/communities.ts';
import { type CounterStore, rowsPerCount } from '../../core/store/counters.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { selectCorrections, toCorrection } from '../../core/store/recording/queries.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import {
  type EntryRow,
  entriesOf,
  reversedReason,
  uncountVotes,
  unreachedMilestones,
  updateEntries,
} from '../../core/store/uncounted-votes.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { StoredCorrection } from '../../core/tally/tally.ts';
import { tellOf } from '../events/feature.ts';

/** The votes of a listing that were cast from one time to another (ms since the epoch; `until` is exclusive). */
export interface VoteRange {
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

/** The votes and credits that a reversal takes from one member. `spent`: credits that the member no longer had. */
interface ReversedMember {
  readonly votes: number;
  readonly credits: number;
  readonly spent: number;
}

/** A vote and what it has earned itself; a milestone is one of all votes. */
const reversedCauses = [...countedVoteCauses, ...bonusCauses.filter((cause) => cause !== 'milestone')];

/**
 * Takes back what the votes of a member have earned, and the milestones that are not reached without them: credits by a
 * correction, as far as the account has them, and roles. The votes stay in the ledger, as votes that do not count. Null
 * if nothing is left to reverse.
 * @param listings of the community
 */
async function reverseMember(
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
  const ids = new Set(votes.map(({ id }) => id));
  const milestones = unreachedMilestones(entries, left, { ids, listings });
  const reversed = new Set([...own, ...milestones].map(({ id }) => id));
  const earned = [...own, ...milestones].reduce((sum, { credits }) => sum + credits, 0);
  const credits = Math.min(earned, Math.max(0, account.credits));
  const { communityId, userId } = partsOf(accountId);
  const reason = `votes of ${range.listing} reversed`;
  const correction = correctionEntry({ communityId, userId, credits: -credits, reason, at: now });
  const corrected = credits === 0 ? account : await appendEntry(connection, db, account, correction);
  await updateEntries(sql, [...reversed], { reason: reversedReason });
  // Without them, their days may have a first vote again.
  const firstVotes = own.filter(({ cause }) => cause === 'firstVote').map(({ id }) => id);
  await updateEntries(sql, firstVotes, { achievement: null });
  // What is reversed counts for no leaderboard.
  const worth = entries.map((entry) => (reversed.has(entry.id) ? { ...entry, credits: 0 } : entry));
  const rest = await uncountVotes(sql, corrected, { entries: worth, ids, reason: reversedReason }, { listings, now });
  await endGrants(sql, { userId, votes: left, entries: rest, listings }, now);
  const data = { userId, listing: range.listing, votes: votes.length, credits: -credits, balance: corrected.credits };
  await tellOf(sql, communityId, { type: 'vote.reversed', data: { ...data, at: new Date(now).toISOString() } }, now);
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

/** Members with something to reverse among some entries. */
export interface ReversiblePage {
  readonly members: readonly { readonly accountId: AccountId; readonly votes: number; readonly credits: number }[];
  /** The id after these entries; null after the last ones. */
  readonly next: number | null;
}

export const reads = {
  /** The correction of a community with this idempotency key; null if there is none. */
  async find(
    { db, connection }: Sql,
    communityId: CommunityId,
    idempotencyKey: string,
  ): Promise<StoredCorrection | null> {
    const [row] = await run(connection, selectCorrections(db, communityId, [idempotencyKey]));
    return row === undefined ? null : toCorrection(row);
  },

  /** Looks through {@link rowsPerCount} entries: no index serves it, because it would slow down every vote. */
  async reversible({ db, connection }: Sql, range: VoteRange, fromId: number): Promise<ReversiblePage> {
    const entries = db.selectFrom('entries').where('id', '>=', fromId).orderBy('id').limit(literal(rowsPerCount));
    const slice = entries.select(['id', 'account_id', 'listing', 'cause', 'credits', 'at', 'reason']).as('slice');
    const last = db.selectFrom(entries.select('id').as('ids')).select(({ fn }) => fn.max<number | null>('id').as('id'));
    const lastId = (await run(connection, last))[0]?.id ?? null;
    const members = db
      .selectFrom(slice)
      .where('listing', '=', range.listing)
      .where('at', '>=', range.from)
      .where('at', '<', range.until)
      .where('cause', 'in', reversedCauses.map(literal))
      .where((eb) => eb.or([eb('reason', 'is', null), eb('reason', '<>', reversedReason)]))
      .select(({ fn, eb }) => [
        'account_id',
        fn.sum<number | string>('credits').as('credits'),
        fn.count<number>(eb.case().when('cause', 'in', countedVoteCauses.map(literal)).then(1).end()).as('votes'),
      ])
      .groupBy('account_id');
    const rows = lastId === null ? [] : await run(connection, members);
    return {
      members: rows.map((row) => ({ accountId: row.account_id, votes: row.votes, credits: Number(row.credits) })),
      next: lastId === null ? null : lastId + 1,
    };
  },

  /**
   * The newest corrections with an author, newest first.
   * @param query.communityId of one community; null for all. `before`: only earlier ones (ms since the epoch)
   */
  async authored(
    { db, connection }: Sql,
    { communityId, before, limit }: { communityId: CommunityId | null; before: number | null; limit: number },
  ): Promise<readonly AuthoredCorrection[]> {
    let query = db.selectFrom('corrections').selectAll().where('author', 'is not', null);
    if (before !== null) query = query.where('at', '<', before);
    if (communityId !== null) query = query.where('community_id', '=', communityId);
    const rows = await run(connection, query.orderBy('at', 'desc').limit(limit));
    return rows.map(({ author, community_id: _community, ...row }) => ({ ...toCorrection(row), author: author ?? '' }));
  },
};

export interface AuthoredCorrection extends StoredCorrection {
  readonly author: string;
}

export const writes = { reverseMember };

export type CorrectionStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** The totals that a reversal takes, or would take. */
export interface ReversalTotals {
  readonly members: number;
  readonly votes: number;
  /** Before it, milestones that are not reached any more are not known. */
  readonly credits: number;
}

export type Reversals = ReturnType<typeof createReversals>;

type Totals = { -readonly [Name in keyof ReversalTotals | 'spent']: number };

/** Members per transaction: some ms, in which votes wait. */
const membersAtOnce = 20;

/**
 * Reverses the votes of a listing. All reject with the errors of the store, and with what aborts the signal.
 * @param options.listingsOf those of the community that a listing belongs to; none if it is not configured
 */
export function createReversals(options: {
  readonly store: { readonly corrections: CorrectionStore; readonly counters: Pick<CounterStore, 'reset'> };
  readonly listingsOf: (listing: string) => readonly ResolvableListing[];
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { store, listingsOf, clock, log } = options;
  const { corrections, counters } = store;

  async function* pages(range: VoteRange, signal?: AbortSignal): AsyncGenerator<ReversiblePage['members']> {
    for (let from: number | null = 0; from !== null; ) {
      signal?.throwIfAborted();
      const { members, next }: ReversiblePage = await corrections.reversible(range, from);
      yield members;
      from = next;
      await nextTurn();
    }
  }

  async function reversePage(
    range: VoteRange,
    page: ReversiblePage['members'],
    { totals, signal }: { readonly totals: Totals; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const listings = listingsOf(range.listing).map(withoutSecrets);
    for (let start = 0; start < page.length; start += membersAtOnce) {
      signal?.throwIfAborted();
      const now = clock.now();
      const members = page.slice(start, start + membersAtOnce);
      const reversed = await Promise.all(
        members.map(({ accountId }) => corrections.reverseMember(range, { accountId, listings }, now)),
      );
      for (const { votes, credits, spent } of reversed.filter((each) => each !== null)) {
        totals.members += 1;
        totals.votes += votes;
        totals.credits += credits;
        totals.spent += spent;
      }
    }
  }

  return {
    async preview(range: VoteRange, signal?: AbortSignal): Promise<ReversalTotals> {
      const members = new Set<string>();
      let [votes, credits] = [0, 0];
      for await (const page of pages(range, signal)) {
        for (const member of page) {
          members.add(member.accountId);
          votes += member.votes;
          credits += member.credits;
        }
      }
      return { members: members.size, votes, credits };
    },

    /**
     * In transactions of some members each. After an interruption, a second one continues; what is reversed is not
     * reversed again. `spent`: credits that members no longer had.
     */
    async reverse(range: VoteRange, signal?: AbortSignal): Promise<Totals> {
      const totals = { members: 0, votes: 0, credits: 0, spent: 0 };
      try {
        for await (const page of pages(range, signal)) await reversePage(range, page, { totals, signal });
      } finally {
        // Also if nothing was left: an earlier reversal may have ended before this.
        await counters.reset();
      }
      const { listing, from, until } = range;
      log.info(
        { listing, from: new Date(from), until: new Date(until), ...totals },
        'votes of a listing were reversed',
      );
      return totals;
    },
  };
}
