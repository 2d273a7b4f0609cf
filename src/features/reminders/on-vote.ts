import { lastVoteIn } from '../../core/ledger/account.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { CountedVote } from '../../core/tally/recorded-event.ts';
import type { Tally } from '../../core/tally/tally.ts';

const reminders = hotTable({
  name: 'reminders',
  key: ['user_id', 'listing'],
  columns: { user_id: 'text', listing: 'text', due_at: 'bigint', leased_until: 'bigint' },
});

/**
 * Plans the reminder of the next vote. A vote that is delivered after a later one changes nothing: the reminder of the
 * later one may have been sent already.
 */
export function planReminder(tally: Tally, { account, listing, at, nextVoteAt }: CountedVote): void {
  const { name, rewards, community } = listing;
  const { userId, lastVotes } = account;
  const names = namesOfTarget(community, name);
  const last = lastVoteIn(lastVotes, names);
  if (last !== null && last >= at) return;
  const dueAt = nextVoteAt ?? at + rewards.base.cooldownMs;
  tally.saveRow(reminders, { user_id: userId, listing: names[0] ?? name, due_at: dueAt, leased_until: null });
}
