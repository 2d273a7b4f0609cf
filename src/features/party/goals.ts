import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import { partyPeriod, partyRules } from './rules.ts';

/** The party of a past vote, as a goal. Its id is that of its period. */
export const goalAt: NonNullable<ReplayContext['goalAt']> = ({ rewards, calendar }, at) => {
  const party = partyRules.in(rewards);
  if (!party) return null;
  const { id, firstDay } = partyPeriod(party.per, calendar.dayAt(at));
  return { id, firstDay, votes: party.goal, credits: party.credits };
};
