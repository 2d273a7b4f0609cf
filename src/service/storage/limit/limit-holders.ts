import type { Clock } from '../../../platform/clock.ts';
import type { ReservationRules } from '../../rate-limit/reservations.ts';
import { bulkInsert } from '../bulk-insert.ts';
import type { Database } from '../database.ts';
import { replacedCheckMs } from './limit-file.ts';
import type { KeyReservation } from './limit-rows.ts';
import type { LimitTransactions } from './limit-transactions.ts';
import { reservationColumns, reservationValues, toReservation } from './reservations.ts';

/**
 * Registers a process that counts in a limit file, before it answers its first request, and gives the file what was
 * counted before: by processes that have stopped, and by versions that counted in the database.
 * @param holder.fileId the id of the limit file
 * @returns until when requests may be unknown (ms, monotonic)
 */
export async function registerHolder(
  options: {
    readonly database: Database;
    readonly transactions: LimitTransactions;
    readonly clock: Clock;
    readonly rules: ReservationRules;
  },
  { holder, fileId }: { holder: string; fileId: string },
): Promise<number> {
  const { database, transactions, clock, rules } = options;
  const lost = await database.selectFrom('limit_holders').select('holder').where('file_id', '<>', fileId).execute();
  // A process that lost its file only now notices it soon, and may then use up its block.
  const longestMs = replacedCheckMs + rules.blockMs + rules.windowMs;
  if (lost.length > 0) {
    await transactions.run((rows) => rows.extendUnknown(clock.now() + longestMs));
    // Only now: another process that starts finds the registrations, or what they mean in the file.
    for (const { holder } of lost) await database.deleteFrom('limit_holders').where('holder', '=', holder).execute();
  }
  await database.insertInto('limit_holders').values({ holder, file_id: fileId }).execute();
  const stored = await database
    .selectFrom('request_reservations')
    .selectAll()
    .where('counts_until', '>', clock.now() - rules.windowMs)
    .execute();
  const unknownUntil = await transactions.run((rows) => {
    for (const row of stored) {
      rows.of(row.key_id, holder).store(toReservation(row));
    }
    return rows.unknownUntil();
  });
  // Not longer after the clock was set back.
  return clock.monotonic() + Math.min(unknownUntil - clock.now(), longestMs);
}

/** Removes the registration, and stores durably what the process has counted, in one transaction. */
export async function unregisterHolder(
  database: Database,
  holder: string,
  own: readonly KeyReservation[],
): Promise<void> {
  await database.transaction().execute(async (sql) => {
    const insert = bulkInsert(sql, 'sqlite', 'request_reservations', Object.keys(reservationColumns));
    for (const { keyId, reservation } of own) await insert.add(...reservationValues(keyId, reservation));
    await insert.flush();
    await sql.deleteFrom('limit_holders').where('holder', '=', holder).execute();
  });
}
