import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type Goal, within } from '../report.ts';
import { median } from '../samples.ts';
import type { RunningContender } from './contender-runner.ts';

/** Deliveries and commits alternate in blocks of this size. */
const block = 25;
/** Per second: the server is idle when the next request arrives. */
const rate = 100;

/** Latency of a single vote on an idle server, compared with one plain commit on the same disk: batching must not delay it. */
export async function measureSingleVote(tallyhook: RunningContender, directory: string, blocks: number): Promise<Goal> {
  const database = plainDatabase(join(directory, 'plain.db'));
  const deliveries: number[] = [];
  const commits: number[] = [];
  for (let turn = 0; turn < blocks; turn += 1) {
    deliveries.push((await tallyhook.run(block, { rate, connections: 1 })).p50);
    for (let each = 0; each < block; each += 1) {
      await pause(1_000 / rate);
      commits.push(database.commit());
    }
  }
  database.close();
  return within(
    'a single vote on an idle server, above one plain commit',
    2,
    median(deliveries) - median(commits),
    'ms',
  );
}

/** One row in one transaction. `commit` returns the duration (ms). */
function plainDatabase(path: string): { commit(): number; close(): void } {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE votes (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO votes (body) VALUES (?)');
  const body = 'x'.repeat(190);
  return {
    commit() {
      const startedAt = performance.now();
      insert.run(body);
      return performance.now() - startedAt;
    },
    close: () => database.close(),
  };
}
