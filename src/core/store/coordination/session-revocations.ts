import { insertMissing, run } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';

/* The console sessions that were signed out, shared by all processes and kept over restarts. */

export const reads = {
  async isRevoked({ db, connection }: Sql, sessionId: string): Promise<boolean> {
    const revocation = db.selectFrom('revoked_sessions').select('id').where('id', '=', sessionId);
    return (await run(connection, revocation)).length > 0;
  },
};

export const writes = {
  /**
   * Deletes revocations of expired sessions.
   * @param session `expiresAt`: the end of the session, until which the revocation is stored; both times in ms since
   * the epoch
   */
  async revoke(
    sql: Sql,
    { id, expiresAt, now }: { readonly id: string; readonly expiresAt: number; readonly now: number },
  ): Promise<void> {
    await run(sql.connection, sql.db.deleteFrom('revoked_sessions').where('expires_at', '<=', now));
    await insertMissing(sql, 'revoked_sessions', { id }, { expires_at: expiresAt });
  },
};

export type SessionRevocations = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
