import type { MemberTables } from '../../core/store/member-data/member-table.ts';
import { run } from '../../core/store/query-builder.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { EndedGuild, Sql } from '../../core/store/sql-module.ts';
import { noRate, type Rate } from './rate.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /** The rates of listings whose votes can be forged. */
    rate_alarms: { listing: string } & Rate;
  }
}

export const rateAlarms = hotTable({
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
  },
  initial: { ...noRate, state: null },
});

export const tables = { rate_alarms: { withoutMembers: 'Votes per hour.' } } satisfies Partial<MemberTables>;

/** Of a community that has ended. */
export async function deleteRates({ db, connection }: Sql, { listings }: EndedGuild): Promise<boolean> {
  if (listings.length > 0) await run(connection, db.deleteFrom('rate_alarms').where('listing', 'in', listings));
  return false;
}
