import { day as dayMs } from '@tallyhook/platform/durations';
import { addedValue } from '../../core/added-value.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import { formatDay, formatMonth, formatWeek, monthOf, weekOf } from '../../core/rewards/calendar.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import type { RewardEntry } from '../../core/rewards/reward.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';

/** A goal that all voters of a community reach together. */
export interface PartyRules {
  /** Counted votes in one period, at least 1. */
  readonly goal: number;
  /** The calendar period after which the count starts at 0 again. */
  readonly per: 'day' | 'week' | 'month';
  /** For each voter of the period. */
  readonly credits: number;
}

/** The goal of a listing, null for none: of its rules. */
export const partyRules = addedValue<PartyRules | null>('party', null);
/** Whether its progress is shown, and that it was reached: of what is announced of a listing. */
export const partyAnnounced = addedValue('party', false);

/** A calendar period of a community, in day numbers. */
export interface PartyPeriod {
  /** `day 2026-01-07`, `week 2026-W02` or `month 2026-01`. */
  readonly id: string;
  readonly firstDay: number;
  /** The first day after it. */
  readonly endDay: number;
}

/** The progress of a community in one period. */
export interface PartyProgress {
  /** Counted votes of the period, by their own time. */
  readonly votes: number;
  /** Time of the vote that reached the goal (ms since the epoch); null before. */
  readonly reachedAt: number | null;
}

/** Who is paid after a vote: every voter of the period recorded so far, this voter only, or nobody. */
export type PartyPayees = 'all_voters' | 'this_voter' | 'nobody';

export const noPartyProgress: PartyProgress = { votes: 0, reachedAt: null };

/** The period of a calendar day. */
export function partyPeriod(per: PartyRules['per'], day: number): PartyPeriod {
  switch (per) {
    case 'day':
      return { id: `day ${formatDay(day)}`, firstDay: day, endDay: day + 1 };
    case 'week':
      return { id: `week ${formatWeek(day)}`, firstDay: weekOf(day), endDay: weekOf(day) + 7 };
    case 'month':
      // Day 31 after the first is always in the next month.
      return { id: `month ${formatMonth(day)}`, firstDay: monthOf(day), endDay: monthOf(monthOf(day) + 31) };
  }
}

/** The first and the last day of the period with this id, or of the party with this key. */
export function daysOfPeriod(id: string): readonly [first: number, last: number] {
  const [, per, year, week, month = '1', date = '1'] =
    /\b(day|week|month) (\d+)-(?:W(\d+)|(\d+)(?:-(\d+))?)$/.exec(id) ?? [];
  const isWeek = week !== undefined;
  // January 4th is always in the first week.
  const day =
    Date.UTC(Number(year), Number(month) - 1, isWeek ? 4 : Number(date)) / dayMs + 7 * (Number(week ?? 1) - 1);
  const { firstDay, endDay } = partyPeriod(isWeek ? 'week' : per === 'month' ? per : 'day', day);
  return [firstDay, endDay - 1];
}

/**
 * The progress after a counted vote, and who is paid for it. The vote that reaches the goal is the first to be recorded
 * with enough others; it pays everyone who has a counted vote in the period by then. A vote that is recorded later, but
 * was cast before that one, pays its voter. {@link partyEntry} is paid once per account and period, so that this may
 * name a voter who was paid.
 *
 * @param voteAt time of the vote (ms since the epoch)
 */
export function addPartyVote(
  { votes, reachedAt }: PartyProgress,
  { goal }: Pick<PartyRules, 'goal'>,
  voteAt: number,
): { readonly progress: PartyProgress; readonly payees: PartyPayees } {
  const total = votes + 1;
  if (reachedAt !== null) {
    return { progress: { votes: total, reachedAt }, payees: voteAt <= reachedAt ? 'this_voter' : 'nobody' };
  }
  if (total < goal) return { progress: { votes: total, reachedAt }, payees: 'nobody' };
  return { progress: { votes: total, reachedAt: voteAt }, payees: 'all_voters' };
}

/** The entry of each voter who is paid, in the period with this id. */
export function partyEntry({ credits, goal }: Omit<PartyRules, 'per'>, period: string): RewardEntry {
  return { cause: 'party', credits, reason: `${goal} votes, ${period}`, achievement: `party ${period}` };
}

/** The key of a community's party in the period with this id. */
export function partyKey(communityId: CommunityId, period: string): string {
  return `${communityId} ${period}`;
}

/** The community and the id of the period of a party. */
export function partyOf(key: string): { readonly communityId: CommunityId; readonly period: string } {
  const end = key.indexOf(' ');
  return { communityId: Number(key.slice(0, end)) as CommunityId, period: key.slice(end + 1) };
}

/** The key of the party that a vote at this time (ms since the epoch) belongs to; null without a party. */
export function partyPeriodAt({ rewards, community }: ListingContext, at: number): string | null {
  const party = partyRules.in(rewards);
  return party ? partyKey(community.id, partyPeriod(party.per, calendarOf(community).dayAt(at)).id) : null;
}

/** The party of a past vote, as a goal. Its id is that of its period. */
export const goalAt: NonNullable<ReplayContext['goalAt']> = ({ rewards, calendar }, at) => {
  const party = partyRules.in(rewards);
  if (!party) return null;
  const { id, firstDay } = partyPeriod(party.per, calendar.dayAt(at));
  return { id, firstDay, votes: party.goal, credits: party.credits };
};
