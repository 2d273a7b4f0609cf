import type { Benchmark, LogProgress, Profile } from '../benchmark.ts';
import { type Generator, startGenerator } from '../load/load.ts';
import { watchOtherPrograms } from '../process/other-programs.ts';
import { startBlackhole } from '../receive/blackhole.ts';
import { contenderNamed } from '../receive/contender.ts';
import { type RunningContender, startContender } from '../receive/contender-runner.ts';
import { figure, type Report } from '../report.ts';
import { measureAnnounceDelay } from './announce.ts';
import { type Cluster, measureCommit, measureRoundTrip, startCluster, withClient } from './cluster.ts';
import { type Installation, startInstallation } from './receivers.ts';
import {
  commitDelayMs,
  connections,
  connectionsPerReceiver,
  report,
  roundTripMs,
  type ScaleFigures,
} from './scale-report.ts';
import { measureScaling } from './scaling.ts';
import { verifyLedger } from './verify-ledger.ts';

const receiverCounts = [1, 2, 4];
const burst = { votes: 3_000, connections: 600 };

const method = `One, two and four processes of the whole program on one PostgreSQL database, against the Express sample without storage.
The benchmark starts its own PostgreSQL server with fsync on a real disk, and stops and deletes it afterwards, also
after Ctrl+C. It takes Linux, a PostgreSQL server and a C compiler.

Three conditions: the database on the same machine; 0.75 ms away, through a TCP proxy that delays every byte
(bench/scale/latency-proxy.c); and at that distance with 10 ms more per commit, as of a slow disk or a
synchronous standby (\`commit_delay\`, which holds the transaction's locks as these do). The load generator divides its 64
connections among the processes. While commits are slow, each process has 16 connections of its own, because one process
could put all 64 votes into one commit.

Then 3,000 votes arrive at four processes, 600 at once: a 503 is a vote that the service has to send again. Last, single
votes with random pauses are sent to a process that only receives, and another process posts them to the local Discord;
the time counts from the response to the vote until the message.

CPU of PostgreSQL is that of all its processes, from \`/proc\`. If other programs use more than 0.2 cores during the runs,
a note says so: processes, PostgreSQL, proxy and load generator share the machine, so on few cores the rates of two and
four processes without slow commits show the machine's limit. Goals for CPU apply to one process at 0.75 ms. After each
condition every acknowledged vote must be in the database once.`;

/** Several processes on one PostgreSQL database. */
export const scale: Benchmark = {
  name: 'scale',
  method,
  against: ['express', 'pg'],
  async measure(profile, logProgress) {
    const cluster = await startCluster(roundTripMs);
    if (cluster === null) {
      const left = 'Left out: it takes Linux, a PostgreSQL server and a C compiler (`cc`).';
      return { goals: [], tables: [], notes: [left] } satisfies Report;
    }
    // Stopped in reverse order.
    const running: { stop(): Promise<void> | void }[] = [cluster];
    try {
      return report(await measureAll(cluster, running, profile, logProgress));
    } finally {
      await stopAll(running);
    }
  },
};

async function measureAll(
  cluster: Cluster,
  running: { stop(): Promise<void> | void }[],
  profile: Profile,
  logProgress: LogProgress,
): Promise<ScaleFigures> {
  const schedule = profile.quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 2 };
  const generator = await startGenerator();
  const blackhole = await startBlackhole();
  running.push(generator, blackhole);
  let verified = 0;

  async function startInstallations(pick: 'url' | 'distantUrl') {
    const surroundings = {
      generator,
      databasePid: cluster.pid,
      proxyPid: cluster.proxyPid,
      silentDiscord: blackhole.url,
    };
    const started: { installation: Installation; url: string }[] = [];
    for (const count of receiverCounts) {
      const database = cluster.newDatabase();
      const installation = await startInstallation(count, database[pick], surroundings);
      running.push(installation);
      started.push({ installation, url: database.url });
    }
    return {
      installations: started.map(({ installation }) => installation),
      verify: async () => {
        const counts = await Promise.all(
          started.map(({ installation, url }) => withClient(url, (client) => verifyLedger(client, installation.votes))),
        );
        return counts.reduce((total, count) => total + count, 0);
      },
      stop: () => Promise.all(started.map(({ installation }) => installation.stop())),
    };
  }

  logProgress('the database on this machine');
  const database = cluster.newDatabase();
  const nearRoundTrip = await measureRoundTrip(database.url);
  const distantRoundTrip = await measureRoundTrip(database.distantUrl);
  const plainCommit = await measureCommit(database.url);
  const near = await startInstallations('url');
  const nearResult = await measureScaling(
    { installations: near.installations, express: null },
    () => connections,
    schedule,
    logProgress,
  );
  verified += await near.verify();
  await near.stop();

  logProgress(`the database ${roundTripMs} ms away`);
  const express = await startExpress(cluster, generator, blackhole.url);
  running.push(express);
  const distant = await startInstallations('distantUrl');
  const distantResult = await measureScaling(
    { installations: distant.installations, express },
    () => connections,
    schedule,
    logProgress,
  );
  await distant.verify();

  const largest = distant.installations.at(-1);
  if (largest === undefined) throw new Error('There is no installation.');
  logProgress(`${burst.votes} votes, ${burst.connections} at once`);
  const burstRun = await largest.run(burst.votes, { connections: burst.connections });
  await distant.verify();

  logProgress(`${commitDelayMs} ms more per commit`);
  await cluster.delayCommits(commitDelayMs);
  const slowCommit = await measureCommit(database.url);
  if (slowCommit < plainCommit + 0.9 * commitDelayMs) {
    throw new Error(
      `A commit should take ${commitDelayMs} ms more than ${figure(plainCommit)} ms: ${figure(slowCommit)}.`,
    );
  }
  const slowResult = await measureScaling(
    { installations: distant.installations, express: null },
    (receivers) => receivers * connectionsPerReceiver,
    schedule,
    logProgress,
  );
  verified += await distant.verify();
  await cluster.delayCommits(0);
  await distant.stop();

  logProgress('announcements of another process');
  const announced = cluster.newDatabase();
  const announceDelay = await measureAnnounceDelay(announced.distantUrl, profile.quick ? 20 : 40);
  verified += await withClient(announced.url, (client) => verifyLedger(client, announceDelay.votes));

  return {
    near: nearResult,
    distant: distantResult,
    slow: slowResult,
    burst: { ...burst, refused: burstRun.rejections.length, seconds: burst.votes / burstRun.rate, max: burstRun.max },
    announceDelay,
    roundTrips: { near: nearRoundTrip, distant: distantRoundTrip },
    commits: { plain: plainCommit, slow: slowCommit },
    verified,
  };
}

/** The Express sample without storage, as in the benchmark `receive`. */
function startExpress({ directory }: Cluster, generator: Generator, silentDiscord: string): Promise<RunningContender> {
  const discord = {
    discordUrl: silentDiscord,
    token: '',
    channelId: '',
    guildId: '',
    roles: { voter: '', milestone: '' },
  };
  const surroundings = { ...discord, lookupUrl: silentDiscord, lookupKey: '' };
  const environment = {
    generator,
    directory,
    surroundings: { create: async () => surroundings },
    otherPrograms: watchOtherPrograms(),
  };
  return startContender(contenderNamed('express'), environment);
}

/** Stops everything, also when one part fails to stop, and then throws its error. */
async function stopAll(running: readonly { stop(): Promise<void> | void }[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of running.toReversed()) {
    try {
      await part.stop();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Not everything could be stopped.');
}
