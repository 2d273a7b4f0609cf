import type { Feature } from '../../core/feature.ts';
import { lastVoteIn } from '../../core/ledger/account.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import * as sql from './store.ts';
import { plannedReminder, type ReminderTables, reminderMessage } from './store.ts';

export const reminders = {
  sql,
  tables: {
    reminder_stops: deletedRows<ReminderTables>('reminder_stops'),
    reminder_choices: deletedRows<ReminderTables>('reminder_choices'),
  },
  deleteOfGuild: deleteRowsByKey<Pick<ReminderTables, 'reminder_choices'>>('reminder_choices', 'community_id', [
    'user_id',
    'community_id',
  ]),
  directMessages: [reminderMessage],
  onVote: { of: { mark: 'reminder' }, call: planReminder },
} satisfies Feature<ReminderTables>;

/**
 * Plans the reminder of the next vote. A vote that is delivered after a later one changes nothing: the reminder of the
 * later one may have been sent already.
 */
function planReminder(tally: Tally, { account, listing, at, nextVoteAt, now }: CountedVote): void {
  const { name, rewards, community } = listing;
  const { userId, lastVotes } = account;
  const names = namesOfTarget(community, name);
  const last = lastVoteIn(lastVotes, names);
  if (last !== null && last >= at) return;
  const dueAt = nextVoteAt ?? at + rewards.base.cooldownMs;
  tally.enqueue(plannedReminder({ userId, listing: names[0] ?? name, dueAt }, community.id, now));
}
