import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { hour } from '../../../platform/durations.ts';
import type { ReminderSummary } from '../../records/reward-records.ts';
import type { StopReason } from '../../tally/reminder.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Members that one query counts: a few ms, in which SQLite blocks this thread. */
const membersPerQuery = 10_000;
const soonMs = hour;

/**
 * How many members wait for a reminder, how many reminders are due soon, and whose were switched off because direct
 * messages are closed. Does not read the accounts, which have no index of reminders. @param now ms since the epoch
 */
export async function summarizeReminders(
  db: Kysely<Tables>,
  reading: Connection,
  now: number,
): Promise<ReminderSummary> {
  const count = db.fn.countAll<number>().as('count');
  const soon = db
    .selectFrom('reminders')
    .select(count)
    .where('due_at', '<=', now + soonMs);
  const reason: StopReason = 'direct_messages_closed';
  const closed = db.selectFrom('reminder_stops').select(count).where('reason', '=', literal(reason));
  const [dueSoon] = await run(reading, soon);
  const [stopped] = await run(reading, closed);
  return {
    scheduled: await countScheduled(db, reading),
    dueSoon: dueSoon?.count ?? 0,
    stopped: stopped?.count ?? 0,
  };
}

/** Members with a reminder for at least one listing. */
async function countScheduled(db: Kysely<Tables>, reading: Connection): Promise<number> {
  let scheduled = 0;
  let last: string | null = '';
  while (last !== null) {
    const members = db
      .selectFrom('reminders')
      .select('user_id')
      .distinct()
      .where('user_id', '>', last)
      .orderBy('user_id')
      .limit(membersPerQuery);
    const page: readonly { count: number; last: string | null }[] = await run(
      reading,
      db
        .selectFrom(members.as('members'))
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<string | null>('members.user_id').as('last')]),
    );
    scheduled += page[0]?.count ?? 0;
    last = page[0]?.count === membersPerQuery ? page[0].last : null;
    await nextTurn();
  }
  return scheduled;
}
