import { type AccountId, accountIdOf, type CommunityId, memberOf } from '../../core/ledger/account.ts';
import { directMessage } from '../../core/outbox/messages.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import { parseLastVotes } from '../../core/store/account-columns.ts';
import { accountsOfMember, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { insertMissing, preparedStatement, run, upsert } from '../../core/store/query-builder.ts';
import type { CorrectedVote, SqlClient } from '../../core/store/sql-module.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { lastVoteFor } from '../next-votes/feature.ts';
import { reminderMessage } from './effects.ts';
import type {
  ListingCooldown,
  NextReminder,
  RemindedListing,
  Reminder,
  ReminderAccounts,
  ReminderClaim,
  ReminderState,
  SnoozeResult,
  StopReason,
} from './reminder.ts';
import { summarizeReminders } from './summary.ts';
import type { ReminderSql, ReminderTables } from './tables.ts';

export const reads = {
  summary: summarizeReminders,

  async isReminded(sql: ReminderSql, accountId: AccountId): Promise<boolean> {
    return (await readState(sql, accountId)).isOn;
  },

  stateOf: readState,

  /** Whether any can be claimed. Usually none, and a read needs no lock. */
  async areDue(sql: ReminderSql, { now, maxLeaseUntil, maxDueAt }: ReminderClaim): Promise<boolean> {
    if ((await findDue(sql, { now, maxLeaseUntil })).length > 0) return true;
    return (await findMisdated(sql, { now, maxLeaseUntil, maxDueAt })).length > 0;
  },

  /**
   * Whether the message of a reminder is still to be sent: reminders are on, and the member has neither voted nor
   * postponed it since.
   */
  async isCurrent(sql: ReminderSql, { userId, listing, dueAt }: Reminder, account: ReminderAccounts): Promise<boolean> {
    const { communityId, cooldownMs, names = [listing] } = account;
    const { isOn, lastVotes } = await readState(sql, accountIdOf(communityId, userId));
    if (!isOn) return false;
    const lastVote = await lastVoteFor(sql, { userId, lastVotes }, { names, cooldownMs });
    if (lastVote !== null && lastVote.nextVoteAt > dueAt) return false;
    return (await findPostponed(sql, { userId, listings: [listing, ...names] })).length === 0;
  },

  /** The member's last vote for the listing in the ledger, and when the next one is due; null without a vote. */
  async lastVote(
    sql: ReminderSql,
    userId: string,
    { name, names = [name], cooldownMs, communityId }: RemindedListing & ReminderAccounts,
  ) {
    const { lastVotes } = await readState(sql, accountIdOf(communityId, userId));
    return lastVoteFor(sql, { userId, lastVotes }, { names, cooldownMs });
  },

  /** The members that are to be informed why their reminders were switched off. */
  async membersToInform({ db, connection }: ReminderSql): Promise<readonly string[]> {
    const stops = db.selectFrom('reminder_stops').select('user_id').where('told', '=', 0);
    return (await run(connection, stops)).map(({ user_id }) => user_id);
  },
};

/** What depends on the votes of a member locks the account first, as votes do. */
export const writes = {
  /**
   * Switches the reminders of a community on. The ledger may know later votes than the service. Listings in the order of
   * the argument.
   */
  async switchOn(
    sql: ReminderSql,
    accountId: AccountId,
    listings: readonly ListingCooldown[],
    now: number,
  ): Promise<readonly NextReminder[]> {
    const { db, connection } = sql;
    const account = await lockAccount(connection, db, accountId);
    const { userId } = account;
    await setReminder(sql, accountId, 1);
    await run(connection, db.deleteFrom('reminder_stops').where('user_id', '=', userId));
    const next: NextReminder[] = [];
    for (const listing of listings) {
      const dueAt = await dueAfter(sql, account, listing, now);
      if (dueAt !== null) await save(sql, { userId, listing: listing.name, dueAt });
      next.push({ listing: listing.name, dueAt });
    }
    return next;
  },

  /** @param listings the names of the community's listings; null for all, if it is the only one */
  async switchOff(sql: ReminderSql, accountId: AccountId, listings: readonly string[] | null): Promise<void> {
    await switchAccountOff(sql, accountId, listings);
  },

  /** Reminds again at `until`, unless the member has voted meanwhile: then at the next vote. */
  async snooze(
    sql: ReminderSql,
    accountId: AccountId,
    listing: RemindedListing,
    until: number,
    now: number,
  ): Promise<SnoozeResult> {
    const { db, connection } = sql;
    const account = await lockAccount(connection, db, accountId);
    if (account.marks.reminder === 0) {
      await releaseAccount(connection, db, account);
      return { outcome: 'off' };
    }
    const dueAt = await dueAfter(sql, account, { ...listing, nextVoteAt: null }, now);
    if (dueAt !== null) return { outcome: 'voted', dueAt };
    await save(sql, { userId: memberOf(accountId), listing: listing.name, dueAt: until });
    return { outcome: 'snoozed', dueAt: until };
  },

  /** Leases due reminders, oldest first. A lease that ends makes a reminder due again. */
  async claim({ db, connection }: ReminderSql, claim: ReminderClaim): Promise<readonly Reminder[]> {
    const due = await run(connection, selectDue(db, claim).forUpdate().skipLocked());
    const misdated = await run(connection, selectMisdated(db, claim).forUpdate().skipLocked());
    const claimed = [...due, ...misdated].slice(0, claim.limit);
    for (const { user_id, listing } of claimed) {
      const lease = db.updateTable('reminders').set({ leased_until: claim.leaseUntil });
      await run(connection, lease.where('user_id', '=', user_id).where('listing', '=', listing));
    }
    return claimed.map(({ user_id: userId, listing, due_at: dueAt }) => ({ userId, listing, dueAt }));
  },

  /**
   * Replaces a due reminder by the effect that sends it. Returns its queue; null if the member has voted or stopped
   * reminders meanwhile.
   * @param communityId those of the listing's community
   */
  async enqueue(
    sql: ReminderSql,
    reminder: Reminder,
    communityId: CommunityId,
    now: number,
  ): Promise<QueueName | null> {
    if (!(await deleteUnchanged(sql, reminder))) return null;
    const effect = reminderEffect(reminder, communityId, now);
    await enqueue(sql, [effect]);
    return effect.queue;
  },

  /** Changes when a reminder is due, unless the member has voted or stopped reminders meanwhile. */
  async postpone(
    { db, connection }: ReminderSql,
    { userId, listing, dueAt }: Reminder,
    newDueAt: number,
  ): Promise<void> {
    const postponed = db.updateTable('reminders').set({ due_at: newDueAt, leased_until: null });
    await run(
      connection,
      postponed.where('user_id', '=', userId).where('listing', '=', listing).where('due_at', '=', dueAt),
    );
  },

  /** Moves a reminder to another listing with the same target, whose own reminder takes precedence. */
  async move(sql: ReminderSql, reminder: Reminder, listing: string): Promise<void> {
    if (await deleteUnchanged(sql, reminder)) await add(sql, { ...reminder, listing });
  },

  /** Makes a reminder due again whose effect is too old to be sent, unless there is a newer one. */
  restore: add,

  /** Switches off the reminders of a member in all communities for this reason, of which the member is to be informed. */
  async stop(sql: ReminderSql, userId: string, reason: StopReason, now: number): Promise<void> {
    const { db, connection } = sql;
    // There is nothing to tell a member who has no reminders, or was forgotten.
    let wereOn = false;
    for (const accountId of await accountsOfMember(connection, db, userId)) {
      if (await switchAccountOff(sql, accountId, null)) wereOn = true;
    }
    if (!wereOn) return;
    const stop = { reason, at: now, told: 0 };
    await upsert(sql, 'reminder_stops', { user_id: userId }, stop);
  },

  /** Why the reminders of a member were switched off; null for all but the first caller. */
  async takeStopReason({ db, connection }: ReminderSql, userId: string): Promise<StopReason | null> {
    const take = db.updateTable('reminder_stops').set({ told: 1 }).where('user_id', '=', userId);
    const [taken] = await run(connection, take.where('told', '=', 0).returning('reason'));
    return taken?.reason ?? null;
  },
};

/** The reminders of members, in the database. */
export type StoredReminders = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

const findPostponed = preparedStatement<{ userId: string; listings: readonly string[] }, ReminderTables>()(
  (db, placeholder) =>
    db
      .selectFrom('reminders')
      .select('due_at')
      .where('user_id', '=', placeholder('userId'))
      .where('listing', 'in', placeholder('listings')),
);
const findAccount = preparedStatement<{ accountId: AccountId }>()((db, placeholder) =>
  db.selectFrom('balances').select(['reminder', 'last_votes']).where('account_id', '=', placeholder('accountId')),
);
const findStop = preparedStatement<{ userId: string }, ReminderTables>()((db, placeholder) =>
  db.selectFrom('reminder_stops').select(['reason', 'at']).where('user_id', '=', placeholder('userId')),
);

async function readState(sql: ReminderSql, accountId: AccountId): Promise<ReminderState> {
  const [row] = await findAccount(sql, { accountId });
  const [stopped] = await findStop(sql, { userId: memberOf(accountId) });
  return {
    isOn: row?.reminder === 1,
    stopped: stopped ?? null,
    lastVotes: row === undefined ? {} : parseLastVotes(row.last_votes),
  };
}

function save(sql: ReminderSql, { userId: user_id, listing, dueAt: due_at }: Reminder): Promise<void> {
  return upsert(sql, 'reminders', { user_id, listing }, { due_at, leased_until: null });
}

/** Unless the member has one for the listing. */
function add(sql: ReminderSql, { userId: user_id, listing, dueAt: due_at }: Reminder): Promise<void> {
  return insertMissing(sql, 'reminders', { user_id, listing }, { due_at, leased_until: null });
}

/** Returns whether there was one that is due at this time. */
async function deleteUnchanged(
  { db, connection }: ReminderSql,
  { userId, listing, dueAt }: Reminder,
): Promise<boolean> {
  const unchanged = db.deleteFrom('reminders').where('user_id', '=', userId).where('listing', '=', listing);
  return (await run(connection, unchanged.where('due_at', '=', dueAt).returning('due_at'))).length > 0;
}

async function setReminder({ db, connection }: ReminderSql, accountId: AccountId, reminder: 0 | 1): Promise<void> {
  await run(connection, db.updateTable('balances').set({ reminder }).where('account_id', '=', accountId));
}

/** Returns whether they were on. */
async function switchAccountOff(
  sql: ReminderSql,
  accountId: AccountId,
  listings: readonly string[] | null,
): Promise<boolean> {
  const { db, connection } = sql;
  const account = await lockAccount(connection, db, accountId);
  await setReminder(sql, accountId, 0);
  const ofMember = db.deleteFrom('reminders').where('user_id', '=', account.userId);
  if (listings === null) await run(connection, ofMember);
  else if (listings.length > 0) await run(connection, ofMember.where('listing', 'in', listings));
  await releaseAccount(connection, db, { ...account, marks: { ...account.marks, reminder: 0 } });
  return account.marks.reminder !== 0;
}

/** Reminders that are due and that nobody has leased, oldest first. */
function selectDue(db: ReminderSql['db'], claim: Unleased) {
  return unleased(db, claim).where('due_at', '<=', claim.now);
}

type Unleased = Pick<ReminderClaim, 'now' | 'maxLeaseUntil' | 'limit'>;

/** Reminders whose due time a clock that was ahead has written. */
function selectMisdated(db: ReminderSql['db'], claim: Unleased & Pick<ReminderClaim, 'maxDueAt'>) {
  return unleased(db, claim).where('due_at', '>', claim.maxDueAt);
}

const findDue = preparedStatement<Pick<ReminderClaim, 'now' | 'maxLeaseUntil'>, ReminderTables>()((db, placeholder) => {
  const [now, maxLeaseUntil] = [placeholder('now'), placeholder('maxLeaseUntil')];
  return selectDue(db, { now, maxLeaseUntil, limit: 1 });
});

const findMisdated = preparedStatement<Pick<ReminderClaim, 'now' | 'maxLeaseUntil' | 'maxDueAt'>, ReminderTables>()(
  (db, placeholder) => {
    const [now, maxLeaseUntil] = [placeholder('now'), placeholder('maxLeaseUntil')];
    return selectMisdated(db, { now, maxLeaseUntil, maxDueAt: placeholder('maxDueAt'), limit: 1 });
  },
);

function unleased(db: ReminderSql['db'], { now, maxLeaseUntil, limit }: Unleased) {
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

/** Reminds of the vote after a corrected one by as much earlier. */
export async function moveReminder({ db, connection }: ReminderSql, vote: CorrectedVote): Promise<void> {
  const { listing, userId, receivedAt, correctedTo, isTimeOfVote } = vote;
  if (!isTimeOfVote) return;
  const moved = db.updateTable('reminders').set(({ eb }) => ({ due_at: eb('due_at', '-', receivedAt - correctedTo) }));
  await run(
    connection,
    moved.where('user_id', '=', userId).where('listing', '=', listing).where('due_at', '>', receivedAt),
  );
}

/** When the member can vote again, by the ledger and by the service; null if that is not in the future. */
async function dueAfter(
  sql: ReminderSql,
  account: AccountState,
  { name, names = [name], cooldownMs, nextVoteAt }: ListingCooldown,
  now: number,
): Promise<number | null> {
  const lastVote = await lastVoteFor(sql, account, { names, cooldownMs });
  const dueAt = Math.max(nextVoteAt ?? 0, lastVote?.nextVoteAt ?? 0);
  return dueAt > now ? dueAt : null;
}

function reminderEffect(reminder: Reminder, communityId: CommunityId, createdAt: number): NewEffect {
  const { userId, listing, dueAt } = reminder;
  return directMessage(communityId, userId, reminderMessage, { listing, dueAt }, createdAt);
}
