import { monthOf, weekOf } from './calendar.ts';

/** The score of a member in one calendar period of the community. */
export interface PeriodScore {
  /** First day of the period (day number); 0 before the first vote. */
  readonly start: number;
  /** Counted votes, by their own time. */
  readonly votes: number;
  /** Credits that these votes and premium events earned, with all rewards. */
  readonly credits: number;
}

/** The scores of a member in the newest periods with a score, for the leaderboards of this week and this month. */
export interface PeriodScores {
  readonly week: PeriodScore;
  readonly month: PeriodScore;
}

const noScore: PeriodScore = { start: 0, votes: 0, credits: 0 };
export const noScores: PeriodScores = { week: noScore, month: noScore };

/**
 * The scores after an event. An event of an earlier period than the newest one changes nothing: only the current
 * periods have a leaderboard.
 * @param day the calendar day of the event (day number)
 */
export function addToScores({ week, month }: PeriodScores, day: number, votes: number, credits: number): PeriodScores {
  return { week: add(week, weekOf(day), votes, credits), month: add(month, monthOf(day), votes, credits) };
}

function add(score: PeriodScore, start: number, votes: number, credits: number): PeriodScore {
  if (start < score.start) return score;
  const { votes: earlierVotes, credits: earlierCredits } = start === score.start ? score : noScore;
  return { start, votes: earlierVotes + votes, credits: earlierCredits + credits };
}
