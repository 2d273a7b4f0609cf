import { addVote, type VoteHistory } from './history.ts';
import type { StreakRules } from './rules.ts';
import { completeSteps } from './streak-steps.ts';

/**
 * Adds a counted vote that earns nothing, such as one from another program. Steps of streaks that are complete with it
 * count as paid.
 */
export function addPastVote(
  history: VoteHistory,
  { listing, day }: { readonly listing: string; readonly day: number },
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
): VoteHistory {
  const counted = addVote(history, listing, day, outageDays);
  if (rules === null) return counted;
  const paidSteps = Math.max(counted.streak.paidSteps, completeSteps(counted, rules, outageDays).steps);
  return { ...counted, streak: { ...counted.streak, paidSteps } };
}
