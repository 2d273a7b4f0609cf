import { decideVote, type VoteContext } from '../../../src/core/rewards/decide-vote.ts';
import { emptyHistory, type VoteHistory } from '../../../src/core/rewards/history.ts';
import type { Grant, RewardEntry } from '../../../src/core/rewards/reward.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { vote, voteContext } from './rewards-fixture.ts';

const day = 86_400_000;

/** A vote with the parts of its context that differ. */
export type CastVote = Partial<VoteContext> & { readonly event?: Vote };

/** Decides votes in the given order. */
export function decideAll(votes: readonly CastVote[], start: VoteHistory = emptyHistory) {
  let history = start;
  const entries: RewardEntry[] = [];
  const grants: Grant[] = [];
  for (const { event = vote, ...context } of votes) {
    const decision = decideVote(history, event, voteContext(context));
    // As the store does.
    history = JSON.parse(JSON.stringify(decision.history));
    entries.push(...decision.entries);
    grants.push(...decision.grants);
  }
  const total = entries.reduce((sum, { credits }) => sum + credits, 0);
  return { history, entries, grants, total };
}

/** One vote on each of the following days at noon, starting with Wednesday 2026-01-07. */
export function daily(days: number, context: CastVote = {}): CastVote[] {
  return Array.from({ length: days }, (_, index) => ({ ...context, at: voteContext().at + index * day }));
}

/** The entries apart from those of the votes themselves. */
export function extras(entries: readonly RewardEntry[]) {
  return entries.filter(({ cause }) => cause !== 'vote' && cause !== 'denied');
}
