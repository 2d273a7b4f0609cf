import { lastVoteIn } from '../../core/ledger/account.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { CountedVote } from '../../core/tally/recorded-event.ts';
import type { Tally } from '../../core/tally/tally.ts';

const nextVotes = hotTable({
  name: 'next_votes',
  key: ['user_id', 'listing'],
  columns: { user_id: 'text', listing: 'text', voted_at: 'bigint', next_at: 'bigint' },
});

/** Stores what the delivery says of the next vote, unless the cooldown says so too, or a later vote was delivered before. */
export function storeNextVote(
  tally: Tally,
  { account, listing: { name, rewards }, at, nextVoteAt }: CountedVote,
): void {
  if (nextVoteAt === null || nextVoteAt === at + rewards.base.cooldownMs) return;
  const last = lastVoteIn(account.lastVotes, name);
  if (last !== null && last >= at) return;
  tally.saveRow(nextVotes, { user_id: account.userId, listing: name, voted_at: at, next_at: nextVoteAt });
}
