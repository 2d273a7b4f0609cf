import { setImmediate as nextTurn } from 'node:timers/promises';
import { hour } from '@tallyhook/platform/durations';
import { literal, run } from '../../core/store/query-builder.ts';
import type { StopReason } from './reminder.ts';
import type { ReminderSql } from './tables.ts';

/** Members that one query counts: a few ms, in which SQLite blocks this thread. */
const membersPerQuery = 10_000;
const soonMs = hour;

/**
 * How many members wait for a reminder, how many reminders are due soon, and whose were switched off because direct
 * messages are closed. Does not read the accounts, which have no index of reminders. @param now ms since the epoch
 */
export async function summarizeReminders(sql: ReminderSql, now: number) {
  const { db, connection } = sql;
  const count = db.fn.countAll<number>().as('count');
  const soon = db
    .selectFrom('reminders')
    .select(count)
    .where('due_at', '<=', now + soonMs);
  const reason: StopReason = 'direct_messages_closed';
  const closed = db.selectFrom('reminder_stops').select(count).where('reason', '=', literal(reason));
  const [dueSoon] = await run(connection, soon);
  const [stopped] = await run(connection, closed);
  return { scheduled: await countScheduled(sql), dueSoon: dueSoon?.count ?? 0, stopped: stopped?.count ?? 0 };
}

/** Members with a reminder for at least one listing: not those who have not voted since their last one. */
async function countScheduled({ db, connection }: ReminderSql): Promise<number> {
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
      connection,
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
