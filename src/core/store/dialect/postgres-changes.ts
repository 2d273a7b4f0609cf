import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import { memoizeOne } from '@tallyhook/platform/memoize';
import type { Kysely } from 'kysely';
import type { AccountId } from '../../ledger/account.ts';
import { serializeContent } from '../../outbox/effect-kind.ts';
import type { AccountState } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import { serializeIdentities } from '../../tally/listing-context.ts';
import { accountColumns, accountValues } from '../account-columns.ts';
import { type HotTable, replacement } from '../recording/hot-table.ts';
import { insertCorrection, saveOrder, updateReplayedDelivery } from '../recording/queries.ts';
import type { Changes } from '../recording/unit-of-work.ts';
import { noDelivery, type Tables } from '../tables.ts';

/**
 * Sends the changes of a batch: everything that votes consist of in one statement, then what only premium events,
 * replays and corrections have. An error rejects the commit.
 * @param newEvents their deliveries, by key
 * @param locked accounts without entries, and rows that say nothing: those that still have none, and that are not changed,
 *   are deleted, because they were only inserted to lock them
 */
export function sendChanges(
  connection: PostgresTransactions,
  db: Kysely<Tables>,
  changes: Changes,
  newEvents: ReadonlyMap<EventKey, number>,
  locked: {
    readonly emptyAccounts: readonly AccountId[];
    readonly initialKeys: () => readonly (readonly [table: HotTable, keys: readonly string[]])[];
  },
): void {
  const { newDeliveries, replayedDeliveries, entries, accounts, effects, orders, corrections } = changes;
  connection.send({
    sql: writeRows,
    parameters: [
      JSON.stringify(
        newDeliveries.map((row) => (row.origin ? { ...row, origin: serializeIdentities(row.origin) } : row)),
      ),
      JSON.stringify([...newEvents].map(([key, deliveryId]) => ({ key, deliveryId }))),
      JSON.stringify(entries.map((entry) => ({ ...entry, untimed: entry.untimed ? 1 : 0 }))),
      JSON.stringify([...accounts.values()].map(toRow)),
      JSON.stringify(
        effects.map((effect) => ({
          ...effect,
          deliveryId: effect.deliveryId ?? noDelivery,
          content: serializeContent(effect),
        })),
      ),
      locked.emptyAccounts.filter((id) => !accounts.has(id)),
    ],
  });
  sendRewards(connection, changes);
  for (const [table, keys] of locked.initialKeys()) {
    const unchanged = keys.filter((key) => changes.rows.get(table)?.has(key) !== true);
    if (unchanged.length > 0) connection.send({ sql: deleteRowsOf(table), parameters: [unchanged] });
  }
  for (const delivery of replayedDeliveries) connection.send(updateReplayedDelivery(db, delivery).compile());
  for (const { order, at } of orders) for (const query of saveOrder(db, order, at)) connection.send(query.compile());
  const planned = [...changes.planned.values()].map((effect) => {
    const { plan, ...others } = effect;
    return { ...others, ...plan, content: serializeContent(effect) };
  });
  if (planned.length > 0) connection.send({ sql: writePlanned, parameters: [JSON.stringify(planned)] });
  for (const correction of corrections) connection.send(insertCorrection(db, correction).compile());
}

/** Grants, and the rows of the features, of which most batches have none. */
function sendRewards(connection: PostgresTransactions, { grants, rows }: Changes): void {
  if (grants.size > 0) connection.send({ sql: writeGrants, parameters: [JSON.stringify([...grants.values()])] });
  for (const [table, byKey] of rows) {
    connection.send({ sql: saveRowsOf(table), parameters: [JSON.stringify([...byKey.values()])] });
  }
}

const saveRowsOf = memoizeOne((table: HotTable): string => {
  const { name, key, columns } = table;
  const names = Object.keys(columns).join(', ');
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `
  insert into ${name} (${names})
  select ${names} from json_to_recordset($1::json) as rows (${types.join(', ')})
  on conflict (${key.join(', ')}) ${replacement(table)}`;
});

const deleteRowsOf = memoizeOne(({ name, key: [column = ''] }: HotTable): string => {
  return `delete from ${name} where ${column} = any($1::text[])`;
});

function toRow(account: AccountState): Record<string, unknown> {
  const values = accountValues(account);
  return Object.fromEntries([
    ['account_id', account.id],
    ...accountColumns.map((name, index) => [name, values[index]]),
  ]);
}

const accountTypes = accountColumns.map(
  (name) => `${name} ${['last_votes', 'history'].includes(name) ? 'text' : 'bigint'}`,
);

/** JSON is the fastest way to send many rows: a parameter per value takes longer to bind, and an array to build. */
const writeRows = `
  with
    new_deliveries as (
      insert into deliveries (
        id, received_at, family, listing, kind, outcome, reason, user_id, credits, body, original_id, origin
      )
      select id, "receivedAt", family, listing, kind, outcome, reason, "userId", credits, body, "originalId", origin
      from json_to_recordset($1::json) as rows (
        id bigint, "receivedAt" bigint, family text, listing text, kind text, outcome text, reason text, "userId" text,
        credits bigint, body text, "originalId" bigint, origin text
      )
    ),
    new_events as (
      insert into event_keys (key, delivery_id)
      select decode(key, 'hex'), "deliveryId" from json_to_recordset($2::json) as rows (key text, "deliveryId" bigint)
    ),
    new_entries as (
      insert into entries (
        id, account_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed, achievement
      )
      select id, "accountId", listing, credits, cause, reason, at, "deliveryId", previous, number, untimed, achievement
      from json_to_recordset($3::json) as rows (
        id bigint, "accountId" text, listing text, credits bigint, cause text, reason text, at bigint, "deliveryId" bigint,
        previous bigint, number bigint, untimed int, achievement text
      )
    ),
    changed_balances as (
      update balances set ${accountColumns.map((name) => `${name} = rows.${name}`).join(', ')}
      from json_to_recordset($4::json) as rows (account_id text, ${accountTypes.join(', ')})
      where balances.account_id = rows.account_id
    ),
    new_effects as (
      insert into effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, traceparent)
      select "deliveryId", kind, queue, content, 'waiting', 0, "createdAt", "createdAt", traceparent
      from json_to_recordset($5::json) as rows (
        "deliveryId" bigint, kind text, queue text, content text, "createdAt" bigint, traceparent text
      )
    )
  delete from balances where account_id = any($6::text[])`;

const writePlanned = `
  insert into planned_effects (key, user_id, delivery_id, kind, queue, content, due_at, planned_at)
  select key, "userId", "deliveryId", kind, queue, content, "dueAt", "createdAt"
  from json_to_recordset($1::json) as rows (
    key text, "userId" text, "deliveryId" bigint, kind text, queue text, content text, "dueAt" bigint, "createdAt" bigint
  )
  on conflict (key) do update set
    user_id = excluded.user_id, delivery_id = excluded.delivery_id, kind = excluded.kind, queue = excluded.queue,
    content = excluded.content, due_at = excluded.due_at, planned_at = excluded.planned_at`;

const writeGrants = `
  insert into grants (user_id, role, source, guild_id, until, state)
  select "userId", role, source, "guildId", until, state
  from json_to_recordset($1::json) as rows (
    "userId" text, role text, source text, "guildId" text, until bigint, state text
  )
  on conflict (user_id, role, source, guild_id) do update set until = excluded.until, state = excluded.state`;
