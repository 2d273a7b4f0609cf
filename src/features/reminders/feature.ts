import type { Feature } from '../../core/feature.ts';
import { lastVoteIn } from '../../core/ledger/account.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import { reminderMessage } from './effects.ts';
import * as sql from './store.ts';
import type { ReminderTables } from './tables.ts';

const table = hotTable<ReminderTables>()({
  name: 'reminders',
  key: ['user_id', 'listing'],
  columns: { user_id: 'text', listing: 'text', due_at: 'bigint', leased_until: 'bigint' },
});

export const reminders = {
  sql,
  tables: {
    reminders: deletedRows<ReminderTables>('reminders'),
    reminder_stops: deletedRows<ReminderTables>('reminder_stops'),
  },
  directMessages: [reminderMessage],
  deleteOfGuild: deleteRowsByKey<ReminderTables>('reminders', 'listing', ['user_id', 'listing']),
  onVote: { of: { mark: 'reminder' }, call: planReminder },
  onTimeCorrected: sql.moveReminder,
} satisfies Feature<ReminderTables>;

/**
 * Plans the reminder of the next vote. A vote that is delivered after a later one changes nothing: the reminder of the
 * later one may have been sent already.
 */
function planReminder(tally: Tally, { account, listing, at, nextVoteAt }: CountedVote): void {
  const { name, rewards, community } = listing;
  const { userId, lastVotes } = account;
  const names = namesOfTarget(community, name);
  const last = lastVoteIn(lastVotes, names);
  if (last !== null && last >= at) return;
  const dueAt = nextVoteAt ?? at + rewards.base.cooldownMs;
  tally.saveRow(table, { user_id: userId, listing: names[0] ?? name, due_at: dueAt, leased_until: null });
}
