import { type PageRequest, paginate, type ResultPage } from '@tallyhook/platform/web/pagination';
import type { z } from 'zod';
import { accountIdOf } from '../core/ledger/account.ts';
import type { RankedMember, Standing } from '../core/ledger/standing.ts';
import type { Counts, DeliveryRecord, LedgerEntry, OpenProblems } from '../core/records/records.ts';
import type { DayVotes } from '../core/store/standings/votes-per-day.ts';
import type { Marks } from '../core/tally/account-state.ts';
import { nextVoteFor } from '../features/next-votes/store.ts';
import type { OwnerCommunity } from './communities.ts';
import type { BudgetStatus, ComponentStatus, OwnerContext } from './context.ts';
import type { NameBook } from './names.ts';
import type { deliveriesQuery } from './request-schemas.ts';

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

/** What the owner of a community wants to know first, or the operator of all of them. */
export interface Overview {
  /** Of the last 30 days, today last. */
  readonly days: readonly DayVotes[];
  /** Null where there are several communities, each of which has its own. */
  readonly totals: CommunityTotals | null;
  /** Purchases that wait for the owner. */
  readonly orders: number;
  readonly problems: OpenProblems;
  readonly parts: Readonly<Record<string, ComponentStatus>>;
  readonly budgets: readonly BudgetStatus[];
  readonly lastDelivery: DeliveryRecord | null;
  readonly names: NameBook;
}

interface CommunityTotals {
  /** In this calendar month: counted votes, and the credits that votes and premium earned. */
  readonly month: { readonly votes: number; readonly credits: number };
  readonly members: { readonly count: number; readonly credits: number };
  /** The members with the most votes in this month. */
  readonly top: readonly RankedMember[];
}

const maxTop = 10;

export async function getOverview(context: OwnerContext): Promise<Overview> {
  const { records, rewards, communities, clock, scope } = context;
  const [community, ...others] = communities.all();
  const [days, totals, orders, problems, parts, budgets, [lastDelivery = null]] = await Promise.all([
    rewards.votesPerDay(scope),
    others.length > 0 ? null : totalsOf(community, clock.now()),
    rewards.waitingOrders(scope),
    records.problems(null),
    context.health(),
    context.budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return {
    ...{ days, totals, orders, problems, parts, budgets, lastDelivery },
    names: await context.namesIn(scope)(totals?.top.map(({ userId }) => userId) ?? []),
  };
}

async function totalsOf({ standings }: OwnerCommunity, now: number): Promise<CommunityTotals> {
  const board = { limit: maxTop, offset: 0, userId: null } as const;
  const [votes, credits, balances] = await Promise.all([
    standings.leaderboard({ ...board, period: 'month', by: 'votes' }, now),
    standings.leaderboard({ ...board, period: 'month', by: 'credits' }, now),
    standings.leaderboard({ ...board, period: 'all', by: 'credits' }, now),
  ]);
  return {
    month: { votes: votes.sum, credits: credits.sum },
    members: { count: balances.total, credits: balances.sum },
    top: votes.members,
  };
}

/** Status and totals of the installation. */
export interface Summary {
  readonly counts: Counts;
  readonly parts: Readonly<Record<string, ComponentStatus>>;
  readonly budgets: readonly BudgetStatus[];
  readonly lastDelivery: DeliveryRecord | null;
}

export async function getSummary(context: OwnerContext): Promise<Summary> {
  const { records, health } = context;
  const [counts, parts, budgets, [lastDelivery = null]] = await Promise.all([
    records.counts(),
    health(),
    context.budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return { counts, parts, budgets, lastDelivery };
}

/** A page of the delivery log. Of a site that no listing is on, it is empty. */
export async function listDeliveries(
  { records, sites }: Pick<OwnerContext, 'records' | 'sites'>,
  { user: userId, site, ...filter }: z.infer<typeof deliveriesQuery>,
): Promise<ResultPage<DeliveryRecord>> {
  const listings = site === null ? null : [...sites()].filter(([, { id }]) => id === site).map(([name]) => name);
  if (listings?.length === 0) return { rows: [], next: null };
  return paginate({ ...filter, userId, listings }, records.deliveries);
}

/** The names of the sites of listings, if there are several sites; otherwise null for every listing. */
export function siteNames({ sites }: Pick<OwnerContext, 'sites'>): (listing: string | null) => string | null {
  const byListing = sites();
  const isSeveral = new Set([...byListing.values()].map(({ name }) => name)).size > 1;
  return (listing) => (isSeveral && listing !== null ? (byListing.get(listing)?.name ?? null) : null);
}
