import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPrograms, startPostgres } from '@tallyhook/platform/testing/postgres';
import { webhookResponseTimeoutMs } from '../../packages/listing-service/src/webhooks/attempt.ts';
import type { LogProgress, Profile } from '../benchmark.ts';
import { atLeast, atMost, figure, type Goal, type Table, within } from '../report.ts';
import { median } from '../samples.ts';
import { startCleanup } from '../scale/cleanup.ts';
import { removeDatabase } from './fill.ts';
import { backlog, type RatedRun, type Run, WebhookBench } from './webhook-bench.ts';

const webhooks = 50;
/** How long receivers take while votes arrive, and those of a backlog (ms). */
const answerMs = 50;
const backlogAnswerMs = 20;
/** A slow receiver beside another one (ms). */
const slowAnswerMs = 1_000;
const dead = 8;
const minPerSecond = 1_500;
const maxBacklogMs = 5_000;
const maxDelayMs = 50;

/** The receivers while votes arrive. */
const meanwhile = [
  { name: `${webhooks} receivers`, receivers: webhooks, dead: 0 },
  { name: 'one receiver', receivers: 1, dead: 0 },
  { name: '20 receivers, one of them dead', receivers: 20, dead: 1 },
] as const;

type Round = Awaited<ReturnType<typeof measureRound>>;

interface Measured {
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
}

/** The rate at which webhooks leave, while votes arrive and alone, and their delay beside slow and dead receivers. */
export async function measureWebhooks(profile: Profile, logProgress: LogProgress): Promise<Measured> {
  const rounds = await measureSqlite(profile, logProgress);
  const measured = [
    reportMeanwhile(
      'SQLite',
      rounds.map((round) => round.runs),
    ),
    ...(await measurePostgres(profile, logProgress)),
    reportAlone(rounds),
  ];
  return { goals: measured.flatMap(({ goals }) => goals), tables: measured.flatMap(({ tables }) => tables) };
}

async function measureSqlite(profile: Profile, logProgress: LogProgress): Promise<Round[]> {
  const path = join(profile.directory, 'service-webhooks.db');
  removeDatabase(path);
  const bench = await WebhookBench.start(`sqlite:${path}`);
  try {
    return await repeat(profile, () => measureRound(bench, profile, logProgress));
  } finally {
    await bench.stop();
    removeDatabase(path);
  }
}

/** Nothing if this machine has no PostgreSQL server. */
async function measurePostgres(profile: Profile, logProgress: LogProgress): Promise<Measured[]> {
  const programs = postgresPrograms();
  if (programs === null) return [];
  // On a disk by convention, and reachable for the user of the server.
  const directory = mkdtempSync('/var/tmp/tallyhook-bench-');
  chmodSync(directory, 0o711);
  const cleanup = startCleanup(directory);
  try {
    const server = await startPostgres(programs, { parent: directory, settings: [] });
    const bench = await WebhookBench.start(server.newDatabase());
    const rounds = await repeat(profile, () => measureMeanwhile(bench, 'PostgreSQL', profile, logProgress));
    await bench.stop();
    return [reportMeanwhile('PostgreSQL', rounds)];
  } finally {
    await cleanup.stop();
  }
}

async function repeat<Result>({ quick }: Profile, measure: () => Promise<Result>): Promise<Result[]> {
  const rounds: Result[] = [];
  for (let round = 0; round <= (quick ? 3 : 5); round += 1) {
    rounds.push(await measure());
    // Requests to the dead receiver would take places of the next round.
    await pause(webhookResponseTimeoutMs);
  }
  // The first one only warms up.
  return rounds.slice(1);
}

async function measureMeanwhile(
  bench: WebhookBench,
  database: string,
  { quick }: Profile,
  logProgress: LogProgress,
): Promise<RatedRun[]> {
  const runs: RatedRun[] = [];
  for (const { name, ...receivers } of meanwhile) {
    const run = await bench.measureMeanwhile(quick ? 4_000 : 10_000, { ...receivers, answerMs });
    const [votes, sent] = [run.votesPerSecond, run.perSecond].map(figure);
    logProgress(`${database}, ${name}: ${votes} votes/s and meanwhile ${sent} webhooks/s`);
    runs.push(run);
  }
  return runs;
}

async function measureRound(bench: WebhookBench, profile: Profile, logProgress: LogProgress) {
  const many = await bench.drainBacklog(webhooks, 0);
  const one = await bench.drainBacklog(1, 0);
  const slow = await bench.drainBacklog(webhooks, backlogAnswerMs);
  const delays = await bench.measureDelays();
  const besideSlow = await bench.measureDelays({ count: 1, waiting: 5_000, url: bench.receiver.url(slowAnswerMs, 1) });
  const besideDead = await bench.measureDelays({ count: dead, waiting: 200, url: bench.receiver.deadUrl });
  logProgress(
    `alone ${figure(many.perSecond)}/s, to one receiver ${figure(one.perSecond)}/s, to slow ones ${figure(slow.perSecond)}/s; p50 and p99 ${figure(delays.p50)} and ${figure(delays.p99)} ms, beside a slow receiver ${figure(besideSlow.p50)} and ${figure(besideSlow.p99)} ms, beside dead ones ${figure(besideDead.p50)} and ${figure(besideDead.p99)} ms`,
  );
  return {
    runs: await measureMeanwhile(bench, 'SQLite', profile, logProgress),
    many,
    one,
    slow,
    delays,
    besideSlow,
    besideDead,
  };
}

/** @param rounds the runs of each round, in the order of `meanwhile` */
function reportMeanwhile(database: string, rounds: readonly (readonly RatedRun[])[]): Measured {
  const of = (place: number, value: (run: RatedRun) => number) =>
    median(rounds.flatMap((runs) => runs.slice(place, place + 1)).map(value));
  return {
    goals: meanwhile.map(({ name }, place) =>
      atLeast(
        `webhooks while votes arrive, receivers answer in ${answerMs} ms: rate over that of the votes`,
        0.5,
        of(place, ({ perSecond, votesPerSecond }) => perSecond / votesPerSecond),
        `${database}, ${name}`,
      ),
    ),
    tables: [
      {
        caption: `Webhooks that leave one process while votes arrive, on ${database}, and its CPU time for a vote with its webhook.`,
        columns: ['', 'votes per second', 'webhooks per second', 'CPU, µs', 'connections'],
        rows: meanwhile.map(({ name }, place) => [
          name,
          ...[
            of(place, ({ votesPerSecond }) => votesPerSecond),
            of(place, ({ perSecond }) => perSecond),
            of(place, ({ cpu }) => cpu),
            of(place, ({ connections }) => connections),
          ].map(figure),
        ]),
      },
    ],
  };
}

function reportAlone(rounds: readonly Round[]): Measured {
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const row = (name: string, run: (round: Round) => Run) => [
    name,
    figure(of((round) => run(round).perSecond)),
    figure(of((round) => run(round).cpu)),
    figure(of((round) => run(round).connections)),
  ];
  const goals = [
    fastEnough(
      of(({ many }) => many.perSecond),
      `${webhooks} webhooks`,
    ),
    fastEnough(
      of(({ one }) => one.perSecond),
      'one webhook',
    ),
    within(
      `a backlog of ${backlog.toLocaleString('en-US')} webhooks, receivers answer in ${backlogAnswerMs} ms`,
      maxBacklogMs / 1_000,
      of(({ slow }) => backlog / slow.perSecond),
      's',
    ),
    atMost(
      `delay of a webhook beside a backlog of a receiver that answers in ${slowAnswerMs / 1_000} s, of that without, p50`,
      2,
      of(({ besideSlow, delays }) => besideSlow.p50 / delays.p50),
    ),
    within(
      `a webhook beside ${dead} dead receivers with a backlog, p99`,
      maxDelayMs,
      of(({ besideDead }) => besideDead.p99),
      'ms',
    ),
  ];
  const table: Table = {
    caption: `Webhooks that leave one process while no votes arrive, and its CPU time for each; ${webhooks} receivers. The p99 of a single webhook is ${figure(of(({ delays }) => delays.p99))} ms.`,
    columns: ['', 'per second', 'CPU, µs', 'connections'],
    rows: [
      row('alone', ({ many }) => many),
      row('alone, one receiver', ({ one }) => one),
      row(`receivers that answer in ${backlogAnswerMs} ms`, ({ slow }) => slow),
    ],
  };
  return { goals, tables: [table] };
}

function fastEnough(perSecond: number, of: string): Goal {
  return {
    what: 'webhooks of one process, alone',
    case: of,
    goal: `≥ ${minPerSecond.toLocaleString('en-US')}/s`,
    measured: `${figure(perSecond)}/s`,
    met: perSecond >= minPerSecond,
  };
}
