import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { SessionRevocations } from '../../records/session-revocations.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Revokes console sessions, for use inside a transaction of `connection`. Deletes revocations of expired sessions. */
export function sessionWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    async revokeSession({ id, expiresAt, now }: Parameters<SessionRevocations['revoke']>[0]): Promise<void> {
      await run(connection, db.deleteFrom('revoked_sessions').where('expires_at', '<=', now));
      const row = db.insertInto('revoked_sessions').values({ id, expires_at: expiresAt });
      await run(
        connection,
        row.onConflict((conflict) => conflict.column('id').doNothing()),
      );
    },
  };
}

export async function isSessionRevoked(db: Kysely<Tables>, connection: Connection, id: string): Promise<boolean> {
  const revocation = db.selectFrom('revoked_sessions').select('id').where('id', '=', id);
  return (await run(connection, revocation)).length > 0;
}
