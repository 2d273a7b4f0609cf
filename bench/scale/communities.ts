import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Benchmark, LogProgress, Profile } from '../benchmark.ts';
import { diskBytesPer, readDiskBytes, warmPages } from '../process/disk-reads.ts';
import { atMost, figure, type Report } from '../report.ts';
import { percentile } from '../samples.ts';
import { type CommunitySizes, fillCommunities } from './communities-fill.ts';
import { communityOperations } from './communities-operations.ts';

/** How much slower than with one community an operation may be (p99). */
const maxRatio = 1.2;

/** A database, and the times of its operations (ms), by name. */
interface Measured {
  readonly title: string;
  readonly sizes: CommunitySizes;
  readonly bytes: number;
  readonly times: ReadonlyMap<string, number[]>;
  /** What all runs of an operation read from the disk (bytes), by its name; NaN if that is not known. */
  readonly diskBytes: Map<string, number>;
}

const method = `Whether one of a thousand communities costs the others anything: a database with 1,000 communities of 10,000 members
each, against one with a single community of 10,000, and, for information, one with ten million. The accounts are
loaded with bulk SQL, which takes some minutes and about 10 GB of disk in all; \`--keep\` leaves them for the next
run. The operations run on the store, in turns on all databases, each turn for another community and member: there,
and not in HTTP or Discord, the size could make a difference. Each file is read once before, so that the page cache
has it if it fits into memory. A vote is a durable transaction of its own. Commands follow a vote in the same
community.`;

/** Whether one of a thousand communities costs the others anything. */
export const communities: Benchmark = {
  name: 'communities',
  method,
  against: [],
  async measure(profile, logProgress) {
    const directory = join(profile.directory, 'communities');
    mkdirSync(directory, { recursive: true });
    try {
      return report(await measureAll(directory, profile, logProgress));
    } finally {
      if (!profile.keep) rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function measureAll(directory: string, { quick }: Profile, logProgress: LogProgress): Promise<Measured[]> {
  const members = quick ? 1_000 : 10_000;
  const count = quick ? 50 : 1_000;
  const databases: readonly CommunitySizes[] = [
    { communities: 1, members },
    { communities: count, members },
    { communities: 1, members: members * count },
  ];
  const running: { store: Store; measured: Measured; operations: ReturnType<typeof communityOperations> }[] = [];
  try {
    for (const sizes of databases) {
      const title = titleOf(sizes);
      const path = join(directory, `${sizes.communities}x${sizes.members}.db`);
      if (!existsSync(path)) await create(path, sizes, (progress) => logProgress(`${title}: ${progress}`));
      await warmPages(path);
      const store = await openStore(`sqlite:${path}`, systemClock);
      // Votes of an earlier run may be in the database.
      const [newest] = await store.records.deliveries({ outcome: null, limit: 1, before: null });
      const now = Math.max(systemClock.now(), newest?.receivedAt ?? 0) + 13 * hour;
      const operations = communityOperations(store, sizes, now);
      const times = new Map<string, number[]>(operations.map(({ name }) => [name, []]));
      running.push({
        store,
        operations,
        measured: { title, sizes, bytes: statSync(path).size, times, diskBytes: new Map() },
      });
    }
    const turns = quick ? 200 : 1_000;
    const warmUp = turns / 10;
    const names = [...(running[0]?.measured.times.keys() ?? [])];
    for (const [position, name] of names.entries()) {
      logProgress(name);
      for (let turn = 0; turn < turns + warmUp; turn += 1) {
        // In turns, so that a busy machine affects all of them.
        for (const { operations, measured } of running) {
          const operation = operations[position];
          await operation?.prepare?.();
          const readBefore = readDiskBytes();
          const startedAt = performance.now();
          await operation?.run();
          if (turn < warmUp) continue;
          measured.times.get(name)?.push(performance.now() - startedAt);
          const read = diskBytesPer(1, readBefore, readDiskBytes());
          measured.diskBytes.set(name, (measured.diskBytes.get(name) ?? 0) + read);
        }
      }
    }
    return running.map(({ measured }) => measured);
  } finally {
    await Promise.all(running.map(({ store }) => store.close()));
  }
}

/** Under a temporary name until it is complete, so that an aborted run leaves no incomplete database. */
async function create(path: string, sizes: CommunitySizes, logProgress: LogProgress): Promise<void> {
  const unfinished = `${path}.unfinished`;
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + end, { force: true });
  const startedAt = performance.now();
  await (await openStore(`sqlite:${unfinished}`, systemClock)).close();
  fillCommunities(unfinished, sizes, systemClock.now(), logProgress);
  renameSync(unfinished, path);
  logProgress(`filled in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

function titleOf({ communities, members }: CommunitySizes): string {
  const accounts = members.toLocaleString('en-US');
  return communities === 1
    ? `one community, ${accounts} accounts`
    : `${communities.toLocaleString('en-US')} communities, ${accounts} accounts each`;
}

function cellOf({ times, diskBytes }: Measured, name: string): string {
  const samples = times.get(name) ?? [];
  const read = (diskBytes.get(name) ?? Number.NaN) / samples.length;
  return `${figure(percentile(samples, 0.5))} / ${figure(percentile(samples, 0.99))}, ${figure(read)} B`;
}

function report(all: readonly Measured[]): Report {
  const [one, many] = all;
  const names = [...(one?.times.keys() ?? [])];
  const at = (measured: Measured | undefined, name: string, share: number) =>
    percentile(measured?.times.get(name) ?? [], share);
  return {
    goals: names.map((name) =>
      atMost(
        `p99 with ${many?.title ?? ''}, of that with one`,
        maxRatio,
        at(many, name, 0.99) / at(one, name, 0.99),
        name,
      ),
    ),
    tables: [
      {
        caption:
          'SQLite, one operation at a time, the databases in turns. Times in ms, p50 / p99, and bytes read from the disk.',
        columns: ['', ...names, 'MB'],
        rows: all.map((measured) => [
          measured.title,
          ...names.map((name) => cellOf(measured, name)),
          figure(measured.bytes / 1_000_000),
        ]),
      },
    ],
    notes: [],
  };
}
