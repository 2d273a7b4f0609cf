import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { writeUnpaid } from '../../core/tally/write-event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import * as sql from './store.ts';
import { addVote, isHeld, type RateAlarmTables, rateAlarmReport, rateAlarmRule } from './store.ts';

const table = hotTable<RateAlarmTables>()({
  name: 'rate_alarms',
  key: ['listing'],
  columns: {
    listing: 'text',
    hour: 'bigint',
    votes: 'bigint',
    usual: 'bigint',
    hours: 'bigint',
    state: 'text',
    held_at: 'bigint',
    expected_until: 'bigint',
    rejected_until: 'bigint',
  },
  initial: { hour: 0, votes: 0, usual: 0, hours: 0 },
});

export const rateAlarms = {
  sql,
  tables: { rate_alarms: { withoutMembers: 'Votes per hour.' } },
  ownerReports: [rateAlarmReport],
  deleteOfGuild: deleteRowsByKey<RateAlarmTables>('rate_alarms', 'listing', ['listing']),
  beforeVote: { of: { rule: rateAlarmRule }, reads: ({ listing }) => ({ table, key: listing.name }), call: holdVote },
} satisfies Feature<RateAlarmTables>;

/** Counts a vote, and holds it if there are too many: its delivery is quarantined until the owner decides. */
function holdVote(tally: Tally, { vote, listing, delivery, rowWriter }: UnrecordedVote): RecordedDelivery | null {
  if (rowWriter.isReleased) return null;
  const rate = tally.rowOf(table, listing.name);
  const counted = addVote(rate, delivery.receivedAt);
  if (counted !== rate) tally.saveRow(table, counted);
  if (!isHeld(counted)) return null;
  const { kind, userId } = vote;
  const reason = quarantineReasons.rateAlarm;
  return writeUnpaid({ ...delivery, listing: listing.name, kind, userId, outcome: 'quarantined', reason }, rowWriter);
}
