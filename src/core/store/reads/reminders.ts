import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { lastVoteIn } from '../../ledger/account.ts';
import { type AccountId, accountIdOf, memberOf } from '../../ledger/account-id.ts';
import type { ReminderStore } from '../../tally/reminder-store.ts';
import { parseLastVotes } from '../json-columns.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { selectDue, selectMisdated } from '../writes/reminders.ts';
import type { Write } from '../writes/writes.ts';

export function sqlReminders(db: Kysely<Tables>, reading: Connection, write: Write): ReminderStore {
  async function stateOf(accountId: AccountId) {
    const account = db.selectFrom('balances').select(['reminder', 'last_votes']).where('user_id', '=', accountId);
    const stops = db.selectFrom('reminder_stops').select(['reason', 'at']);
    const stop = stops.where('user_id', '=', memberOf(accountId));
    const [row] = await run(reading, account);
    const [stopped] = await run(reading, stop);
    return {
      isOn: row?.reminder === 1,
      stopped: stopped ?? null,
      lastVotes: row === undefined ? {} : parseLastVotes(row.last_votes),
    };
  }

  return {
    isReminded: async (accountId) => (await stateOf(accountId)).isOn,
    stateOf,
    switchOn: (accountId, listings, now) => write('switchRemindersOn', accountId, listings, now),
    switchOff: (accountId, listings) => write('switchRemindersOff', accountId, listings),
    snooze: (accountId, listing, until, now) => write('snoozeReminder', accountId, listing, until, now),
    async claimReminders(claim) {
      const one = { ...claim, limit: 1 };
      const [due] = await run(reading, selectDue(db, one));
      // Usually nothing is due, and a read needs no lock.
      const isDue = due !== undefined || (await run(reading, selectMisdated(db, one))).length > 0;
      return isDue ? write('claimReminders', claim) : [];
    },
    enqueueReminder: (reminder, accounts, now) => write('enqueueReminder', reminder, accounts, now),
    postponeReminder: (reminder, dueAt) => write('postponeReminder', reminder, dueAt),
    async isCurrent({ userId, listing, dueAt }, { accounts, cooldownMs, names = [listing] }) {
      const { isOn, lastVotes } = await stateOf(accountIdOf(accounts, userId));
      const lastVoteAt = lastVoteIn(lastVotes, names);
      if (!isOn || (lastVoteAt !== null && lastVoteAt + cooldownMs > dueAt)) return false;
      const newer = db.selectFrom('reminders').select('due_at').where('user_id', '=', userId);
      return (await run(reading, newer.where('listing', 'in', [listing, ...names]))).length === 0;
    },
    moveReminder: (reminder, listing) => write('moveReminder', reminder, listing),
    returnReminder: (reminder) => write('returnReminder', reminder),
    stopReminders: (userId, reason, now) => write('stopReminders', userId, reason, now),
    async untoldMembers() {
      const untold = db.selectFrom('reminder_stops').select('user_id').where('told', '=', 0);
      return (await run(reading, untold)).map(({ user_id }) => user_id);
    },
    takeStopReason: (userId) => write('takeStopReason', userId),
  };
}
