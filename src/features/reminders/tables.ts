import type { Sql } from '../../core/store/sql-module.ts';
import type { StopReason } from './reminder.ts';

export interface ReminderTables {
  /** When members are to be reminded of a vote; `leased_until` is null if no process is checking it. */
  reminders: { user_id: string; listing: string; due_at: number; leased_until: number | null };
  /** Whose reminders the program has switched off, and 1 if the member was informed of it. */
  reminder_stops: { user_id: string; reason: StopReason; at: number; told: number };
}

/** The database with the tables of this feature. */
export type ReminderSql = Sql<ReminderTables>;
