import { setImmediate as nextTurn } from 'node:timers/promises';
import { hour } from '@tallyhook/platform/durations';
import {
  type AccountId,
  accountIdOf,
  type CommunityId,
  type LastVotes,
  memberOf,
  partsOf,
} from '../../core/ledger/account.ts';
import {
  directMessage,
  directMessageKind,
  isOf,
  type MessageType,
  type PlanKey,
  type PlannedEffect,
  parseContent,
  planKey,
  type TypedMessage,
} from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { parseLastVotes } from '../../core/store/account-columns.ts';
import { accountsOfMember, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { enqueue, isPlanned, planMissing, withdraw } from '../../core/store/outbox/enqueue.ts';
import { waitingIn } from '../../core/store/outbox/store.ts';
import { literal, preparedStatement, run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { lastVoteFor } from '../next-votes/feature.ts';

/** Why the program has switched off the reminders of a member: Discord accepts no direct messages to the member. */
export type StopReason = 'direct_messages_closed';

export interface ReminderTables {
  /** Whose reminders the program has switched off, and 1 if the member was informed of it. */
  reminder_stops: { user_id: string; reason: StopReason; at: number; told: number };
}

type ReminderSql = Sql<ReminderTables>;

export interface ReminderNotice {
  readonly listing: string;
  /** Since when the member can vote, or wanted to be reminded again (ms since the epoch). */
  readonly dueAt: number;
}

export const reminderMessage: MessageType<'reminder', ReminderNotice> = {
  type: 'reminder',
  fields: { listing: ['string'], dueAt: ['number'] },
};

export interface Reminder extends ReminderNotice {
  readonly userId: string;
}

export interface RemindedListing {
  readonly name: string;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  /** The names of all listings with its target, a vote for one of which is a vote for all; by default only its own. */
  readonly names?: readonly string[];
}

/** What the service knows of a listing: the end of the member's cooldown (ms since the epoch), null without one. */
export interface ListingCooldown extends RemindedListing {
  readonly nextVoteAt: number | null;
}

export interface ListingOfCommunity extends RemindedListing {
  readonly communityId: CommunityId;
}

interface ReminderState {
  readonly isOn: boolean;
  /** Why the program has switched them off; null if it has not. */
  readonly stopped: { readonly reason: StopReason; readonly at: number } | null;
  readonly lastVotes: LastVotes;
}

/** When the next reminder is due (ms since the epoch); null for a listing that the member can vote for now. */
export interface NextReminder {
  readonly listing: string;
  readonly dueAt: number | null;
}

export type SnoozeResult =
  /** `voted`: the member has voted meanwhile, and is reminded when the next vote is due. */
  { readonly outcome: 'snoozed' | 'voted'; readonly dueAt: number } | { readonly outcome: 'off' };

/** The effect that reminds a member when the vote is due. A later one replaces it. @param createdAt now (ms since the epoch) */
export function plannedReminder(reminder: Reminder, communityId: CommunityId, createdAt: number): PlannedEffect {
  const { userId, listing, dueAt } = reminder;
  const plan = { key: reminderKey(communityId, userId, listing), dueAt, userId };
  return { ...directMessage(communityId, userId, reminderMessage, { listing, dueAt }, createdAt), plan };
}

function reminderKey(communityId: CommunityId, userId: string, listing: string): PlanKey {
  return planKey(communityId, 'reminder', userId, listing);
}

export const reads = {
  summary,

  async isReminded(sql: ReminderSql, accountId: AccountId): Promise<boolean> {
    return (await readState(sql, accountId)).isOn;
  },

  stateOf: readState,

  /**
   * Whether a reminder that is due is still to be sent: reminders are on, and the member has neither voted nor postponed
   * it since.
   */
  async isCurrent(
    sql: ReminderSql,
    { userId, listing, dueAt }: Reminder,
    account: ListingOfCommunity,
  ): Promise<boolean> {
    const { communityId, name, names = [name], cooldownMs } = account;
    const { isOn, lastVotes } = await readState(sql, accountIdOf(communityId, userId));
    if (!isOn) return false;
    const lastVote = await lastVoteFor(sql, { userId, lastVotes }, { names, cooldownMs });
    if (lastVote !== null && lastVote.nextVoteAt > dueAt) return false;
    const keys = [...new Set([listing, ...names])].map((each) => reminderKey(communityId, userId, each));
    return !(await isPlanned(sql, keys));
  },

  /** The member's last vote for the listing in the ledger, and when the next one is due; null without a vote. */
  async lastVote(
    sql: ReminderSql,
    userId: string,
    { name, names = [name], cooldownMs, communityId }: ListingOfCommunity,
  ) {
    const { lastVotes } = await readState(sql, accountIdOf(communityId, userId));
    return lastVoteFor(sql, { userId, lastVotes }, { names, cooldownMs });
  },

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
      if (dueAt !== null) await plan(sql, accountId, { listing: listing.name, dueAt }, now);
      next.push({ listing: listing.name, dueAt });
    }
    return next;
  },

  async switchOff(sql: ReminderSql, accountId: AccountId): Promise<void> {
    await switchAccountOff(sql, accountId);
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
    await plan(sql, accountId, { listing: listing.name, dueAt: until }, now);
    return { outcome: 'snoozed', dueAt: until };
  },

  /** Plans a reminder that was due again, unless the member has voted or switched reminders off meanwhile. */
  async postpone(sql: ReminderSql, accountId: AccountId, notice: ReminderNotice, now: number): Promise<void> {
    const { communityId, userId } = partsOf(accountId);
    if (!(await readState(sql, accountId)).isOn) return;
    await planMissing(sql, plannedReminder({ userId, ...notice }, communityId, now));
  },

  /** Drops the other reminders of listings with the same target: the member is reminded once. @param effectId of the one that stays */
  async dropOthers(
    sql: ReminderSql,
    accountId: AccountId,
    names: readonly string[],
    effectId: number,
    now: number,
  ): Promise<void> {
    const { db, connection, effects } = sql;
    const { communityId, userId } = partsOf(accountId);
    await withdraw(
      sql,
      names.map((name) => reminderKey(communityId, userId, name)),
    );
    const queue = queueName('dm', communityId, userId);
    const waiting = waitingIn(db).where('queue', '=', queue).where('id', '<>', effectId);
    const rows = await run(connection, waiting.select(['id', 'kind', 'content']));
    const repeated = rows.filter(({ kind, content }) => {
      const parsed = parseContent(effects, kind, content);
      if (!isOf(directMessageKind, parsed) || parsed.content.message.type !== reminderMessage.type) return false;
      // A message of the type has its fields: the outbox has parsed it.
      return names.includes((parsed.content.message as TypedMessage & ReminderNotice).listing);
    });
    if (repeated.length === 0) return;
    const ids = repeated.map(({ id }) => id);
    await run(connection, db.updateTable('effects').set({ state: 'done', finished_at: now }).where('id', 'in', ids));
  },

  /** Switches off the reminders of a member in all communities for this reason, of which the member is to be informed. */
  async stop(sql: ReminderSql, userId: string, reason: StopReason, now: number): Promise<void> {
    const { db, connection } = sql;
    // A member who has no reminders, or was forgotten, needs no information.
    let wereOn = false;
    for (const accountId of await accountsOfMember(connection, db, userId)) {
      if (await switchAccountOff(sql, accountId)) wereOn = true;
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

export type StoredReminders = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

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

async function plan(sql: ReminderSql, accountId: AccountId, notice: ReminderNotice, now: number): Promise<void> {
  const { communityId, userId } = partsOf(accountId);
  await enqueue(sql, [plannedReminder({ userId, ...notice }, communityId, now)]);
}

async function setReminder({ db, connection }: ReminderSql, accountId: AccountId, reminder: 0 | 1): Promise<void> {
  await run(connection, db.updateTable('balances').set({ reminder }).where('account_id', '=', accountId));
}

/** Returns whether they were on. */
async function switchAccountOff(sql: ReminderSql, accountId: AccountId): Promise<boolean> {
  const { db, connection } = sql;
  const account = await lockAccount(connection, db, accountId);
  const { communityId, userId } = partsOf(accountId);
  await setReminder(sql, accountId, 0);
  const ofMember = db.deleteFrom('planned_effects').where('user_id', '=', userId);
  await run(connection, ofMember.where('key', 'like', reminderKey(communityId, userId, '%')));
  await releaseAccount(connection, db, { ...account, marks: { ...account.marks, reminder: 0 } });
  return account.marks.reminder !== 0;
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

/** Members that one query counts: a few ms, in which SQLite blocks this thread. */
const membersPerQuery = 10_000;
const soonMs = hour;

function plannedReminders({ db }: ReminderSql) {
  return db.selectFrom('planned_effects').where('key', 'like', literal('% reminder %'));
}

/**
 * How many members wait for a reminder, how many reminders are due soon, and whose were switched off because direct
 * messages are closed. Does not read the accounts, which have no index of reminders. @param now ms since the epoch
 */
async function summary(sql: ReminderSql, now: number) {
  const { db, connection } = sql;
  const count = db.fn.countAll<number>().as('count');
  const soon = plannedReminders(sql).where('due_at', '<=', now + soonMs);
  const reason: StopReason = 'direct_messages_closed';
  const closed = db.selectFrom('reminder_stops').where('reason', '=', literal(reason));
  const [dueSoon] = await run(connection, soon.select(count));
  const [stopped] = await run(connection, closed.select(count));
  return { scheduled: await countScheduled(sql), dueSoon: dueSoon?.count ?? 0, stopped: stopped?.count ?? 0 };
}

/** Members with a reminder for at least one listing: not those who have not voted since their last one. */
async function countScheduled(sql: ReminderSql): Promise<number> {
  let scheduled = 0;
  let last: string | null = '';
  while (last !== null) {
    const members = plannedReminders(sql).select('user_id').distinct().where('user_id', '>', last).orderBy('user_id');
    const page: readonly { count: number; last: string | null }[] = await run(
      sql.connection,
      sql.db
        .selectFrom(members.limit(membersPerQuery).as('members'))
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<string | null>('members.user_id').as('last')]),
    );
    scheduled += page[0]?.count ?? 0;
    last = page[0]?.count === membersPerQuery ? page[0].last : null;
    await nextTurn();
  }
  return scheduled;
}
