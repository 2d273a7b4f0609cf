import { maxSameVoteGapMs, type RewardRules, toleranceMs, untimedRepeatWindowMs } from '../../core/rewards/reward.ts';
import type { PastVote } from '../../core/tally/tally.ts';
import type { VoteAtSite } from '../../lookup/sites/site-client.ts';
import type { WaitingVote } from './tables.ts';

/** A counted vote of the ledger for the same target. */
export type RecordedVote = Pick<PastVote, 'at' | 'untimed' | 'deliveryId'>;

/** What an answer of the site means for one vote. `unknown`: why it is no answer about this vote. */
export type Judgement = 'yes' | 'no' | { readonly unknown: string };

/** What a vote is judged by. */
export interface Evidence {
  readonly answer: Pick<VoteAtSite, 'voted' | 'times' | 'since'>;
  /** The counted votes around it and since. */
  readonly recorded: readonly RecordedVote[];
  /** The votes of the member that wait, too. */
  readonly others: readonly WaitingVote[];
  readonly rules: RewardRules;
}

/**
 * Judges a vote by its own time, because each vote at the site confirms one delivery only: a delivery that may be forged is
 * not paid because the member has voted before or after it. Without times, "yes" confirms a vote if no other one, recorded or
 * waiting, can be the one that the site means.
 */
export function judge(vote: WaitingVote, evidence: Evidence): Judgement {
  const { answer, rules } = evidence;
  const { voted, times, since } = answer;
  const mine = times.filter((at) => mayBe(vote, at, rules) && !isTaken(at, evidence));
  if (mine.some((at) => isClosest(vote, at, evidence))) return 'yes';
  if (mine.length > 0) return { unknown: 'another delivery of the member is closer to the vote' };
  if (voted && times.length === 0) return judgeWithoutTimes(vote, evidence);
  const { from, until } = possibleTimes(vote, rules);
  if (times.some((at) => at > until)) return { unknown: 'the site tells of a later vote' };
  return since <= from ? 'no' : tooOld;
}

/** Whether recording the vote pays nothing, whatever its site says: the ledger has it. */
export function isRecorded(vote: WaitingVote, { recorded, rules }: Pick<Evidence, 'recorded' | 'rules'>): boolean {
  return recorded.some(({ at, deliveryId }) => {
    if (vote.at === null) return Math.abs(at - vote.receivedAt) < untimedRepeatWindowMs(rules);
    return deliveryId === null && Math.abs(at - vote.at) <= maxSameVoteGapMs(rules);
  });
}

/** Whether a vote at the site may be the one that one of the recorded or waiting deliveries is about. */
function mayBe(vote: WaitingVote, at: number, rules: RewardRules): boolean {
  if (vote.at !== null) return Math.abs(vote.at - at) <= toleranceMs;
  // The delivery may be late, but never by as much as the next vote is.
  return at <= vote.receivedAt + toleranceMs && at > vote.receivedAt - untimedRepeatWindowMs(rules);
}

/** Whether a vote at the site is one that was paid already. */
function isTaken(at: number, { recorded, rules }: Pick<Evidence, 'recorded' | 'rules'>): boolean {
  return recorded.some((each) =>
    mayBe({ deliveryId: 0, at: each.untimed ? null : each.at, receivedAt: each.at, keys: [] }, at, rules),
  );
}

/** Of several deliveries that may be about one vote, the closest one is, so that it is paid once. */
function isClosest(vote: WaitingVote, at: number, { others, rules }: Evidence): boolean {
  const distance = (each: WaitingVote) => Math.abs(timeOf(each) - at);
  return others
    .filter((other) => mayBe(other, at, rules))
    .every((other) => {
      const difference = distance(other) - distance(vote);
      return difference > 0 || (difference === 0 && other.deliveryId > vote.deliveryId);
    });
}

/** The site says only that there is a vote since a time: when the others count no more, it can mean this one alone. */
function judgeWithoutTimes(vote: WaitingVote, { answer: { since }, recorded, others }: Evidence): Judgement {
  if (timeOf(vote) < since) return tooOld;
  const isOnlyOne = [...recorded.map(({ at }) => at), ...others.map(timeOf)].every((at) => at < since);
  return isOnlyOne ? 'yes' : { unknown: 'the site may mean another vote of the member' };
}

const tooOld: Judgement = { unknown: 'the vote may be too old for the site' };

/** The earliest time at which the member may have voted, by the clock of the site (ms since the epoch). */
export function earliestTimeOf(vote: WaitingVote, rules: RewardRules): number {
  return possibleTimes(vote, rules).from;
}

function possibleTimes({ at, receivedAt }: WaitingVote, { site }: RewardRules) {
  const [first, last] = at === null ? [receivedAt - (site?.retryHorizonMs ?? 0), receivedAt] : [at, at];
  return { from: first - toleranceMs, until: last + toleranceMs };
}

/** The time of a vote; without one, that of its receipt. */
export function timeOf({ at, receivedAt }: WaitingVote): number {
  return at ?? receivedAt;
}
