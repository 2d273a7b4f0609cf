import { setImmediate as nextTurn } from 'node:timers/promises';
import { day } from '@tallyhook/platform/durations';
import type { CommunityId } from '../../core/ledger/account.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { readStoredPayload } from '../../core/receiving/routing.ts';
import { monthOf, periodDays, periodOf, settlementDelayMs, timesOf } from '../../core/rewards/calendar.ts';
import { type VoteHistory } from '../../core/rewards/history.ts';
import {
  type CommonGoal,
  type EarnedEntry,
  type PastVote,
  type PeriodEnd,
  type ReplayContext,
  type ReplayListing,
  rebuildHistory,
  replayVotes,
} from '../../core/rewards/replay-votes.ts';
import { creditsOf } from '../../core/rewards/reward.ts';
import { streakBefore } from '../../core/rewards/streak.ts';
import { secretOf } from '../../core/store/installation.ts';
import { type AccountSize, accountPages, type MemberEntry, readLedgers } from '../../core/store/member-ledgers.ts';
import { run, type SqlAccess } from '../../core/store/query-builder.ts';
import { toOutage } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { drawOf, voteKey } from '../../core/tally/idempotency-key.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { listingsByName } from '../../core/tally/replay-listings.ts';

/** The votes that `/setup` and the command line pay again (ms). Texts name this time. */
export const simulatedMs = 30 * day;
/** Entries that one statement reads: about 2 ms, in which SQLite blocks this thread. */
const entriesPerQuery = 250;

export interface RuleChange {
  readonly communityId: CommunityId;
  /** The listings of the community with the rules before the change; at least one. */
  readonly before: readonly ListingContext[];
  readonly after: readonly ListingContext[];
  /** Ms since the epoch. */
  readonly since: number;
  /** Ms since the epoch. */
  readonly now: number;
  /** Nothing is simulated for members with more entries together. */
  readonly maxEntries: number;
  readonly signal: AbortSignal;
}

/** Credits that each version would have paid all members since then. */
export interface SimulatedCredits {
  readonly before: number;
  readonly after: number;
}

interface PastMember extends PastEvents {
  readonly userId: string;
  readonly roles: ReadonlySet<string>;
  /** Votes before those of the events, on which streaks and milestones depend. */
  readonly earlier: readonly Pick<MemberEntry, 'listing' | 'at'>[];
}

/** Pays past votes by both versions of the rules, and writes nothing. Null without votes, if too many, or aborted. */
export async function simulateCredits(
  sql: SqlAccess & Pick<Sql, 'hooks'>,
  change: RuleChange,
): Promise<SimulatedCredits | null> {
  const { before, after, since, signal } = change;
  const goalAt = sql.hooks.find((hooks) => hooks.goalAt)?.goalAt;
  const periodEnds = sql.hooks.flatMap((hooks) => hooks.periodEnd ?? []);
  const hooks = { goalAt, periodEnds };
  const rows = await run(sql.connection, sql.db.selectFrom('outages').selectAll().orderBy('from_at'));
  const outages = rows.map(toOutage);
  const [rulesBefore, rulesAfter] = [listingsByName(before, outages), listingsByName(after, outages)];
  const first = Math.min(firstNeeded(rulesBefore(null), since, hooks), firstNeeded(rulesAfter(null), since, hooks));
  const members: PastMember[] = [];
  const accounts = await findAccounts(sql, change, rulesAfter(null).calendar.dayAt(first));
  for await (const { userId, roles, entries } of readLedgers(sql, accounts, entriesPerQuery)) {
    if (signal.aborted) return null;
    const events = pastEventsOf(entries.filter(({ at }) => at >= first));
    // Without the bodies of their deliveries.
    const earlier = entries
      .filter(({ at, cause }) => at < first && isCountedVote(cause))
      .map(({ listing, at }) => ({ listing, at }));
    members.push({ userId, roles: new Set(roles), earlier, ...events });
    await nextTurn();
  }
  if (!members.some(({ votes }) => votes.some(({ at }) => at >= since))) return null;
  const secret = await secretOf(sql);
  const community = { id: change.communityId };
  // As if all votes had a time of their own: the others have another chance that is as large.
  const draw: ReplayContext['drawOf'] = (userId, { listing, at }) =>
    drawOf(secret, voteKey({ userId, at }, { name: listing ?? '', community }, at));
  const pay = (listingOf: ReplayContext['listingOf']) => replay(members, { listingOf, ...hooks, drawOf: draw }, change);
  const paid = { before: await pay(rulesBefore), after: await pay(rulesAfter) };
  return signal.aborted ? null : paid;
}

/** The accounts that may have been paid on this day (day number) or later; none if they have too many entries. */
async function findAccounts(
  sql: SqlAccess,
  { communityId, maxEntries, signal }: RuleChange,
  firstDay: number,
): Promise<readonly AccountSize[]> {
  // A day earlier, because the votes may have been counted in another time zone.
  const month = monthOf(firstDay - 1);
  const found: AccountSize[] = [];
  let entries = 0;
  for await (const page of accountPages(sql, communityId)) {
    const active = page.filter(({ month_start }) => month_start >= month);
    entries += active.reduce((sum, account) => sum + account.entries, 0);
    if (entries > maxEntries || signal.aborted) return [];
    found.push(...active);
    await nextTurn();
  }
  return found;
}

/** Hooks of features that pay beside the votes themselves. */
interface ReplayHooks extends Pick<ReplayContext, 'goalAt'> {
  readonly periodEnds: readonly PeriodEnd[];
}

async function replay(
  members: readonly PastMember[],
  { listingOf, goalAt, drawOf, periodEnds }: Pick<ReplayContext, 'listingOf' | 'drawOf'> & ReplayHooks,
  change: RuleChange,
): Promise<number> {
  const { since, signal } = change;
  const listing = listingOf(null);
  const { rewards, calendar, outageDays } = listing;
  const votes = members.flatMap((member) => member.votes.map(({ at }) => at));
  const goals = reachedGoals(votes, (at) => goalAt?.(listing, at));
  const paid: PaidMember[] = [];
  let credits = 0;
  for (const member of members) {
    if (signal.aborted) break;
    const { userId, roles, earlier, ...events } = member;
    const days = earlier.map(({ listing: name, at }) => ({ listing: name ?? '', day: calendar.dayAt(at) }));
    const history = rebuildHistory(days, rewards.streak, outageDays, { streaks: 0, bonusDays: [] });
    const entries = simulateEntries(userId, events, { roles, listingOf, goalAt, goals, drawOf }, history);
    credits += creditsOf(entries.filter(({ at }) => at >= since));
    paid.push({ ...member, entries });
    await nextTurn();
  }
  return credits + periodEnds.reduce((sum, end) => sum + settledCredits(paid, end, listing, change), 0);
}

/** A member with the entries that were earned. */
interface PaidMember extends PastMember {
  readonly entries: readonly EarnedEntry[];
}

/** The credits that are paid for calendar periods that are settled between the times of the change. */
function settledCredits(
  members: readonly PaidMember[],
  { periods, pay }: PeriodEnd,
  { rewards, calendar, outageDays }: ReplayListing,
  { since, now }: Pick<RuleChange, 'since' | 'now'>,
): number {
  let credits = 0;
  for (const per of new Set(periods(rewards))) {
    let period = periodOf(per, calendar.dayAt(since - settlementDelayMs));
    for (let times = timesOf(period, calendar); times.settlesAt <= now; times = timesOf(period, calendar)) {
      const { startsAt, endsAt } = times;
      const { endDay } = period;
      const isWithin = ({ at }: { readonly at: number }) => startsAt <= at && at < endsAt;
      const voters = members.flatMap(({ userId, roles, earlier, votes, entries }) => {
        const count = votes.filter(isWithin).length;
        if (count === 0) return [];
        const streak = () => {
          const days = [...earlier, ...votes].map(({ listing, at }) => ({
            listing: listing ?? '',
            day: calendar.dayAt(at),
          }));
          const before = days.filter(({ day: of }) => of < endDay);
          const history = rebuildHistory(before, null, outageDays, { streaks: 0, bonusDays: [] });
          return streakBefore(history, endDay, { forgive: rewards.streak?.forgive ?? 0, outageDays }) ?? 0;
        };
        return [{ userId, roles, votes: count, credits: creditsOf(entries.filter(isWithin)), streak }];
      });
      credits += pay(rewards, per, voters);
      period = periodOf(per, endDay);
    }
  }
  return credits;
}

/** Times of the votes that reached goals, by their ids. @param times of all votes, in any order (ms since the epoch) */
function reachedGoals(
  times: readonly number[],
  goalAt: (at: number) => CommonGoal | null | undefined,
): ReplayContext['goals'] {
  const counts = new Map<string, number>();
  const reached = new Map<string, number>();
  for (const at of times.toSorted((one, other) => one - other)) {
    const goal = goalAt(at);
    if (!goal) continue;
    const count = (counts.get(goal.id) ?? 0) + 1;
    counts.set(goal.id, count);
    if (count === goal.votes) reached.set(goal.id, at);
  }
  return reached;
}

/** The first vote that decides what is paid since then (ms): of the day, or of the period of a goal, milestone or prize. */
function firstNeeded(listing: ReplayListing, since: number, { goalAt, periodEnds }: ReplayHooks): number {
  const { calendar, rewards } = listing;
  const day = calendar.dayAt(since);
  const ofMilestones = rewards.milestones.flatMap(({ repeats }) =>
    repeats === 'once' || repeats === 'every' ? [] : periodDays(repeats, day)[0],
  );
  const lastUnsettled = calendar.dayAt(since - settlementDelayMs);
  const settled = periodEnds.flatMap(({ periods }) => periods(rewards).map((per) => periodDays(per, lastUnsettled)[0]));
  return calendar.startOf(Math.min(goalAt?.(listing, since)?.firstDay ?? day, ...ofMilestones, ...settled));
}

export interface PastEvents {
  readonly votes: readonly PastVote[];
  readonly premiums: readonly Omit<PastVote, 'isDenied'>[];
}

export function pastEventsOf(entries: readonly MemberEntry[]): PastEvents {
  const toEvent = (entry: MemberEntry) => ({ listing: entry.listing, at: entry.at, awarded: awardedIn(entry) });
  return {
    votes: entries
      .filter(({ cause }) => isCountedVote(cause))
      .map((entry) => ({ ...toEvent(entry), isDenied: entry.cause === 'denied' })),
    premiums: entries.filter(({ cause }) => cause === 'premium').map(toEvent),
  };
}

/** Entries that a member would have been paid. @param earlier as of {@link replayVotes} */
export function simulateEntries(
  userId: string,
  { votes, premiums }: PastEvents,
  context: ReplayContext,
  earlier: VoteHistory,
): readonly EarnedEntry[] {
  const premiumEntries = premiums.map(({ listing, at, awarded }) => {
    return { credits: awarded ?? context.listingOf(listing).rewards.base.perPremium, at };
  });
  return [...replayVotes(userId, votes, context, earlier), ...premiumEntries];
}

/** The credits that a delivery contained, or what was paid if its body was pruned; null if there were none. */
function awardedIn({ body, family, credits }: Pick<MemberEntry, 'body' | 'family' | 'credits'>): number | null {
  if (body === null || family === null) return null;
  if (body === '') return credits;
  const payload = readStoredPayload({ body, family }, Number.MAX_SAFE_INTEGER, 'server_vote');
  if (payload.type !== 'event') return null;
  const { creditsAwarded } = payload.event;
  return typeof creditsAwarded === 'number' ? creditsAwarded : null;
}

export const reads = { simulateCredits };

export const writes = {};
