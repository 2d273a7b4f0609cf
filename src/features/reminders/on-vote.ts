import { lastVoteIn } from '../../core/ledger/account.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { CountedVote } from '../../core/tally/recorded-event.ts';
import type { Tally } from '../../core/tally/tally.ts';

/**
 * Plans the reminder of the next vote. A vote that is delivered after a later one changes nothing: the reminder of the
 * later one may have been sent already.
 */
export function planReminder(tally: Tally, { account, listing, at }: CountedVote): void {
  const { name, rewards, community } = listing;
  const { userId, lastVotes } = account;
  const names = namesOfTarget(community, name);
  const last = lastVoteIn(lastVotes, names);
  if (last !== null && last >= at) return;
  tally.saveReminder({ userId, listing: names[0] ?? name, dueAt: at + rewards.base.cooldownMs });
}
