import type { Feature } from '../../core/feature.ts';
import { lastVoteIn } from '../../core/ledger/account.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import type { NextVoteTables } from './store.ts';
import * as sql from './store.ts';

export { lastVoteFor, nextVoteFor } from './store.ts';

const table = hotTable<NextVoteTables>()({
  name: 'next_votes',
  key: ['user_id', 'listing'],
  columns: { user_id: 'text', listing: 'text', voted_at: 'bigint', next_at: 'bigint' },
});

export const nextVotes = {
  sql,
  tables: { next_votes: deletedRows<NextVoteTables>('next_votes') },
  deleteOfGuild: deleteRowsByKey<NextVoteTables>('next_votes', 'listing', ['user_id', 'listing']),
  onVote: { of: { vote: 'nextVoteAt' }, call: storeNextVote },
} satisfies Feature<NextVoteTables>;

/** Stores what the delivery says of the next vote, unless the cooldown says so too, or a later vote was delivered before. */
function storeNextVote(tally: Tally, { account, listing: { name, rewards }, at, nextVoteAt }: CountedVote): void {
  if (nextVoteAt === null || nextVoteAt === at + rewards.base.cooldownMs) return;
  const last = lastVoteIn(account.lastVotes, name);
  if (last !== null && last >= at) return;
  tally.saveRow(table, { user_id: account.userId, listing: name, voted_at: at, next_at: nextVoteAt });
}
