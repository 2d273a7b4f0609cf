import { day as dayMs, hour, second } from '@tallyhook/platform/durations';
import type { Generated, Selectable } from 'kysely';
import { addedValue } from '../../core/added-value.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import { type EffectKind, fieldsFormat, type PlanKey, planKey } from '../../core/outbox/effect-kind.ts';
import { formatDay, formatPeriod, periodDays } from '../../core/rewards/calendar.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import type { RewardEntry } from '../../core/rewards/reward.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';

export interface PartyRules {
  /** Counted votes in one period, at least 1. */
  readonly goal: number;
  /** The calendar period after which the count starts at 0 again. */
  readonly per: 'day' | 'week' | 'month';
  readonly credits: number;
}

/** The goal of a listing, null for none: of its rules. */
export const partyRules = addedValue<PartyRules | null>('party', null);
/** True if announcements show its progress, and that it was reached. */
export const partyAnnounced = addedValue('party', false);

export interface PartyPeriod {
  /** `day 2026-01-07`, `week 2026-W02` or `month 2026-01`. */
  readonly id: string;
  readonly firstDay: number;
  readonly endDay: number;
}

export interface PartyProgress {
  /** Counted votes of the period, by their own time. */
  readonly votes: number;
  /** Time of the vote that reached the goal (ms since the epoch); null before. */
  readonly reachedAt: number | null;
}

/** Who is paid after a vote: every voter of the period recorded so far, this voter only, or nobody. */
type PartyPayees = 'all_voters' | 'this_voter' | 'nobody';

export const noPartyProgress: PartyProgress = { votes: 0, reachedAt: null };

export function partyPeriod(per: PartyRules['per'], day: number): PartyPeriod {
  if (per === 'day') return { id: `day ${formatDay(day)}`, firstDay: day, endDay: day + 1 };
  const [firstDay, endDay] = periodDays(per, day);
  return { id: formatPeriod(per, day), firstDay, endDay };
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

export function partyEntry({ credits, goal }: Omit<PartyRules, 'per'>, period: string): RewardEntry {
  return { cause: 'party', credits, reason: `${goal} votes, ${period}`, achievement: `party ${period}` };
}

export function partyKey(communityId: CommunityId, period: string): string {
  return `${communityId} ${period}`;
}

export function partyOf(key: string): { readonly communityId: CommunityId; readonly period: string } {
  const end = key.indexOf(' ');
  return { communityId: Number(key.slice(0, end)) as CommunityId, period: key.slice(end + 1) };
}

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

/** Pays a reached goal to everyone who voted in the period. */
export interface PartyReward {
  /** The key of the party: of the community and its period. */
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits), as they were when the goal was reached. */
  readonly goal: number;
  readonly credits: number;
  /** The calendar day of the vote that reached the goal (day number). */
  readonly day: number;
}

/** Updates the message with the progress towards the goal of a period. */
export interface PartyPanel {
  readonly channelId: string;
  readonly period: string;
}

/** Announces that the goal of a period was reached. */
export interface PartyReached {
  readonly channelId: string;
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits). */
  readonly goal: number;
  readonly credits: number;
}

export const partyRewardKind: EffectKind<'partyReward', PartyReward> = {
  kind: 'partyReward',
  ...fieldsFormat<PartyReward>({ period: ['string'], goal: ['number'], credits: ['number'], day: ['number'] }),
};

export const partyPanelKind: EffectKind<'partyPanel', PartyPanel> = {
  kind: 'partyPanel',
  ...fieldsFormat<PartyPanel>({ channelId: ['string'], period: ['string'] }),
};

export const partyReachedKind: EffectKind<'partyReached', PartyReached> = {
  kind: 'partyReached',
  ...fieldsFormat<PartyReached>({ channelId: ['string'], period: ['string'], goal: ['number'], credits: ['number'] }),
};

/** `eligible`: paid once the goal is reached. `late`: voted only after it was reached. */
type PartyVoterState = 'eligible' | 'late' | 'paid';

export interface PartyTables {
  /** The progress of each party, by its key. */
  parties: {
    period: string;
    votes: number;
    reached_at: number | null;
    /** Where its panel is, or will be; null for nowhere, or after Discord has rejected it there. */
    panel_channel: string | null;
    /** The rules at the latest vote, and the end of the period; null without a panel. */
    panel_goal: number | null;
    panel_credits: number | null;
    panel_ends_at: number | null;
    /** When the waiting update of the panel is due; null if none is waiting. */
    panel_due_at: number | null;
    panel_updated_at: Generated<number>;
    /** The id of the message and of its channel; null before it was posted. */
    panel_message: string | null;
    panel_message_channel: string | null;
  };
  party_voters: { period: string; user_id: string; state: PartyVoterState };
}

export type PartySql = Sql<PartyTables>;

type PartyRow = Selectable<PartyTables['parties']>;

/** The panel of a party is edited at most this often (ms). */
export const panelIntervalMs = 10 * second;

export function panelKey(period: string): PlanKey {
  return planKey(partyOf(period).communityId, 'party panel', period);
}

/** The message that shows the progress of a party. Times are ms since the epoch. */
export interface PartyPanelState {
  /** Null after Discord has rejected it in its channel: the next vote selects one. */
  readonly channelId: string | null;
  /** The rules at the latest vote. */
  readonly goal: number;
  readonly credits: number;
  readonly endsAt: number;
  /** When the waiting update is due; null if none is waiting. */
  readonly dueAt: number | null;
  /** The latest update; 0 before the first. */
  readonly updatedAt: number;
}

export interface PartyState extends PartyProgress {
  /** Null until a listing with a channel for announcements has a vote. */
  readonly panel: PartyPanelState | null;
}

/** Longer than an update waits for a channel that Discord rejects (ms): one that was due before was given up. */
const maxWaitMs = dayMs + hour;

/**
 * True if an update is waiting that will show a vote of this moment. One that is due later than the interval was planned
 * before the clock was set back.
 */
export function isPanelWaiting({ dueAt }: Pick<PartyPanelState, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt <= now + panelIntervalMs && dueAt > now - maxWaitMs;
}

export const parties = hotTable<PartyTables>()({
  name: 'parties',
  key: ['period'],
  columns: {
    period: 'text',
    votes: 'bigint',
    reached_at: 'bigint',
    panel_channel: 'text',
    panel_goal: 'bigint',
    panel_credits: 'bigint',
    panel_ends_at: 'bigint',
    panel_due_at: 'bigint',
    panel_updated_at: 'bigint',
    panel_message: 'text',
    panel_message_channel: 'text',
  },
  initial: { votes: 0, panel_updated_at: 0 },
});

/** Who has voted in a period. A vote that was cast before the goal was reached, but arrives later, makes a voter eligible. */
export const partyVoters = hotTable<PartyTables>()({
  name: 'party_voters',
  key: ['period', 'user_id'],
  columns: { period: 'text', user_id: 'text', state: 'text' },
  replaces: { column: 'state', value: 'late' },
});

export function toPartyState(row: PartyRow): PartyState {
  const { votes, reached_at: reachedAt, panel_channel: channelId, panel_ends_at: endsAt } = row;
  if (endsAt === null) return { votes, reachedAt, panel: null };
  const { panel_goal: goal, panel_credits: credits, panel_due_at: dueAt, panel_updated_at: updatedAt } = row;
  const panel = { channelId, goal: goal ?? 0, credits: credits ?? 0, endsAt, dueAt, updatedAt };
  return { votes, reachedAt, panel };
}

export function withPartyState(row: PartyRow, { votes, reachedAt, panel }: PartyState): PartyRow {
  return {
    ...row,
    votes,
    reached_at: reachedAt,
    panel_channel: panel?.channelId ?? null,
    panel_goal: panel?.goal ?? null,
    panel_credits: panel?.credits ?? null,
    panel_ends_at: panel?.endsAt ?? null,
    panel_due_at: panel?.dueAt ?? null,
  };
}
