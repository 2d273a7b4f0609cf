import type { Sql } from '../../core/store/sql-module.ts';
import type { Rate } from './rate.ts';

export interface RateAlarmTables {
  /** The rates of listings whose votes can be forged. */
  rate_alarms: { listing: string } & Rate;
}

/** The database with the tables of this feature. */
export type RateAlarmSql = Sql<RateAlarmTables>;
