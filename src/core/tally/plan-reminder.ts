import { lastVoteIn } from '../ledger/account.ts';
import type { AccountState } from './account-state.ts';
import { namesOfTarget } from './community.ts';
import type { ListingContext, Tally } from './tally.ts';

/**
 * Plans the reminder of the next vote, for a counted vote at this time (ms since the epoch). A vote that is delivered
 * after a later one changes nothing: the reminder of the later one may have been sent already.
 *
 * @param account before the vote
 */
export function planReminder(
  tally: Tally,
  account: AccountState,
  { name, rewards, community }: ListingContext,
  at: number,
): void {
  const { userId, lastVotes, isReminded } = account;
  const names = namesOfTarget(community, name);
  const last = lastVoteIn(lastVotes, names);
  if (!isReminded || (last !== null && last >= at)) return;
  tally.saveReminder({ userId, listing: names[0] ?? name, dueAt: at + rewards.base.cooldownMs });
}
