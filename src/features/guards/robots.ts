import { minute } from '@tallyhook/platform/durations';
import type { FrequentVoters, VoteTimes } from './store.ts';

/** An account is compared with a clock by so many of its newest votes for one listing. */
export const minVotes = 14;
/** A person's intervals differ by more (ms). */
const maxSpreadMs = minute;

/** An account that votes like a clock. Intervals in ms. */
export interface Robot {
  readonly userId: string;
  readonly listing: string;
  readonly votes: number;
  readonly shortest: number;
  readonly longest: number;
}

/**
 * The accounts whose 13 intervals between their newest 14 votes for a listing differ by less than a minute: the longest from
 * the shortest. Only the newest count, so that an account that has become a robot is found, and one that was is not.
 */
export function findRobots({ votes }: Pick<FrequentVoters, 'votes'>): readonly Robot[] {
  return votes.flatMap((each) => robotIn(each) ?? []);
}

function robotIn({ userId, listing, times }: VoteTimes): Robot | null {
  if (times.length < minVotes) return null;
  const newest = times.slice(-minVotes);
  const intervals = newest.slice(1).map((at, index) => at - (newest[index] ?? at));
  const [shortest, longest] = [Math.min(...intervals), Math.max(...intervals)];
  return longest - shortest < maxSpreadMs ? { userId, listing, votes: times.length, shortest, longest } : null;
}
