import type { RankedMember } from '../core/ledger/standing.ts';
import type { Counts, DeliveryRecord, OpenProblems } from '../core/records/records.ts';
import type { DayVotes } from '../core/store/standings/votes-per-day.ts';
import type { OwnerCommunity } from './communities.ts';
import type { BudgetStatus, ComponentStatus, OwnerContext } from './context.ts';
import type { NameBook } from './names.ts';

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
