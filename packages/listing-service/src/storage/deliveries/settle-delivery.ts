import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { boundQuery } from '@tallyhook/platform/database/prepared-query';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { sql as expression, type RawBuilder } from 'kysely';
import { createBatches } from '../batches.ts';
import type { Database } from '../database.ts';
import { jsonRows } from '../json-rows.ts';
import type { DeliveryState } from '../tables.ts';
import { type DeliveryAttempt, type LeasedDelivery, webhookName } from './deliveries.ts';
import { clearFailures, pauseWebhook, recordFailure, type SendableDelivery, type Webhook } from './webhooks.ts';

const settling = { maxItems: 256, maxRunning: 1 } as const;

export interface NextState {
  readonly state: DeliveryState;
  /** Number of attempts since it was last queued. */
  readonly attempts: number;
  /** ms since the epoch. */
  readonly nextAttemptAt: number;
}

/** A delivery after its attempts, of which the last decided what becomes of it. */
interface Ended {
  readonly delivery: SendableDelivery;
  readonly attempts: readonly DeliveryAttempt[];
  readonly next: NextState;
}

/** One for each database, because those that succeed at the same time are settled together. */
const settlerOf = memoizeOne(createSettler);

/** Stores the attempts, the state of the delivery, and that the webhook works. */
export function settleSuccess(database: Database, success: Ended): Promise<void> {
  return settlerOf(database)(success);
}

/** Settles with statements that are compiled once. */
function createSettler(database: Database): (success: Ended) => Promise<void> {
  const statements = [insertAttempts, endLeases, clearFailures].map((build) =>
    boundQuery<{ rows: string }>()((argument) => ({
      compile: () => build(database.dialect, argument('rows')).compile(database),
    })),
  );
  return createBatches(
    settling,
    ({ delivery }) => delivery.id,
    async (successes) => {
      const keyOf = ({ listingId, family }: SendableDelivery) => [listingId, family];
      const webhooks = new Map(successes.map(({ delivery }) => [webhookName(delivery), keyOf(delivery)]));
      const rows = [attemptRows(successes), leaseRows(successes), JSON.stringify([...webhooks.values()])];
      await database.batch(statements.map((bind, index) => bind({ rows: rows[index] ?? '' })));
      return successes.map(() => undefined);
    },
  );
}

/**
 * Stores failed attempts, the state of the delivery, and the failure of the webhook.
 * @param pauseReason decides by the webhook after this failure whether it is paused; null if the failure does not count
 */
export async function settleFailure(
  database: Database,
  ended: Ended,
  failure: { readonly now: number; readonly pauseReason: (webhook: Webhook) => string | null } | null,
): Promise<void> {
  const { webhook } = ended.delivery;
  await database.transaction().execute(async (sql) => {
    await insertAttempts(database.dialect, attemptRows([ended])).execute(sql);
    await endLeases(database.dialect, leaseRows([ended])).execute(sql);
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
 * Ends leases, unless they have passed to another process, which then settles the delivery. If a delivery was queued again
 * meanwhile, its state does not change, so that it is sent once more.
 */
function endLeases(dialect: SqlDialect, rows: string): RawBuilder<unknown> {
  const columns = {
    id: 'text',
    lease_id: 'text',
    sent: 'bigint',
    state: 'text',
    attempts: 'bigint',
    at: 'bigint',
  } as const;
  const unlessRequeued = (stored: string, next: string) =>
    expression`case when deliveries.attempts = ended.sent then ${expression.ref(next)} else ${expression.ref(stored)} end`;
  return expression`
    update deliveries set state = ${unlessRequeued('deliveries.state', 'ended.state')},
      attempts = ${unlessRequeued('deliveries.attempts', 'ended.attempts')},
      next_attempt_at = ${unlessRequeued('deliveries.next_attempt_at', 'ended.at')},
      leased_until = null, lease_id = null
    from ${jsonRows(dialect, rows, columns)} as ended
    where deliveries.id = ended.id and deliveries.lease_id = ended.lease_id`;
}

/** The statement that stores attempts, unless their delivery was deleted meanwhile. */
function insertAttempts(dialect: SqlDialect, rows: string): RawBuilder<unknown> {
  const columns = { place: 'bigint', delivery_id: 'text', at: 'bigint', duration_ms: 'bigint', url: 'text' } as const;
  const results = { signed_with: 'text', status: 'bigint', error: 'text', answer: 'text' } as const;
  return expression`
    insert into attempts (delivery_id, at, duration_ms, url, signed_with, status, error, answer)
    select delivery_id, at, duration_ms, url, signed_with, status, error, answer
    from ${jsonRows(dialect, rows, { ...columns, ...results })} as made
    where exists (select 1 from deliveries where id = delivery_id) order by place`;
}

function attemptRows(ended: readonly Ended[]): string {
  const all = ended.flatMap(({ delivery, attempts }) =>
    attempts.map((attempt) => ({ deliveryId: delivery.id, ...attempt })),
  );
  const rows = all.map(({ deliveryId, at, durationMs, url, signedWith, status, error, responseBody }, place) => {
    return [place, deliveryId, at, durationMs, url, signedWith, status, error, responseBody];
  });
  return JSON.stringify(rows);
}

function leaseRows(ended: readonly Ended[]): string {
  return JSON.stringify(
    ended.map(({ delivery, next }) => [
      ...[delivery.id, delivery.leaseId, delivery.attempts],
      ...[next.state, next.attempts, next.nextAttemptAt],
    ]),
  );
}
