import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql as raw } from 'kysely';
import { type AccountId, type CommunityId, memberOf } from '../../core/ledger/account.ts';
import { countedVoteCauses } from '../../core/ledger/entry.ts';
import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';
import { accountsIn } from '../../core/store/account-columns.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { type Refusal, refusalOf } from '../../webhook/rejections.ts';

/** The reason of a vote that waits in the quarantine until Discord says whether its voter is in the guild. */
export const membershipReason = 'the vote waits until Discord says whether the voter is a member';

/** Asks Discord whether the voter of a delivery is in the guild, and records the vote if so. */
export interface Membership {
  readonly guildId: string;
  readonly userId: string;
  /** How often Discord has said no. */
  readonly refusals: number;
}

export const membershipKind: EffectKind<'membership', Membership> = {
  kind: 'membership',
  ...fieldsFormat<Membership>({ guildId: ['string'], userId: ['string'], refusals: ['number'] }),
  withoutMember: (content, userId) => (content.userId === userId ? null : content),
};

const notMember = 'not_a_member' satisfies Refusal;

/** True if a delivery is paid when Discord says that its voter is in the guild. */
export function waitsForMember({
  outcome,
  reason,
}: {
  readonly outcome: string;
  readonly reason: string | null;
}): boolean {
  return (outcome === 'quarantined' && reason === membershipReason) || (outcome === 'ignored' && reason === notMember);
}

/** A delivery of a vote that the guards have not let be paid. */
type Unpaid = Pick<Tables['deliveries'], 'outcome' | 'reason'> & { readonly id: number };

/** The votes of an account for a listing that {@link reads.votesOfFrequent} has read (ms since the epoch), oldest first. */
export interface VoteTimes {
  readonly userId: string;
  readonly listing: string;
  readonly times: readonly number[];
}

export interface FrequentVoters {
  readonly votes: readonly VoteTimes[];
  /** False if there are more members than were looked at. */
  readonly isComplete: boolean;
}

/** Accounts that are read at once, as for leaderboards: a few ms, in which SQLite blocks this thread. */
const sliceSize = 5_000;
/** Accounts whose entries are read, those with the most votes. */
const maxAccounts = 2_000;
const accountsAtOnce = 20;
/** The newest entries of each account: a vote may have several. */
const maxEntries = 120;

export const reads = {
  /** The deliveries of a member for these listings that were refused, or {@link waitsForMember}, oldest first. */
  async unpaidOf({ db, connection }: Sql, userId: string, listings: readonly string[]): Promise<readonly Unpaid[]> {
    if (listings.length === 0) return [];
    const ofMember = db.selectFrom('deliveries').select(['id', 'outcome', 'reason']).where('user_id', '=', userId);
    // The condition of the partial index.
    const unusual = ofMember.where((eb) =>
      eb.or([eb('outcome', '<>', literal('recorded')), eb('family', '=', literal('premium'))]),
    );
    const rows = await run(connection, unusual.where('listing', 'in', listings).orderBy('id'));
    return rows.filter((each) => refusalOf(each) !== null || waitsForMember(each));
  },

  /**
   * The newest delivered votes of the members of a community who have at least so many, by listing. Of the 2,000 with the
   * most votes, and of each the newest 120 entries.
   */
  async votesOfFrequent(sql: Sql, communityId: CommunityId, minVotes: number): Promise<FrequentVoters> {
    const { newest, isComplete } = await frequentVoters(sql, communityId, minVotes);
    const byListing = new Map<string, { userId: string; listing: string; times: number[] }>();
    for (let start = 0; start < newest.length; start += accountsAtOnce) {
      for (const { accountId, listing, at } of await newestVotes(sql, newest.slice(start, start + accountsAtOnce))) {
        const key = `${accountId} ${listing}`;
        const known = byListing.get(key) ?? { userId: memberOf(accountId), listing, times: [] };
        byListing.set(key, known);
        known.times.push(at);
      }
      await nextTurn();
    }
    const votes = [...byListing.values()].map((each) => ({ ...each, times: each.times.sort((a, b) => a - b) }));
    return { votes, isComplete };
  },
};

export const writes = {
  /** Notes that the voter of a waiting vote is not a member. */
  async refuse({ db, connection }: Sql, deliveryId: number): Promise<void> {
    const waiting = db.updateTable('deliveries').where('id', '=', deliveryId).where('outcome', '=', 'quarantined');
    await run(
      connection,
      waiting.where('reason', '=', membershipReason).set({ outcome: 'ignored', reason: notMember }),
    );
  },
};

export type GuardStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** The ids of the newest entries of the accounts with the most votes. */
async function frequentVoters({ db, connection }: Sql, communityId: CommunityId, minVotes: number) {
  let found: { readonly votes: number; readonly newest: number }[] = [];
  let total = 0;
  for (let after: AccountId | null = null; ; await nextTurn()) {
    const accounts = db.selectFrom('balances').select(['account_id', 'votes', 'last_entry']);
    const slice = await run(connection, accountsIn(accounts, communityId, after).limit(literal(sliceSize)));
    for (const { votes, last_entry: newest } of slice)
      if (votes >= minVotes && newest !== null) found.push({ votes, newest });
    total = Math.max(total, found.length);
    if (found.length > maxAccounts) found = found.sort((a, b) => b.votes - a.votes).slice(0, maxAccounts);
    const last = slice.at(-1);
    if (last === undefined || slice.length < sliceSize)
      return { newest: found.map(({ newest }) => newest), isComplete: total <= maxAccounts };
    after = last.account_id as AccountId;
  }
}

/** The delivered votes among the newest entries of accounts, by following their links. */
async function newestVotes(
  { db, connection }: { db: Kysely<Tables>; connection: Sql['connection'] },
  newest: readonly number[],
) {
  const columns = ['account_id', 'listing', 'cause', 'at', 'delivery_id', 'previous', 'number'] as const;
  const linked = db
    .withRecursive('walked(account_id, listing, cause, at, delivery_id, previous, number, depth)', (query) =>
      query
        .selectFrom('entries')
        .select([...columns.map((column) => `entries.${column}` as const), raw<number>`1`.as('depth')])
        .where('entries.id', 'in', newest)
        .unionAll(
          query
            .selectFrom('walked')
            .innerJoin('entries', (join) => join.onRef('entries.id', '=', raw.ref('walked.previous')))
            .select([
              ...columns.map((column) => `entries.${column}` as const),
              raw<number>`walked.depth + 1`.as('depth'),
            ])
            .where(raw<boolean>`walked.depth < ${raw.lit(maxEntries)} and entries.number < walked.number`),
        ),
    )
    .selectFrom('walked')
    .select(['account_id', 'listing', 'at'])
    .where('cause', 'in', countedVoteCauses.map(literal))
    .where('delivery_id', 'is not', null);
  return (await run(connection, linked)).flatMap(({ account_id: accountId, listing, at }) =>
    listing === null ? [] : [{ accountId: accountId as AccountId, listing, at }],
  );
}
