import type { Kysely } from 'kysely';
import type { SessionRevocations } from '../../owner/revocations.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Signs sessions out, inside a transaction of `connection`. Those that have ended by themselves meanwhile are forgotten. */
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
  const found = db.selectFrom('revoked_sessions').select('id').where('id', '=', id);
  return (await run(connection, found)).length > 0;
}
