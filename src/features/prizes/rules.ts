import { addedValue } from '../../core/added-value.ts';
import { type CommunityId, isPseudonym } from '../../core/ledger/account.ts';
import type { LeaderboardScore } from '../../core/ledger/standing.ts';
import { formatPeriod } from '../../core/rewards/calendar.ts';
import type { PeriodEnd } from '../../core/rewards/replay-votes.ts';
import type { RewardEntry } from '../../core/rewards/reward.ts';
import type { Period } from '../../core/rewards/rules.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { hiddenRolesOf } from '../guards/feature.ts';

/** The board of which the members with the best places win: the votes, credits or streaks of a calendar period. */
export interface PrizeBoard {
  readonly per: Period;
  /** A streak is the one with which the period ends. */
  readonly by: LeaderboardScore;
}

/** The prize of each member on the places `from` to `to`. */
export interface PlacePrize {
  /** Counted from 1. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly credits: number;
  /** Discord ID of a role that is held until the next settlement; null for none. */
  readonly role: string | null;
}

/** The prizes of a board. */
export interface PrizeRules extends PrizeBoard {
  /** The prizes of the places, which do not overlap. */
  readonly places: readonly PlacePrize[];
  /** Counted votes of the period without which a member has no place; at least 1. */
  readonly minVotes: number;
}

/** The prizes of a community, of which each board has at most one: of the rules of its listings. */
export const prizeRules = addedValue<readonly PrizeRules[]>('prizes', []);
/** True if announcements say who has won. */
export const prizesAnnounced = addedValue('prizes', false);

/** The prizes that the listings of a community share. */
export function prizesOf(listings: readonly Pick<ListingContext, 'rewards'>[]): readonly PrizeRules[] {
  return prizeRules.in(listings[0]?.rewards ?? {});
}

/** A member at the end of a period. */
export interface Candidate {
  readonly userId: string;
  /** Votes, credits or days. */
  readonly score: number;
  /** Counted votes of the period. */
  readonly votes: number;
}

/** A member with a place that wins something. */
export interface Winner {
  readonly userId: string;
  /** Counted from 1. */
  readonly place: number;
  readonly score: number;
  readonly credits: number;
  readonly role: string | null;
}

/**
 * The members who win, best places first. Equal scores share the better place, and the places below are skipped
 * (1, 2, 2, 4): so all who share the last place of a range win, however many they are.
 * @param candidates all members, in any order; those without a score, and those who were forgotten, have no place
 */
export function winnersOf(
  candidates: readonly Candidate[],
  { places, minVotes }: Pick<PrizeRules, 'places' | 'minVotes'>,
): readonly Winner[] {
  const ranked = candidates
    .filter((each) => each.score > 0 && each.votes >= minVotes && !isPseudonym(each.userId))
    .sort((one, other) => other.score - one.score || byAge(one.userId, other.userId));
  const lastPlace = Math.max(...places.map(({ to }) => to));
  const winners: Winner[] = [];
  let place = 0;
  let scoreOfPlace = Number.POSITIVE_INFINITY;
  for (const [index, { userId, score }] of ranked.entries()) {
    if (score < scoreOfPlace) {
      place = index + 1;
      scoreOfPlace = score;
    }
    if (place > lastPlace) break;
    const prize = places.find(({ from, to }) => from <= place && place <= to);
    if (prize !== undefined) winners.push({ userId, place, score, credits: prize.credits, role: prize.role });
  }
  return winners;
}

/** Orders two Discord accounts by age: the older one has the lesser id. */
function byAge(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** The board of one calendar period of a community, which is settled once ever. */
export interface Settlement extends PrizeBoard {
  readonly communityId: CommunityId;
  /** The first day of the period (day number). */
  readonly firstDay: number;
}

/** Names a board within its community: `month votes`. */
export function boardName({ per, by }: PrizeBoard): string {
  return `${per} ${by}`;
}

/** The source of the roles that winners of a board hold. */
export function prizeSource(board: PrizeBoard): string {
  return `prize ${boardName(board)}`;
}

/** The entry of a winner; null if only a role is won. */
export function prizeEntry({ place, credits }: Winner, { per, by, firstDay }: Settlement): RewardEntry | null {
  if (credits === 0) return null;
  const reason = `place ${place} by ${by}, ${formatPeriod(per, firstDay)}`;
  return { cause: 'prize', credits, reason, achievement: `prize ${by} ${formatPeriod(per, firstDay)}` };
}

/** Credits that the rules pay at the end of past periods. */
export const periodEnd: PeriodEnd = {
  periods: (rewards) => prizeRules.in(rewards).map(({ per }) => per),
  pay(rewards, period, members) {
    const hidden = hiddenRolesOf([{ rewards }]);
    const shown = members.filter(({ roles }) => !hidden.some((role) => roles.has(role)));
    const boards = prizeRules.in(rewards).filter(({ per }) => per === period);
    return boards.reduce((sum, rules) => {
      const { by } = rules;
      const scored = shown.map((each) => ({ ...each, score: by === 'streak' ? each.streak() : each[by] }));
      return sum + winnersOf(scored, rules).reduce((won, { credits }) => won + credits, 0);
    }, 0);
  },
};
