import { type CompiledQuery, sql as expression } from 'kysely';
import { createBatches } from '../batches.ts';
import type { Database, Sql } from '../database.ts';
import type { DeliveryState } from '../tables.ts';
import { type DeliveryAttempt, insertAttempt, type LeasedDelivery } from './deliveries.ts';
import { clearFailures, pauseWebhook, recordFailure, type Webhook } from './webhooks.ts';

const settling = { maxItems: 64, maxRunning: 1 } as const;

/** What becomes of a delivery after an attempt. */
export interface NextState {
  readonly state: DeliveryState;
  /** Number of attempts since it was last queued. */
  readonly attempts: number;
  /** ms since the epoch. */
  readonly nextAttemptAt: number;
}

/** A delivery that succeeded, with its attempts, of which the last is the success. */
export interface Success {
  readonly delivery: LeasedDelivery;
  readonly webhook: Webhook;
  readonly attempts: readonly DeliveryAttempt[];
  readonly next: NextState;
}

/** One for each database, because those that succeed at the same time are settled together. */
const settlers = new WeakMap<Database, (success: Success) => Promise<void>>();

/** Stores the attempts, the state of the delivery, and that the webhook works. */
export function settleSuccess(database: Database, success: Success): Promise<void> {
  let settleTogether = settlers.get(database);
  if (settleTogether === undefined) {
    const nameOf = ({ delivery }: Success) => delivery.id;
    settleTogether = createBatches(settling, nameOf, async (successes) => {
      await database.batch(successes.flatMap((each) => statementsOf(database, each)));
      return successes.map(() => undefined);
    });
    settlers.set(database, settleTogether);
  }
  return settleTogether(success);
}

function statementsOf(database: Database, { delivery, webhook, attempts, next }: Success): CompiledQuery[] {
  return [
    ...attempts.map((attempt) => insertAttempt(database, delivery.id, attempt).compile()),
    settle(database, delivery, next).compile(),
    clearFailures(database, webhook).compile(),
  ];
}

/**
 * Stores failed attempts, the state of the delivery, and the failure of the webhook.
 * @param pauseReason decides by the webhook after this failure whether it is paused; null if the failure does not count
 */
export async function settleFailure(
  database: Database,
  delivery: LeasedDelivery,
  webhook: Webhook,
  attempts: readonly DeliveryAttempt[],
  next: NextState,
  failure: { readonly now: number; readonly pauseReason: (webhook: Webhook) => string | null } | null,
): Promise<void> {
  await database.transaction().execute(async (sql) => {
    for (const attempt of attempts) await insertAttempt(sql, delivery.id, attempt).execute();
    await settle(sql, delivery, next).execute();
    if (failure === null) return;
    const current = await recordFailure(sql, webhook, failure.now);
    const reason = current === null ? null : failure.pauseReason(current);
    if (reason !== null) await pauseWebhook(sql, webhook, reason, failure.now);
  });
}

/** Ends the lease of a delivery without a result. */
export async function releaseDelivery(database: Database, { id, leaseId }: LeasedDelivery): Promise<void> {
  await database
    .updateTable('deliveries')
    .set({ leased_until: null, lease_id: null })
    .where('id', '=', id)
    .where('lease_id', '=', leaseId)
    .execute();
}

/**
 * Ends the lease, unless it has passed to another process, which then settles the delivery. If the delivery was queued
 * again meanwhile, its state does not change, so that it is sent once more.
 */
function settle(sql: Sql, delivery: LeasedDelivery, next: NextState) {
  const unlessRequeued = <Value>(column: string, value: Value) =>
    expression<Value>`case when attempts = ${delivery.attempts} then ${value} else ${expression.ref(column)} end`;
  return sql
    .updateTable('deliveries')
    .set({
      state: unlessRequeued('state', next.state),
      attempts: unlessRequeued('attempts', next.attempts),
      next_attempt_at: unlessRequeued('next_attempt_at', next.nextAttemptAt),
      leased_until: null,
      lease_id: null,
    })
    .where('id', '=', delivery.id)
    .where('lease_id', '=', delivery.leaseId);
}
