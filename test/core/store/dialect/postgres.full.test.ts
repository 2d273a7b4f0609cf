import { describeOnPgBouncer, describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { postgres } from '../../../../src/core/store/dialect/postgres.ts';
import { openSnapshot } from '../../../../src/core/store/snapshots/snapshot.ts';
import { recordWhileConnectionsFail } from './failing-connections.ts';

function failureTests(newUrl: () => string): void {
  it('records each vote and each correction once if its sender retries', { timeout: 120_000 }, async () => {
    await recordWhileConnectionsFail(newUrl(), 30);
  });
}

describeOnPostgres('recording while connections fail', (server) => failureTests(() => server().newFilled('store')));
describeOnPgBouncer('recording through PgBouncer while connections fail', 'store', failureTests);

describeOnPgBouncer('a connection through PgBouncer', 'store', (newUrl) => {
  it('sets a statement timeout on the server, and not for other clients', async () => {
    const url = newUrl();
    const dialect = postgres(url);
    onTestFinished(() => dialect.close());
    const limit = { sql: 'SHOW statement_timeout', parameters: [] };
    expect(await dialect.reading.run(limit)).toEqual([{ statement_timeout: '10s' }]);
    for (const [connection, expected] of [
      [dialect.openWriting(), '1500ms'],
      [dialect.migrating, '0'],
    ] as const) {
      await connection.begin();
      expect(await connection.run(limit)).toEqual([{ statement_timeout: expected }]);
      await connection.commit();
    }
    const snapshot = await openSnapshot(url);
    const shown = { compile: () => sql<{ statement_timeout: string }>`SHOW statement_timeout`.compile(snapshot.db) };
    expect(await snapshot.run(shown)).toEqual([{ statement_timeout: '15min' }]);
    await snapshot.close();

    const other = new pg.Client({ connectionString: url });
    await other.connect();
    for (let query = 0; query < 8; query += 1) {
      expect((await other.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    }
    await other.end();
  });
});
