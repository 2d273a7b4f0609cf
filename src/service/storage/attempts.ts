import type { Sql } from './database.ts';

/** One POST of one delivery, and what came of it. */
export interface DeliveryAttempt {
  /** When it began (ms since the epoch). */
  readonly at: number;
  readonly durationMs: number;
  readonly url: string;
  /** Which secret signed it: `previous` only while a rotation overlaps and the receiver refused the current one. */
  readonly signedWith: 'current' | 'previous';
  /** The receiver's status; null when there was no answer. */
  readonly status: number | null;
  /** Why it did not count as delivered; null when it did. */
  readonly error: string | null;
  /** The beginning of the receiver's answer; null when there was none. */
  readonly answer: string | null;
}

export async function insertAttempt(sql: Sql, deliveryId: string, attempt: DeliveryAttempt): Promise<void> {
  await sql
    .insertInto('attempts')
    .values({
      delivery_id: deliveryId,
      at: attempt.at,
      duration_ms: attempt.durationMs,
      url: attempt.url,
      signed_with: attempt.signedWith,
      status: attempt.status,
      error: attempt.error,
      answer: attempt.answer,
    })
    .execute();
}

/** All attempts of these deliveries, by delivery, each list from the first to the last. */
export async function attemptsOf(sql: Sql, deliveryIds: readonly string[]): Promise<Map<string, DeliveryAttempt[]>> {
  const attempts = new Map<string, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]));
  if (deliveryIds.length === 0) return attempts;
  const rows = await sql
    .selectFrom('attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('id')
    .execute();
  for (const row of rows) {
    attempts.get(row.delivery_id)?.push({
      at: row.at,
      durationMs: row.duration_ms,
      url: row.url,
      signedWith: row.signed_with,
      status: row.status,
      error: row.error,
      answer: row.answer,
    });
  }
  return attempts;
}
