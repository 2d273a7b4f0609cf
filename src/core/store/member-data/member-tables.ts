import { type Compilable, type Kysely, sql } from 'kysely';
import { accountIdOf, homeAccounts, partsOf } from '../../ledger/account-id.ts';
import { directMessageQueue } from '../../outbox/direct-message-queue.ts';
import { roleConnectionQueue } from '../../outbox/role-connection-queue.ts';
import { forgottenCorrectionKey } from '../../tally/idempotency-key.ts';
import { accountKey } from '../account-columns.ts';
import { literal } from '../query-builder.ts';
import { deliveryColumns } from '../reads/search-deliveries.ts';
import type { Tables } from '../tables.ts';
import { chunksOf } from './chunks.ts';
import type { MemberRows } from './member-rows.ts';

/** A table with rows about members. */
export interface MemberTable {
  /** Selects the rows about the member, with all columns that are of interest to the member. */
  select(db: Kysely<Tables>, rows: MemberRows): readonly Compilable<object>[];
  /** Replaces the member's id by the pseudonym, and deletes what else identifies the member. */
  forget(db: Kysely<Tables>, rows: MemberRows, pseudonym: string): readonly Compilable<unknown>[];
}

/** Why a table has no rows about members. */
interface TableWithoutMembers {
  readonly withoutMembers: string;
}

/** The body of a delivery whose member was forgotten. */
const forgottenBody = '{"forgotten":true}';
/** Contents that no version can read, so that the effect is not carried out again. */
const forgottenContent = '{}';
const forgottenReason = 'The member was forgotten.';

/** Every table of the database. One that is missing here does not compile. */
export const memberTables: { readonly [Table in keyof Tables]: MemberTable | TableWithoutMembers } = {
  balances: {
    select: (db, { accounts }) =>
      accounts.length === 0 ? [] : [db.selectFrom('balances').selectAll().where('user_id', 'in', accounts)],
    forget: (db, { accounts }, pseudonym) =>
      accounts.map((accountId) => {
        const key = accountKey(accountIdOf(partsOf(accountId).accounts, pseudonym));
        return db
          .updateTable('balances')
          .set({ ...key, roles: null, reminder: 0, role_connection: 0 })
          .where('user_id', '=', accountId);
      }),
  },
  entries: {
    select: (db, { entryIds }) =>
      inChunks(entryIds, (ids) => db.selectFrom('entries').selectAll().where('id', 'in', ids).orderBy('id')),
    forget: (db, { entryIds, accounts }, pseudonym) =>
      accounts
        .flatMap((accountId) => {
          const user_id = accountIdOf(partsOf(accountId).accounts, pseudonym);
          return inChunks(entryIds, (ids) =>
            db.updateTable('entries').set({ user_id }).where('id', 'in', ids).where('user_id', '=', accountId),
          );
        })
        .concat(
          // The reason of a correction is the text of a person.
          inChunks(entryIds, (ids) =>
            db
              .updateTable('entries')
              .set({ reason: null })
              .where('id', 'in', ids)
              .where('cause', '=', literal('correction')),
          ),
        ),
  },
  deliveries: {
    select: (db, { deliveryIds }) =>
      inChunks(deliveryIds, (ids) =>
        db.selectFrom('deliveries').select(deliveryColumns).where('id', 'in', ids).orderBy('id'),
      ),
    forget: (db, { userId, deliveryIds, gifts }, user_id) =>
      inChunks(without(deliveryIds, gifts.deliveries), (ids) =>
        db.updateTable('deliveries').set({ body: forgottenBody }).where('id', 'in', ids),
      ).concat(
        [...gifts.deliveries].map(([id, body]) => db.updateTable('deliveries').set({ body }).where('id', '=', id)),
        inChunks(deliveryIds, (ids) =>
          db.updateTable('deliveries').set({ user_id }).where('id', 'in', ids).where('user_id', '=', userId),
        ),
      ),
  },
  effects: {
    select: (db, { effectIds }) =>
      inChunks(effectIds, (ids) => db.selectFrom('effects').selectAll().where('id', 'in', ids).orderBy('id')),
    forget: (db, { userId, effectIds, gifts }, pseudonym) => {
      const ownIds = without(effectIds, gifts.effects);
      return inChunks(ownIds, (ids) => uncountWaiting(db, ids)).concat(
        inChunks(ownIds, (ids) =>
          db.deleteFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting')),
        ),
        [countAgainFromNewest(db)],
        [...gifts.effects].map(([id, content]) => db.updateTable('effects').set({ content }).where('id', '=', id)),
        inChunks(ownIds, (ids) => db.updateTable('effects').set({ content: forgottenContent }).where('id', 'in', ids)),
        inChunks(ownIds, (ids) =>
          db
            .updateTable('effects')
            .set({ reason: forgottenReason })
            .where('id', 'in', ids)
            .where('state', '=', literal('buried')),
        ),
        inChunks(ownIds, (ids) =>
          db
            .updateTable('effects')
            .set({ queue: directMessageQueue(pseudonym, homeAccounts) })
            .where('id', 'in', ids)
            .where(({ eb, or }) =>
              or([
                eb('queue', 'in', [directMessageQueue(userId, homeAccounts), roleConnectionQueue(userId)]),
                // From another community.
                eb('queue', 'like', `${directMessageQueue(userId, homeAccounts)} %`),
              ]),
            ),
        ),
      );
    },
  },
  planned_effects: {
    select: (db, { plannedIds }) =>
      inChunks(plannedIds, (ids) => db.selectFrom('planned_effects').selectAll().where('id', 'in', ids)),
    forget: (db, { plannedIds }) =>
      inChunks(plannedIds, (ids) => db.deleteFrom('planned_effects').where('id', 'in', ids)),
  },
  // Their roles are removed by effects.
  grants: {
    select: (db, { userId }) => [db.selectFrom('grants').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('grants').where('user_id', '=', userId)],
  },
  party_voters: {
    select: (db, { userId }) => [votersOf(db, userId)],
    forget: (db, { userId }, user_id) => [
      db
        .updateTable('party_voters')
        .set({ user_id })
        .where('user_id', '=', userId)
        .where('period', 'in', db.selectFrom('parties').select('period')),
    ],
  },
  orders: {
    select: (db, { userId }) => [db.selectFrom('orders').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }, user_id) => [db.updateTable('orders').set({ user_id }).where('user_id', '=', userId)],
  },
  corrections: {
    select: (db, { accounts }) =>
      accounts.length === 0 ? [] : [db.selectFrom('corrections').selectAll().where('user_id', 'in', accounts)],
    forget: (db, { accounts, correctionKeys }, pseudonym) => [
      ...accounts.map((accountId) => {
        const user_id = accountIdOf(partsOf(accountId).accounts, pseudonym);
        return db.updateTable('corrections').set({ user_id, reason: '' }).where('user_id', '=', accountId);
      }),
      // Programs choose the keys, and many contain the id.
      ...correctionKeys.map((key) =>
        db
          .updateTable('corrections')
          .set({ idempotency_key: forgottenCorrectionKey(key) })
          .where('idempotency_key', '=', key),
      ),
    ],
  },
  imported_items: {
    select: (db, { accounts }) => (accounts.length === 0 ? [] : [importedOf(db, accounts)]),
    forget: (db, { accounts }, pseudonym) =>
      accounts.map((accountId) => {
        const user_id = accountIdOf(partsOf(accountId).accounts, pseudonym);
        return db
          .updateTable('imported_items')
          .set({ user_id })
          .where('user_id', '=', accountId)
          .where('import_id', 'in', db.selectFrom('imports').select('id'));
      }),
  },
  purchases: {
    select: (db, { userId }) => [db.selectFrom('purchases').selectAll().where('user_id', '=', userId)],
    // An issued code stays, so that it is not issued again.
    forget: (db, { userId }, user_id) => [db.updateTable('purchases').set({ user_id }).where('user_id', '=', userId)],
  },
  reminders: {
    select: (db, { userId }) => [db.selectFrom('reminders').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('reminders').where('user_id', '=', userId)],
  },
  reminder_stops: {
    select: (db, { userId }) => [db.selectFrom('reminder_stops').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('reminder_stops').where('user_id', '=', userId)],
  },
  // Their tokens are secrets, of no use to the member.
  linked_members: {
    select: (db, { userId }) => [
      db
        .selectFrom('linked_members')
        .select(['user_id', 'locale', 'linked_at', 'pushed'])
        .where('user_id', '=', userId),
    ],
    forget: (db, { userId }) => [db.deleteFrom('linked_members').where('user_id', '=', userId)],
  },
  member_languages: {
    select: (db, { userId }) => [db.selectFrom('member_languages').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('member_languages').where('user_id', '=', userId)],
  },
  reports: {
    select: (db, { userId }) => [db.selectFrom('reports').selectAll().where('key', 'like', `%${userId}%`)],
    forget: (db, { userId }) => [db.deleteFrom('reports').where('key', 'like', `%${userId}%`)],
  },
  setting_changes: {
    select: (db, { userId }) => [db.selectFrom('setting_changes').selectAll().where('author_id', '=', userId)],
    forget: (db, { userId }, author_id) => [
      db.updateTable('setting_changes').set({ author_id }).where('author_id', '=', userId),
    ],
  },
  guilds: {
    select: (db, { userId }) => [
      db.selectFrom('guilds').select(['guild_id', 'parked_at', 'parked_by']).where('parked_by', '=', userId),
    ],
    forget: (db, { userId }, parked_by) => [
      db.updateTable('guilds').set({ parked_by }).where('parked_by', '=', userId),
    ],
  },
  imports: { withoutMembers: 'Totals.' },
  changed_settings: { withoutMembers: 'Values of settings; the changes have the authors.' },
  setting_values: { withoutMembers: 'Settings of communities.' },
  settings_state: { withoutMembers: 'A version.' },
  forgotten_votes: { withoutMembers: 'Digests of members who were forgotten before, for a limited time.' },
  event_keys: { withoutMembers: 'Digests, which recognise repeated deliveries.' },
  order_names: { withoutMembers: 'Ids of orders; the orders have the members.' },
  parties: { withoutMembers: 'Totals.' },
  announcement_progress: { withoutMembers: 'Times.' },
  announced_reviews: { withoutMembers: 'Digests of reviews, whose authors have no id.' },
  outages: { withoutMembers: 'Times.' },
  heartbeats: { withoutMembers: 'A time.' },
  lease_groups: { withoutMembers: 'Numbers.' },
  lease_holders: { withoutMembers: 'Processes.' },
  leases: { withoutMembers: 'Processes.' },
  invalid_requests: { withoutMembers: 'Counts.' },
  guild_rejections: { withoutMembers: 'Counts of guilds.' },
  open_circuits: { withoutMembers: 'Channels and roles.' },
  installation: { withoutMembers: 'What holds for the whole installation.' },
  locks: { withoutMembers: 'Names of what is locked.' },
  revoked_sessions: { withoutMembers: 'Sessions of the owner.' },
  lookup_requests: { withoutMembers: 'Times of requests.' },
  registered_commands: { withoutMembers: 'Slash commands.' },
  counters: { withoutMembers: 'Totals.' },
  vote_counts: { withoutMembers: 'Totals.' },
  pruning: { withoutMembers: 'Positions.' },
  handler_subscriptions: { withoutMembers: 'Kinds of handlers.' },
  probes: { withoutMembers: 'A time.' },
};

/** Subtracts waiting effects that will be deleted from the counter. */
export function uncountWaiting(db: Kysely<Tables>, ids: readonly number[]) {
  const waiting = db.selectFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  const counted = waiting
    .where((eb) => eb('id', '<', db.selectFrom('counters').select('value').where('name', '=', 'effects below')))
    .select(({ fn }) => fn.countAll<number>().as('count'));
  return db
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '-', counted) }))
    .where('name', '=', 'effects');
}

/** SQLite uses the id of a deleted effect again if it was the newest one. */
export function countAgainFromNewest(db: Kysely<Tables>) {
  const next = sql<number>`(select coalesce(max(id), -1) + 1 from effects)`;
  return db.updateTable('counters').set({ value: next }).where('name', '=', 'effects below').where('value', '>', next);
}

/** The key begins with the import, so a member's items are looked up for each one. */
function importedOf(db: Kysely<Tables>, accounts: readonly string[]) {
  return db
    .selectFrom('imported_items')
    .selectAll()
    .where('user_id', 'in', accounts)
    .where('import_id', 'in', db.selectFrom('imports').select('id'));
}

/** A member's periods. The key begins with the period, so it is looked up for each one. */
export function votersOf(db: Kysely<Tables>, userId: string) {
  return db
    .selectFrom('party_voters')
    .selectAll()
    .where('user_id', '=', userId)
    .where('period', 'in', db.selectFrom('parties').select('period'));
}

function without(ids: readonly number[], others: ReadonlyMap<number, unknown>): readonly number[] {
  return others.size === 0 ? ids : ids.filter((id) => !others.has(id));
}

function inChunks<Row>(ids: readonly number[], build: (ids: readonly number[]) => Compilable<Row>): Compilable<Row>[] {
  return chunksOf(ids).map(build);
}
