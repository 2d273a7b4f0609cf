import { type Kysely, sql } from 'kysely';
import { type AccountId, accountIdOf, noCommunity, partsOf } from '../ledger/account.ts';
import { queueName, queuesLike } from '../outbox/queue.ts';
import { forgottenBody } from '../records/records.ts';
import { noMarks } from '../tally/account-state.ts';
import { forgottenCorrectionKey } from '../tally/idempotency-key.ts';
import { linkedEntries } from './account-columns.ts';
import * as communityIds from './communities.ts';
import { budgetStore, circuits, commandRegistry, leases, memberLocales, probes, sessions } from './coordination.ts';
import * as counters from './counters.ts';
import { countAgainFromNewest, uncountWaiting } from './counters.ts';
import * as guildData from './guild-data.ts';
import * as installation from './installation.ts';
import { deletedRows, inChunks, type MemberTables, renamedRows } from './member-data/member-table.ts';
import * as outbox from './outbox/store.ts';
import { literal } from './query-builder.ts';
import * as records from './records/store.ts';
import * as rekey from './settings/sealed.ts';
import * as settings from './settings/store.ts';
import type { SqlModules } from './sql-module.ts';
import { deliveryColumns, type Tables } from './tables.ts';

/** The statements of the core; those of features are beside their features. */
export const coreModules = {
  probes,
  outbox,
  records,
  counters,
  communityIds,
  installation,
  guildData,
  memberLocales,
  settings,
  rekey,
  leases,
  circuits,
  budgetStore,
  commandRegistry,
  sessions,
} satisfies SqlModules;

export type CoreModules = typeof coreModules;

/** Contents that no version can read, so that the effect is not carried out again. */
const forgottenContent = '{}';
const forgottenReason = 'The member was forgotten.';

/** The tables of the core. */
export const coreTables = {
  balances: {
    select: (db, { accounts }) =>
      accounts.length === 0 ? [] : [db.selectFrom('balances').selectAll().where('account_id', 'in', accounts)],
    forget: (db, { accounts }, pseudonym) =>
      accounts.map((accountId) => {
        const account_id = accountIdOf(partsOf(accountId).communityId, pseudonym);
        return db
          .updateTable('balances')
          .set({ account_id, roles: null, ...noMarks })
          .where('account_id', '=', accountId);
      }),
  },
  entries: {
    select: (db, { entryIds }) =>
      inChunks(entryIds, (ids) =>
        db.selectFrom('entries').selectAll().select(ownAchievement).where('id', 'in', ids).orderBy('id'),
      ),
    forget: (db, { entryIds, accounts, correctionKeys }, pseudonym) =>
      accounts
        .flatMap((accountId) => {
          const account_id = accountIdOf(partsOf(accountId).communityId, pseudonym);
          return inChunks(entryIds, (ids) =>
            db.updateTable('entries').set({ account_id }).where('id', 'in', ids).where('account_id', '=', accountId),
          );
        })
        .concat(
          // The reason of a correction is the text of a person, and programs choose the keys.
          inChunks(entryIds, (ids) =>
            db
              .updateTable('entries')
              .set({ reason: null, achievement: null })
              .where('id', 'in', ids)
              .where('cause', '=', literal('correction')),
          ),
          correctionKeys.map((key) => forgetKeyOfOther(db, key, accounts)),
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
    forget: (db, { userId, effectIds, queues, gifts }, pseudonym) => {
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
            .set({ queue: queueName('dm', noCommunity, pseudonym) })
            .where('id', 'in', ids)
            .where(({ eb, or }) =>
              or([
                eb('queue', 'in', queues),
                // From a community in which the member has no account.
                eb('queue', 'like', queuesLike('dm', userId)),
              ]),
            ),
        ),
      );
    },
  },
  planned_effects: deletedRows('planned_effects'),
  // Their roles are removed by effects.
  grants: deletedRows('grants'),
  orders: renamedRows('orders'),
  corrections: {
    // The member does not see who has made a correction.
    select: (db, { accounts }) =>
      accounts.length === 0
        ? []
        : [
            db
              .selectFrom('corrections')
              .select(['idempotency_key', 'account_id', 'credits', 'reason', 'balance', 'at'])
              .where('account_id', 'in', accounts),
          ],
    forget: (db, { accounts, correctionKeys, userId }, pseudonym) => [
      db.updateTable('corrections').set({ author: pseudonym }).where('author', '=', userId),
      ...accounts.map((accountId) => {
        const account_id = accountIdOf(partsOf(accountId).communityId, pseudonym);
        return db.updateTable('corrections').set({ account_id, reason: '' }).where('account_id', '=', accountId);
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
  member_languages: deletedRows('member_languages'),
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
  changed_settings: { withoutMembers: 'Values of settings; the changes have the authors.' },
  setting_values: { withoutMembers: 'Settings of communities.' },
  settings_state: { withoutMembers: 'A version.' },
  forgotten_votes: { withoutMembers: 'Digests of members who were forgotten before, for a limited time.' },
  event_keys: { withoutMembers: 'Digests, which recognise repeated deliveries.' },
  order_names: { withoutMembers: 'Ids of orders; the orders have the members.' },
  announcement_progress: { withoutMembers: 'Times.' },
  outages: { withoutMembers: 'Times.' },
  heartbeats: { withoutMembers: 'A time.' },
  lease_groups: { withoutMembers: 'Numbers.' },
  lease_holders: { withoutMembers: 'Processes.' },
  leases: { withoutMembers: 'Processes.' },
  rejected_requests: { withoutMembers: 'Counts of guilds.' },
  open_circuits: { withoutMembers: 'Channels and roles.' },
  communities: { withoutMembers: 'Guilds.' },
  installation: { withoutMembers: 'Settings of the program.' },
  locks: { withoutMembers: 'Names of what is locked.' },
  revoked_sessions: { withoutMembers: 'Sessions of the owner.' },
  lookup_requests: { withoutMembers: 'Times of requests.' },
  registered_commands: { withoutMembers: 'Slash commands.' },
  counters: { withoutMembers: 'Totals.' },
  vote_counts: { withoutMembers: 'Totals.' },
  pruning: { withoutMembers: 'Positions.' },
  probes: { withoutMembers: 'A time.' },
} satisfies Partial<MemberTables>;

/** In place of the column. The keys of programs are among the corrections. */
const ownAchievement = sql<string | null>`case when cause <> 'correction' then achievement end`.as('achievement');

/** The entry of another member with a key that contains the id of this one, such as of a transfer. Before the key is renamed. */
function forgetKeyOfOther(db: Kysely<Tables>, key: string, accounts: readonly AccountId[]) {
  const correction = db.selectFrom('corrections').select('account_id').where('idempotency_key', '=', key);
  const other = accounts.length === 0 ? correction : correction.where('account_id', 'not in', accounts);
  const newest = db.selectFrom('balances').select('last_entry').where('account_id', '=', other.$asScalar()).$asScalar();
  return db
    .updateTable('entries')
    .set({ achievement: forgottenCorrectionKey(key) })
    .where('id', 'in', linkedEntries(db, newest).selectFrom('linked').select('id').where('achievement', '=', key));
}

function without(ids: readonly number[], others: ReadonlyMap<number, unknown>): readonly number[] {
  return others.size === 0 ? ids : ids.filter((id) => !others.has(id));
}
