import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from '../../test/support/communities.ts';
import type { LogProgress } from '../benchmark.ts';
import { diskBytesPer, readDiskBytes, warmPages } from '../process/disk-reads.ts';
import { median, percentile } from '../samples.ts';
import { fill } from './fill.ts';
import { operations } from './operations.ts';
import { writeScores } from './scores.ts';

/** The measurements of a ledger of one size. */
export interface LedgerResult {
  readonly entries: number;
  /** By operation, ms. */
  readonly p50: ReadonlyMap<string, number>;
  readonly p99: ReadonlyMap<string, number>;
  /** Read from the disk by one run of an operation (bytes); NaN if that is not known. */
  readonly diskBytes: ReadonlyMap<string, number>;
  /** Reading and ranking all accounts, for the first page of a leaderboard (ms). */
  readonly ranking: number;
  /** Reading another page of it, in the middle (ms). */
  readonly anotherPage: number;
  /** The CPU time of the new ranking, which is what a busy machine leaves unchanged (ms). */
  readonly rankingCpu: number;
  /** Size on disk per vote (bytes). */
  readonly bytesPerVote: number;
  /** Opening the database (ms). */
  readonly opening: number;
}

/** @param turns how often each operation is run */
export async function measureLedger(
  path: string,
  entries: number,
  turns: number,
  logProgress: LogProgress,
): Promise<LedgerResult> {
  if (!existsSync(path)) await made(path, entries, logProgress);
  const bytesPerVote = statSync(path).size / entries;
  const opening = median([await timeToOpen(path), await timeToOpen(path), await timeToOpen(path)]);

  const store = await openStore(`sqlite:${path}`, systemClock);
  const times = new Map<string, number[]>();
  const diskBytes = new Map<string, number>();
  let [ranking, rankingCpu, anotherPage] = [Number.NaN, Number.NaN, Number.NaN];
  try {
    // A ledger kept from an earlier run also contains that run's votes.
    const [newest] = await store.records.deliveries({ outcome: null, limit: 1, before: null });
    const now = (newest?.receivedAt ?? 0) + 13 * hour;
    logProgress(`writing the scores of ${entries} entries`);
    writeScores(path, now);
    logProgress(`reading the file of ${entries} entries`);
    await warmPages(path);
    const standings = store.standingsIn(firstCommunity, 'UTC');
    const cpuBefore = process.threadCpuUsage();
    const startedAt = performance.now();
    const page = { period: 'all', by: 'credits', limit: 10, userId: null } as const;
    const { total } = await standings.leaderboard({ ...page, offset: 0 }, now);
    ranking = performance.now() - startedAt;
    const cpu = process.threadCpuUsage(cpuBefore);
    rankingCpu = (cpu.user + cpu.system) / 1_000;
    const rankedAt = performance.now();
    await standings.leaderboard({ ...page, offset: Math.floor(total / 2) }, now);
    anotherPage = performance.now() - rankedAt;
    for (const { name, run } of operations(store, standings, entries, now)) {
      logProgress(`${name} of ${entries} entries`);
      const samples: number[] = [];
      // Reads a leaderboard that is new.
      await run(turns);
      const readBefore = readDiskBytes();
      for (let turn = 0; turn < turns; turn += 1) {
        const startedAt = performance.now();
        await run(turn);
        samples.push(performance.now() - startedAt);
      }
      times.set(name, samples);
      diskBytes.set(name, diskBytesPer(turns, readBefore, readDiskBytes()));
    }
  } finally {
    await store.close();
  }
  const at = (share: number) => new Map([...times].map(([name, samples]) => [name, percentile(samples, share)]));
  const measured = { entries, p50: at(0.5), p99: at(0.99), diskBytes };
  return { ...measured, ranking, rankingCpu, anotherPage, bytesPerVote, opening };
}

/** Under a temporary name until it is complete, so an aborted run leaves no incomplete ledger. */
async function made(path: string, entries: number, logProgress: LogProgress): Promise<void> {
  const startedAt = performance.now();
  const unfinished = `${path}.unfinished`;
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + end, { force: true });
  logProgress(`filling a ledger with ${entries} entries`);
  await fill(unfinished, entries);
  renameSync(unfinished, path);
  logProgress(`filled in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

async function timeToOpen(path: string): Promise<number> {
  const startedAt = performance.now();
  const store = await openStore(`sqlite:${path}`, systemClock);
  const took = performance.now() - startedAt;
  await store.close();
  return took;
}
