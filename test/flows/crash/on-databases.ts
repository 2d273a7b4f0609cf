import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { it } from 'vitest';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { expectToSurvive } from './expect-to-survive.ts';
import type { MomentName } from './moments.ts';

const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['TALLYHOOK_CRASH_ROUNDS'] !== undefined;
const promise = 'every effect happens once';

/** Kills a program on SQLite, and two on PostgreSQL, at these moments: without any on PostgreSQL, they are not started. */
export function expectToSurviveKills(sqlite: readonly MomentName[], postgres: readonly MomentName[]): void {
  const shared = { seed, onRound: (line: string) => isLong && process.stderr.write(`${line}\n`) };
  const timeoutOf = (kills: number) => ({ timeout: 300_000 + kills * 30_000 });

  it(`${promise} after ${sqlite.length} kills (seed ${seed})`, timeoutOf(sqlite.length), async () => {
    const url = newSqliteUrl();
    await expectToSurvive({ ...shared, moments: sqlite, programs: ['handling'], url, freeSlots: () => {} });
  });

  if (postgres.length === 0) return;
  describeOnPostgres('with two programs on PostgreSQL', (server) => {
    it(`${promise} after ${postgres.length} kills (seed ${seed})`, timeoutOf(postgres.length), async () => {
      const url = server().newDatabase();
      const freeSlots = () => server().runSql('DELETE FROM leases; DELETE FROM lease_holders', url);
      await expectToSurvive({ ...shared, moments: postgres, programs: ['handling', 'start'], url, freeSlots });
    });
  });
}
