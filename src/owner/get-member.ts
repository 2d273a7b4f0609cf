import { type PageRequest, paginate, type ResultPage } from '@tallyhook/platform/web/pagination';
import { accountIdOf } from '../core/ledger/account.ts';
import type { Standing } from '../core/ledger/standing.ts';
import type { DeliveryRecord, LedgerEntry } from '../core/records/records.ts';
import type { Marks } from '../core/tally/account-state.ts';
import { nextVoteFor } from '../features/next-votes/store.ts';
import type { OwnerCommunity } from './communities.ts';
import type { OwnerContext } from './context.ts';

/** A member's last and next vote for a listing (ms since the epoch); null before the first vote. */
export interface VoteTimes {
  readonly listing: string;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
}

/** An account of a member in one of several communities. */
export interface MemberAccount extends Pick<MemberDetails, 'standing' | 'marks' | 'last'> {
  readonly guildId: string | null;
}

export interface MemberDetails {
  /** The guild of the account that is shown; null if its community has none. */
  readonly guildId: string | null;
  /** All accounts of the member, the shown one first; only that one if its community was chosen. */
  readonly accounts: readonly MemberAccount[];
  readonly standing: Standing;
  readonly marks: Marks;
  /** The listing with the most recent vote; null before the first vote. */
  readonly last: VoteTimes | null;
  readonly listings: readonly VoteTimes[];
  readonly entries: ResultPage<LedgerEntry>;
  /** The newest deliveries of the member without an entry: duplicates, tests, and quarantined ones. */
  readonly unpaid: readonly DeliveryRecord[];
}

/** The newest deliveries of a member that are searched for ones without an entry. */
const maxDeliveries = 100;

/**
 * The account of a member in a community.
 * @param page of the entries
 * @param chosen null for the first of the member's accounts
 */
export async function getMember(
  context: OwnerContext,
  userId: string,
  page: PageRequest,
  chosen: OwnerCommunity | null,
): Promise<MemberDetails> {
  const { records, communities } = context;
  const shown = chosen === null ? await communities.of(userId) : ([chosen] as const);
  const [community] = shown;
  const accountId = accountIdOf(community.id, userId);
  const [accounts, listings, entries, deliveries] = await Promise.all([
    Promise.all(shown.map((each) => getAccount(context, each, userId))),
    listingsOf(context, community, userId),
    paginate(page, ({ limit, before }) => records.entries(accountId, limit, before)),
    records.deliveries({ userId, limit: maxDeliveries, before: null }),
  ]);
  const [account] = accounts;
  if (account === undefined) throw new Error('A member has at least one account.');
  return {
    ...account,
    accounts,
    listings,
    entries,
    unpaid: deliveries.filter(({ outcome }) => outcome !== 'recorded'),
  };
}

async function getAccount(context: OwnerContext, community: OwnerCommunity, userId: string): Promise<MemberAccount> {
  const [standing, marks, listings] = await Promise.all([
    community.standings.standing(userId, context.clock.now()),
    context.records.marks(accountIdOf(community.id, userId)),
    listingsOf(context, community, userId),
  ]);
  const [last = null] = listings
    .filter(({ lastVoteAt }) => lastVoteAt !== null)
    .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  return { guildId: community.guildId, standing, marks, last };
}

async function listingsOf(
  { cooldowns, nextVotes }: OwnerContext,
  { id, standings }: OwnerCommunity,
  userId: string,
): Promise<readonly VoteTimes[]> {
  const [lastVotes, stated = []] = await Promise.all([standings.lastVotes(userId), nextVotes?.(userId)]);
  return [...cooldowns(id)].map(([listing, cooldownMs]) => {
    const vote = nextVoteFor({ names: [listing], cooldownMs }, lastVotes, stated);
    return { listing, lastVoteAt: vote?.at ?? null, nextVoteAt: vote?.nextVoteAt ?? null };
  });
}
