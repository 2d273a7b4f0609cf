import { setImmediate as nextTurn } from 'node:timers/promises';
import { day, hour } from '@tallyhook/platform/durations';
import { type Fields, isEqual, listOf, matches, parseJson, textsOf } from '@tallyhook/platform/json';
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
  serializeContent,
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
import type { QuietHours } from './quiet-hours.ts';

/** Why the program has switched off the reminders of a member: Discord accepts no direct messages to the member. */
export type StopReason = 'direct_messages_closed';

export interface ReminderTables {
  /** Whose reminders the program has switched off, and 1 if the member was informed of it. */
  reminder_stops: { user_id: string; reason: StopReason; at: number; told: number };
  /**
   * A member's reminder choices in a community; without a row, none. `muted` are names of listings (JSON); the quiet
   * hours are minutes of the day; `is_closed` is 1 since Discord has rejected a direct message.
   */
  reminder_choices: {
    user_id: string;
    community_id: number;
    muted: string;
    quiet_from: number | null;
    quiet_until: number | null;
    in_channel: number;
    is_closed: number;
  };
}

type ReminderSql = Sql<ReminderTables>;

export interface ReminderNotice {
  readonly listing: string;
  /** Since when the member can vote, or wanted to be reminded again (ms since the epoch). */
  readonly dueAt: number;
}

/** The contents of a reminder: the listing that is due first, and the others that it mentions. */
export interface ReminderMessage extends ReminderNotice {
  /** In the order in which they are due, those that are due later included. */
  readonly others?: readonly ReminderNotice[];
}

const noticeFields: Fields<ReminderNotice> = { listing: ['string'], dueAt: ['number'] };

export const reminderMessage: MessageType<'reminder', ReminderMessage> = { type: 'reminder', fields: noticeFields };

/** All listings of a reminder. */
export function noticesOf({ listing, dueAt, others }: ReminderMessage): readonly ReminderNotice[] {
  return [{ listing, dueAt }, ...listOf(others).filter((each) => matches(each, noticeFields))];
}

/** The reminder of these listings, of which there is at least one. */
export function messageFor([first, ...others]: readonly [ReminderNotice, ...ReminderNotice[]]): ReminderMessage {
  return others.length === 0 ? first : { ...first, others };
}

/** A member's reminder choices in a community. */
export interface ReminderChoices {
  /** The names of the listings of which there are none. */
  readonly muted: readonly string[];
  readonly quiet: QuietHours | null;
  /** True for a mention in a channel of the server where direct messages are closed. */
  readonly inChannel: boolean;
  /** True since Discord has rejected a direct message; only with `inChannel`. */
  readonly isClosed: boolean;
}

/** Choices that a member changes now; the rest stays as it is. */
export interface ChosenReminders extends Partial<Pick<ReminderChoices, 'quiet' | 'inChannel'>> {
  /** The listing of which there are reminders; if there were none before, of it alone. */
  readonly listing?: string;
}

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

/** A listing with the end of the member's cooldown at the service (ms since the epoch), null without one. */
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
  readonly choices: ReminderChoices;
}

/** When the next reminder is due (ms since the epoch); null for a listing that the member can vote for now. */
export interface NextReminder {
  readonly listing: string;
  readonly dueAt: number | null;
}

export type SnoozeResult =
  /** `listings`: those that the member is reminded of then. */
  | { readonly outcome: 'snoozed'; readonly dueAt: number; readonly listings: readonly string[] }
  /** The member has voted meanwhile, and is reminded when the next vote is due. */
  | { readonly outcome: 'voted'; readonly dueAt: number }
  | { readonly outcome: 'off' };

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
   * True if a reminder that is due is still to be sent: reminders are on, also for the listing, and the member has neither
   * voted nor postponed it since.
   * @param isPlan true for a plan, which replaces what there was before
   */
  async isCurrent(
    sql: ReminderSql,
    { userId, listing, dueAt }: Reminder,
    account: ListingOfCommunity,
    isPlan = false,
  ): Promise<boolean> {
    const { communityId, name, names = [name], cooldownMs } = account;
    const { isOn, lastVotes, choices } = await readState(sql, accountIdOf(communityId, userId));
    if (!isOn || isMuted(choices, [listing, ...names])) return false;
    const lastVote = await lastVoteFor(sql, { userId, lastVotes }, { names, cooldownMs });
    if (lastVote !== null && lastVote.nextVoteAt > dueAt) return false;
    if (isPlan) return true;
    const keys = [...new Set([listing, ...names])].map((each) => reminderKey(communityId, userId, each));
    return !(await isPlanned(sql, keys));
  },

  /** The other reminders of the account: those that wait, and those that are planned until then (ms since the epoch). */
  async othersUntil(sql: ReminderSql, accountId: AccountId, effectId: number, until: number) {
    const { db, connection } = sql;
    const { communityId, userId } = partsOf(accountId);
    const plans = db.selectFrom('planned_effects').select(['kind', 'content']).where('user_id', '=', userId);
    const ofCommunity = plans.where('key', 'like', reminderKey(communityId, userId, '%'));
    const planned = await run(connection, ofCommunity.where('due_at', '<=', until).orderBy('due_at').orderBy('key'));
    const waiting = await waitingReminders(sql, accountId, effectId);
    return {
      planned: planned.flatMap((row) => noticesIn(sql, row)),
      waiting: waiting.flatMap(({ notices }) => notices),
    };
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

/** Writes that depend on the votes of a member lock the account first, as votes do. */
export const writes = {
  /**
   * Switches the reminders of a community on. The ledger may know later votes than the service. Returns the listings of
   * which the member is reminded, in the order of the argument.
   */
  async switchOn(
    sql: ReminderSql,
    accountId: AccountId,
    listings: readonly ListingCooldown[],
    now: number,
    chosen: ChosenReminders = {},
  ): Promise<readonly NextReminder[]> {
    const { db, connection } = sql;
    const account = await lockAccount(connection, db, accountId);
    const { userId } = account;
    const before = (await readState(sql, accountId)).choices;
    await setReminder(sql, accountId, 1);
    await run(connection, db.deleteFrom('reminder_stops').where('user_id', '=', userId));
    const { listing: only, quiet = before.quiet, inChannel = before.inChannel } = chosen;
    const muted = mutedAfter(before.muted, listings, only, account.marks.reminder !== 0);
    const choices = { muted, quiet, inChannel, isClosed: false };
    if (!isEqual(choices, before)) await saveChoices(sql, accountId, choices);
    const next: NextReminder[] = [];
    for (const listing of listings) {
      if (isMuted({ muted }, namesIn(listing))) continue;
      const dueAt = await dueAfter(sql, account, listing, now);
      if (dueAt !== null) await plan(sql, accountId, { listing: listing.name, dueAt }, now);
      next.push({ listing: listing.name, dueAt });
    }
    return next;
  },

  async switchOff(sql: ReminderSql, accountId: AccountId): Promise<void> {
    await switchAccountOff(sql, accountId);
  },

  /** Switches the reminders of a listing off; those of the others stay as they are. */
  async mute(sql: ReminderSql, accountId: AccountId, listing: RemindedListing): Promise<void> {
    const { db, connection } = sql;
    await lockAccount(connection, db, accountId);
    const { choices } = await readState(sql, accountId);
    if (!isMuted(choices, namesIn(listing))) {
      await saveChoices(sql, accountId, { ...choices, muted: [...choices.muted, listing.name] });
    }
    const { communityId, userId } = partsOf(accountId);
    await withdraw(
      sql,
      namesIn(listing).map((name) => reminderKey(communityId, userId, name)),
    );
  },

  /**
   * Reminds again at `until` of the first listing, and of the others that have become due within the last day or will be
   * due by then, in place of their own reminders. If the member has voted for all of them meanwhile, at the next vote.
   */
  async snooze(
    sql: ReminderSql,
    accountId: AccountId,
    listings: readonly RemindedListing[],
    until: number,
    now: number,
  ): Promise<SnoozeResult> {
    const { db, connection } = sql;
    const account = await lockAccount(connection, db, accountId);
    if (account.marks.reminder === 0) {
      await releaseAccount(connection, db, account);
      return { outcome: 'off' };
    }
    const { choices } = await readState(sql, accountId);
    const snoozed: string[] = [];
    const later: number[] = [];
    for (const [index, listing] of listings.entries()) {
      const lastVote = await lastVoteFor(sql, account, { names: namesIn(listing), cooldownMs: listing.cooldownMs });
      const isOpen = lastVote !== null && lastVote.nextVoteAt > now - maxSnoozedMs;
      if ((index > 0 && !isOpen) || isMuted(choices, namesIn(listing))) continue;
      const dueAt = lastVote?.nextVoteAt ?? 0;
      // The first one is due, unless there was a vote.
      if (dueAt > (index === 0 ? now : until)) later.push(dueAt);
      else snoozed.push(listing.name);
    }
    if (snoozed.length === 0) {
      return later.length === 0 ? { outcome: 'off' } : { outcome: 'voted', dueAt: Math.min(...later) };
    }
    for (const listing of snoozed) await plan(sql, accountId, { listing, dueAt: until }, now);
    return { outcome: 'snoozed', dueAt: until, listings: snoozed };
  },

  /** Plans a reminder that was due again, unless the member has voted or switched reminders off meanwhile. */
  async postpone(sql: ReminderSql, accountId: AccountId, notice: ReminderNotice, now: number): Promise<void> {
    const { communityId, userId } = partsOf(accountId);
    if (!(await readState(sql, accountId)).isOn) return;
    await planMissing(sql, plannedReminder({ userId, ...notice }, communityId, now));
  },

  /**
   * Has an effect send a reminder of several listings: it replaces their own reminders, planned until then or waiting.
   * @param names those of the listings, and of all others with their targets
   */
  async share(
    sql: ReminderSql,
    accountId: AccountId,
    effectId: number,
    message: ReminderMessage,
    { names, until, now }: { readonly names: readonly string[]; readonly until: number; readonly now: number },
  ): Promise<void> {
    const { db, connection } = sql;
    const { communityId, userId } = partsOf(accountId);
    // Plans first: one that becomes due at this moment is found among those that wait.
    const keys = names.map((name) => reminderKey(communityId, userId, name));
    await run(connection, db.deleteFrom('planned_effects').where('key', 'in', keys).where('due_at', '<=', until));
    const contentOf = (shared: ReminderMessage) => {
      const { kind, content } = directMessage(communityId, userId, reminderMessage, shared, now);
      return serializeContent({ kind, content });
    };
    for (const { id, notices } of await waitingReminders(sql, accountId, effectId)) {
      const [first, ...rest] = notices.filter(({ listing }) => !names.includes(listing));
      const update = db.updateTable('effects').where('id', '=', id);
      if (first === undefined) await run(connection, update.set({ state: 'done', finished_at: now }));
      else if (rest.length + 1 < notices.length) {
        await run(connection, update.set({ content: contentOf(messageFor([first, ...rest])) }));
      }
    }
    await run(
      connection,
      db
        .updateTable('effects')
        .set({ content: contentOf(message) })
        .where('id', '=', effectId),
    );
  },

  /**
   * Switches off the reminders of a member in all communities for this reason, of which the member is to be informed. In
   * those with a channel for reminders they go on there, if the member has chosen so. Returns whether any were on.
   */
  async stop(
    sql: ReminderSql,
    userId: string,
    reason: StopReason,
    now: number,
    withChannel: readonly CommunityId[] = [],
  ): Promise<boolean> {
    const { db, connection } = sql;
    // A member who has no reminders, or was forgotten, needs no information.
    let wereOn = false;
    for (const accountId of await accountsOfMember(connection, db, userId)) {
      const { isOn, choices } = await readState(sql, accountId);
      if (isOn && choices.inChannel && withChannel.includes(partsOf(accountId).communityId)) {
        await saveChoices(sql, accountId, { ...choices, isClosed: true });
      } else if (await switchAccountOff(sql, accountId)) wereOn = true;
    }
    if (!wereOn) return false;
    const stop = { reason, at: now, told: 0 };
    await upsert(sql, 'reminder_stops', { user_id: userId }, stop);
    return true;
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

const findChoices = preparedStatement<{ userId: string; communityId: number }, ReminderTables>()((db, placeholder) =>
  db
    .selectFrom('reminder_choices')
    .select(['muted', 'quiet_from', 'quiet_until', 'in_channel', 'is_closed'])
    .where('user_id', '=', placeholder('userId'))
    .where('community_id', '=', placeholder('communityId')),
);
const noChoices: ReminderChoices = { muted: [], quiet: null, inChannel: false, isClosed: false };

async function readState(sql: ReminderSql, accountId: AccountId): Promise<ReminderState> {
  const [row] = await findAccount(sql, { accountId });
  const [stopped] = await findStop(sql, { userId: memberOf(accountId) });
  const [choices] = await findChoices(sql, partsOf(accountId));
  return {
    isOn: row?.reminder === 1,
    stopped: stopped ?? null,
    lastVotes: row === undefined ? {} : parseLastVotes(row.last_votes),
    choices: choices === undefined ? noChoices : choicesOf(choices),
  };
}

type ChoicesRow = Omit<ReminderTables['reminder_choices'], 'user_id' | 'community_id'>;

function choicesOf({
  muted,
  quiet_from: from,
  quiet_until: until,
  in_channel,
  is_closed,
}: ChoicesRow): ReminderChoices {
  return {
    muted: textsOf(parseJson(muted)),
    quiet: from === null || until === null ? null : { from, until },
    inChannel: in_channel === 1,
    isClosed: is_closed === 1,
  };
}

async function saveChoices(sql: ReminderSql, accountId: AccountId, choices: ReminderChoices): Promise<void> {
  const { communityId: community_id, userId: user_id } = partsOf(accountId);
  const { muted, quiet, inChannel, isClosed } = choices;
  const row: ChoicesRow = {
    muted: JSON.stringify(muted),
    quiet_from: quiet?.from ?? null,
    quiet_until: quiet?.until ?? null,
    in_channel: inChannel ? 1 : 0,
    is_closed: isClosed ? 1 : 0,
  };
  await upsert(sql, 'reminder_choices', { user_id, community_id }, row);
}

const namesIn = ({ name, names = [name] }: RemindedListing): readonly string[] => [name, ...names];

/** True if a listing, by all of its names, is one of which the member wants no reminders. */
export function isMuted({ muted }: Pick<ReminderChoices, 'muted'>, names: readonly string[]): boolean {
  return names.some((name) => muted.includes(name));
}

/** @param only the listing that was switched on; if reminders were off before, the others stay off */
function mutedAfter(
  muted: readonly string[],
  listings: readonly RemindedListing[],
  only: string | undefined,
  wereOn: boolean,
): readonly string[] {
  if (only === undefined) return muted;
  const chosen = listings.find((listing) => namesIn(listing).includes(only));
  const names = chosen === undefined ? [only] : namesIn(chosen);
  const others = wereOn ? muted : listings.filter((listing) => listing !== chosen).map(({ name }) => name);
  return others.filter((name) => !names.includes(name));
}

/** The other reminders in the queue of the account. */
async function waitingReminders(sql: ReminderSql, accountId: AccountId, effectId: number) {
  const { db, connection } = sql;
  const { communityId, userId } = partsOf(accountId);
  const queue = queueName('dm', communityId, userId);
  const waiting = waitingIn(db).where('queue', '=', queue).where('id', '<>', effectId);
  // One that may have been sent stays what it is.
  const rows = await run(connection, waiting.where('unsure_since', 'is', null).select(['id', 'kind', 'content']));
  return rows.map((row) => ({ id: row.id, notices: noticesIn(sql, row) })).filter(({ notices }) => notices.length > 0);
}

/** The listings of a stored reminder; none if it is something else. */
function noticesIn(
  { effects }: ReminderSql,
  { kind, content }: { readonly kind: string; readonly content: string },
): readonly ReminderNotice[] {
  const parsed = parseContent(effects, kind, content);
  if (!isOf(directMessageKind, parsed) || parsed.content.message.type !== reminderMessage.type) return [];
  // A message of the type has its fields: the outbox has parsed it.
  return noticesOf(parsed.content.message as TypedMessage & ReminderMessage);
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

/** A listing that has been due for longer is not a part of what is snoozed (ms). */
const maxSnoozedMs = day;

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
