import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { lastVoteIn } from '../../ledger/account.ts';
import { type AccountId, type AccountScope, memberOf } from '../../ledger/account-id.ts';
import { directMessageQueue } from '../../outbox/direct-message-queue.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { AccountState } from '../../tally/account-state.ts';
import type {
  ListingCooldown,
  NextReminder,
  RemindedListing,
  Reminder,
  ReminderClaim,
  SnoozeResult,
  StopReason,
} from '../../tally/reminder-store.ts';
import { run } from '../query-builder.ts';
import { accountsOfMember } from '../reads/member-accounts.ts';
import type { Tables } from '../tables.ts';
import { lockAccount, releaseAccount } from './accounts.ts';
import { enqueueWrites } from './enqueue.ts';

/**
 * Reminders of votes, for use inside a transaction of `connection`. What depends on the votes of a member locks the
 * account first, as votes do.
 */
export function reminderWrites(db: Kysely<Tables>, connection: Connection) {
  const { enqueue } = enqueueWrites(db, connection);

  async function save({ userId: user_id, listing, dueAt: due_at }: Reminder): Promise<void> {
    const insert = db.insertInto('reminders').values({ user_id, listing, due_at, leased_until: null });
    await run(
      connection,
      insert.onConflict((conflict) =>
        conflict.columns(['user_id', 'listing']).doUpdateSet({ due_at, leased_until: null }),
      ),
    );
  }

  /** Unless the member has one for the listing. */
  async function addReminder({ userId: user_id, listing, dueAt: due_at }: Reminder): Promise<void> {
    const insert = db.insertInto('reminders').values({ user_id, listing, due_at, leased_until: null });
    await run(
      connection,
      insert.onConflict((conflict) => conflict.columns(['user_id', 'listing']).doNothing()),
    );
  }

  async function setReminder(accountId: AccountId, reminder: 0 | 1): Promise<void> {
    await run(connection, db.updateTable('balances').set({ reminder }).where('user_id', '=', accountId));
  }

  /** Returns whether they were on. */
  async function switchOff(accountId: AccountId, listings: readonly string[] | null): Promise<boolean> {
    const account = await lockAccount(connection, db, accountId);
    await setReminder(accountId, 0);
    const ofMember = db.deleteFrom('reminders').where('user_id', '=', account.userId);
    if (listings === null) await run(connection, ofMember);
    else if (listings.length > 0) await run(connection, ofMember.where('listing', 'in', listings));
    await releaseAccount(connection, db, { ...account, isReminded: false });
    return account.isReminded;
  }

  return {
    async switchRemindersOn(
      accountId: AccountId,
      listings: readonly ListingCooldown[],
      now: number,
    ): Promise<readonly NextReminder[]> {
      const account = await lockAccount(connection, db, accountId);
      const { userId } = account;
      await setReminder(accountId, 1);
      await run(connection, db.deleteFrom('reminder_stops').where('user_id', '=', userId));
      const next = listings.map((listing) => ({ listing: listing.name, dueAt: dueAfter(account, listing, now) }));
      for (const { listing, dueAt } of next) if (dueAt !== null) await save({ userId, listing, dueAt });
      return next;
    },

    async switchRemindersOff(accountId: AccountId, listings: readonly string[] | null): Promise<void> {
      await switchOff(accountId, listings);
    },

    async snoozeReminder(
      accountId: AccountId,
      listing: RemindedListing,
      until: number,
      now: number,
    ): Promise<SnoozeResult> {
      const account = await lockAccount(connection, db, accountId);
      if (!account.isReminded) {
        await releaseAccount(connection, db, account);
        return { outcome: 'off' };
      }
      const dueAt = dueAfter(account, { ...listing, nextVoteAt: null }, now);
      if (dueAt !== null) return { outcome: 'voted', dueAt };
      await save({ userId: memberOf(accountId), listing: listing.name, dueAt: until });
      return { outcome: 'snoozed', dueAt: until };
    },

    async claimReminders(claim: ReminderClaim): Promise<readonly Reminder[]> {
      const due = await run(connection, selectDue(db, claim).forUpdate().skipLocked());
      const misdated = await run(connection, selectMisdated(db, claim).forUpdate().skipLocked());
      const claimed = [...due, ...misdated].slice(0, claim.limit);
      for (const { user_id, listing } of claimed) {
        const lease = db.updateTable('reminders').set({ leased_until: claim.leaseUntil });
        await run(connection, lease.where('user_id', '=', user_id).where('listing', '=', listing));
      }
      return claimed.map(({ user_id: userId, listing, due_at: dueAt }) => ({ userId, listing, dueAt }));
    },

    async enqueueReminder(reminder: Reminder, accounts: AccountScope, now: number): Promise<string | null> {
      const { userId, listing, dueAt } = reminder;
      const unchanged = db.deleteFrom('reminders').where('user_id', '=', userId).where('listing', '=', listing);
      const deleted = await run(connection, unchanged.where('due_at', '=', dueAt).returning('due_at'));
      if (deleted.length === 0) return null;
      const effect = reminderEffect(reminder, accounts, now);
      await enqueue([effect]);
      return effect.queue;
    },

    async postponeReminder({ userId, listing, dueAt }: Reminder, newDueAt: number): Promise<void> {
      const postponed = db.updateTable('reminders').set({ due_at: newDueAt, leased_until: null });
      await run(
        connection,
        postponed.where('user_id', '=', userId).where('listing', '=', listing).where('due_at', '=', dueAt),
      );
    },

    async moveReminder(reminder: Reminder, listing: string): Promise<void> {
      const { userId, dueAt } = reminder;
      const unchanged = db.deleteFrom('reminders').where('user_id', '=', userId).where('due_at', '=', dueAt);
      const deleted = await run(connection, unchanged.where('listing', '=', reminder.listing).returning('due_at'));
      if (deleted.length > 0) await addReminder({ ...reminder, listing });
    },

    returnReminder: addReminder,

    async stopReminders(userId: string, reason: StopReason, now: number): Promise<void> {
      // There is nothing to tell a member who has no reminders, or was forgotten.
      let wereOn = false;
      for (const accountId of await accountsOfMember(connection, db, userId)) {
        if (await switchOff(accountId, null)) wereOn = true;
      }
      if (!wereOn) return;
      const stop = { reason, at: now, told: 0 };
      const insert = db.insertInto('reminder_stops').values({ user_id: userId, ...stop });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('user_id').doUpdateSet(stop)),
      );
    },

    async takeStopReason(userId: string): Promise<StopReason | null> {
      const take = db.updateTable('reminder_stops').set({ told: 1 }).where('user_id', '=', userId);
      const [taken] = await run(connection, take.where('told', '=', 0).returning('reason'));
      return taken?.reason ?? null;
    },
  };
}

/** Reminders that are due and that nobody has leased, oldest first. */
export function selectDue(db: Kysely<Tables>, { now, limit, ...claim }: ReminderClaim) {
  return unleased(db, { now, limit, ...claim }).where('due_at', '<=', now);
}

/** Reminders whose due time a clock that was ahead has written. */
export function selectMisdated(db: Kysely<Tables>, claim: ReminderClaim) {
  return unleased(db, claim).where('due_at', '>', claim.maxDueAt);
}

function unleased(db: Kysely<Tables>, { now, maxLeaseUntil, limit }: ReminderClaim) {
  return db
    .selectFrom('reminders')
    .select(['user_id', 'listing', 'due_at'])
    .where((or) =>
      or.or([or('leased_until', 'is', null), or('leased_until', '<=', now), or('leased_until', '>', maxLeaseUntil)]),
    )
    .orderBy('due_at')
    .orderBy('user_id')
    .orderBy('listing')
    .limit(limit);
}

/** When the member can vote again, by the ledger and by the service; null if that is not in the future. */
function dueAfter(
  { lastVotes }: AccountState,
  { name, names = [name], cooldownMs, nextVoteAt }: ListingCooldown,
  now: number,
): number | null {
  const lastVoteAt = lastVoteIn(lastVotes, names);
  const dueAt = Math.max(nextVoteAt ?? 0, lastVoteAt === null ? 0 : lastVoteAt + cooldownMs);
  return dueAt > now ? dueAt : null;
}

function reminderEffect(
  { userId, listing, dueAt }: Reminder,
  accounts: AccountScope,
  createdAt: number,
): NewEffect<'directMessage'> {
  const content = { userId, message: { type: 'reminder', listing, dueAt } } as const;
  return { kind: 'directMessage', queue: directMessageQueue(userId, accounts), content, deliveryId: null, createdAt };
}
