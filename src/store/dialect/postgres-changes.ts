import type { Kysely } from 'kysely';
import { serializeContent } from '../json-columns.ts';
import { type Changes, isPlanned } from '../recording/changes.ts';
import { insertCorrection, insertPlanned, saveOrder, updateReplayedDelivery } from '../recording/queries.ts';
import { noDelivery, type Tables } from '../tables.ts';
import type { PostgresTransactions } from './postgres-connection.ts';

/**
 * Sends the changes of a batch: everything that votes consist of in one statement, then what only premium events,
 * replays and corrections have. An error rejects the commit.
 * @param emptyAccounts users without entries; the balances of those who still have none are deleted
 */
export function sendChanges(
  connection: PostgresTransactions,
  db: Kysely<Tables>,
  changes: Changes,
  emptyAccounts: readonly string[],
): void {
  const { newDeliveries, replayedDeliveries, events, entries, accounts, effects, orders, corrections } = changes;
  connection.send({
    sql: writeRows,
    parameters: [
      JSON.stringify(newDeliveries),
      JSON.stringify(events),
      JSON.stringify(entries.map((entry) => ({ ...entry, untimed: entry.untimed ? 1 : 0 }))),
      JSON.stringify(
        [...accounts.values()].map((account) => ({ ...account, lastVotes: JSON.stringify(account.lastVotes) })),
      ),
      JSON.stringify(
        effects
          .filter((effect) => !isPlanned(effect))
          .map((effect) => ({
            ...effect,
            deliveryId: effect.deliveryId ?? noDelivery,
            content: serializeContent(effect),
          })),
      ),
      emptyAccounts.filter((userId) => !accounts.has(userId)),
    ],
  });
  for (const delivery of replayedDeliveries) connection.send(updateReplayedDelivery(db, delivery).compile());
  for (const { order, at } of orders) for (const query of saveOrder(db, order, at)) connection.send(query.compile());
  for (const effect of effects.filter(isPlanned)) connection.send(insertPlanned(db, effect).compile());
  for (const correction of corrections) connection.send(insertCorrection(db, correction).compile());
}

/** JSON is the fastest way to send many rows: a parameter per value takes longer to bind, and an array to build. */
const writeRows = `
  with
    new_deliveries as (
      insert into deliveries (id, received_at, family, listing, kind, outcome, reason, user_id, credits, body)
      select id, "receivedAt", family, listing, kind, outcome, reason, "userId", credits, body
      from json_to_recordset($1::json) as rows (
        id bigint, "receivedAt" bigint, family text, listing text, kind text, outcome text, reason text, "userId" text,
        credits bigint, body text
      )
    ),
    new_events as (
      insert into event_keys (key, delivery_id)
      select decode(key, 'hex'), "deliveryId" from json_to_recordset($2::json) as rows (key text, "deliveryId" bigint)
    ),
    new_entries as (
      insert into entries (
        id, user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed
      )
      select id, "userId", listing, credits, cause, reason, at, "deliveryId", previous, number, untimed
      from json_to_recordset($3::json) as rows (
        id bigint, "userId" text, listing text, credits bigint, cause text, reason text, at bigint, "deliveryId" bigint,
        previous bigint, number bigint, untimed int
      )
    ),
    changed_balances as (
      update balances
      set credits = rows.credits, votes = rows.votes, last_entry = rows."lastEntry", last_votes = rows."lastVotes",
        entries = rows.entries
      from json_to_recordset($4::json) as rows (
        "userId" text, credits bigint, votes bigint, "lastEntry" bigint, "lastVotes" text, entries bigint
      )
      where balances.user_id = rows."userId"
    ),
    new_effects as (
      insert into effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at)
      select "deliveryId", kind, queue, content, 'waiting', 0, "createdAt", "createdAt"
      from json_to_recordset($5::json) as rows (
        "deliveryId" bigint, kind text, queue text, content text, "createdAt" bigint
      )
    )
  delete from balances where user_id = any($6::text[])`;
