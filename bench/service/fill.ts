import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { type GeneratedListing, generate } from '../../packages/listing-service/src/generate/generate.ts';
import type { Population } from '../../packages/listing-service/src/generate/rows.ts';
import { openDatabase } from '../../packages/listing-service/src/storage/database.ts';
import { issueKey } from '../../packages/listing-service/src/storage/listings/keys.ts';
import type { LookupKey } from './lookups.ts';

/** Keys of each kind: with fewer, the limit of 120 requests in a minute would end the runs. */
const keysPerKind = 8_000;

export interface FilledDatabase {
  readonly path: string;
  readonly keys: readonly LookupKey[];
  /** Null if the database of an earlier run was used. */
  readonly rowsPerSecond: number | null;
}

/** Fills a new database in the directory; with `keep`, uses the one of an earlier run. */
export async function fillDatabase(directory: string, population: Population, keep: boolean): Promise<FilledDatabase> {
  const name = `service-${population.listings}-${population.votes}`;
  const path = join(directory, `${name}.db`);
  const keyFile = join(directory, `${name}.keys.json`);
  if (keep && existsSync(keyFile)) {
    await deleteDeliveries(path);
    return { path, keys: JSON.parse(readFileSync(keyFile, 'utf8')), rowsPerSecond: null };
  }
  removeDatabase(path);
  const database = await openDatabase(`sqlite:${path}`);
  const listings: GeneratedListing[] = [];
  const startedAt = performance.now();
  const rows = await generate(database, {
    population,
    now: systemClock.now(),
    signal: new AbortController().signal,
    onListing: (listing) => listings.push(listing),
    onProgress: () => {},
  });
  const rowsPerSecond = (rows * 1_000) / (performance.now() - startedAt);
  const keys: LookupKey[] = [...listings];
  await database.transaction().execute(async (sql) => {
    for (const kind of ['server', 'bot'] as const) {
      const own = listings.filter((listing) => listing.kind === kind);
      for (let index = own.length; index < keysPerKind; index += 1) {
        const { id } = own[index % own.length] ?? { id: '' };
        keys.push({ kind, id, key: await issueKey(sql, { id, kind }, 'Bench', 0) });
      }
    }
  });
  await database.destroy();
  writeFileSync(keyFile, JSON.stringify(keys));
  return { path, keys, rowsPerSecond };
}

/** Those of the last run wait for a receiver that is gone. */
async function deleteDeliveries(path: string): Promise<void> {
  const database = await openDatabase(`sqlite:${path}`);
  for (const table of ['attempts', 'deliveries', 'webhooks'] as const) await database.deleteFrom(table).execute();
  await database.destroy();
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  for (const limitFile of globSync(`${path}-limits*`)) rmSync(limitFile);
  rmSync(path.replace(/\.db$/, '.keys.json'), { force: true });
}
