import type { Sql } from '../database.ts';

/** A session of the pages. */
export interface SessionId {
  /** Random, without the member's id. */
  readonly id: string;
  /** The end of the session, until which its revocation is stored (ms since the epoch). */
  readonly expiresAt: number;
}

/** Ends a session in all processes, and forgets those that have expired. `now` in ms since the epoch. */
export async function revokeSession(sql: Sql, { id, expiresAt }: SessionId, now: number): Promise<void> {
  await sql.deleteFrom('revoked_sessions').where('expires_at', '<=', now).execute();
  await sql
    .insertInto('revoked_sessions')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function isSessionRevoked(sql: Sql, id: string): Promise<boolean> {
  const revoked = sql.selectFrom('revoked_sessions').select('id').where('id', '=', id);
  return (await revoked.executeTakeFirst()) !== undefined;
}
