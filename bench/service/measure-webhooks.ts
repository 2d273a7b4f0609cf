import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/service/storage/database.ts';
import { pauseForOwner, resumeWebhook } from '../../src/service/storage/deliveries/webhooks.ts';
import type { LogProgress, Profile } from '../benchmark.ts';
import { type Child, startChild } from '../process/child.ts';
import { atLeast, figure, type Goal, type Table, within } from '../report.ts';
import { median, percentile } from '../samples.ts';
import { fillDatabase, removeDatabase } from './fill.ts';
import type { VoteRun, VotesCast } from './service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const population = { listings: 100, members: 100, votes: 1_000, reviews: 100 };
const webhooks = 50;
const callers = 64;
const backlog = 10_000;
const deadReceivers = 8;
/** Deliveries that wait for each of them. */
const deadBacklog = 200;
/** How long a receiver takes that is not instant (ms). */
const answerMs = 20;
const minPerSecond = 1_500;
const maxBacklogMs = 5_000;
const maxDelayMs = 50;

/** One measurement; `cpu` is that of the service per delivery (µs), with what else it did. */
interface Run {
  readonly perSecond: number;
  readonly cpu: number;
  readonly connections: number;
}

interface Bench {
  readonly service: Child;
  readonly database: Database;
  readonly receiver: WebhookReceiver;
  readonly listingIds: readonly string[];
}

/** The rate at which webhooks leave: while votes arrive, alone, to receivers that take 20 ms, and beside dead ones. */
export async function measureWebhooks(
  profile: Profile,
  logProgress: LogProgress,
): Promise<{ readonly goals: readonly Goal[]; readonly table: Table }> {
  const filled = await fillDatabase(profile.directory, population, false);
  const address = `sqlite:${filled.path}`;
  const service = await startChild(new URL('./service-process.ts', import.meta.url), [address]);
  const database = await openDatabase(address);
  const receiver = await startWebhookReceiver();
  const listingIds = [...new Set(filled.keys.map(({ id }) => id))].slice(0, webhooks + deadReceivers);
  const bench = { service, database, receiver, listingIds };
  const votes = profile.quick ? 4_000 : 10_000;
  try {
    const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
    for (let round = 0; round <= (profile.quick ? 3 : 5); round += 1) {
      const measured = await measureRound(bench, votes, logProgress);
      // The first round only warms up.
      if (round > 0) rounds.push(measured);
    }
    return reportOf(rounds);
  } finally {
    await service.stop();
    await database.destroy();
    receiver.stop();
    removeDatabase(filled.path);
  }
}

async function measureRound(bench: Bench, votes: number, logProgress: LogProgress) {
  const meanwhile = await measureMeanwhile(bench, votes);
  const many = await drainBacklog(bench, webhooks, 0);
  const one = await drainBacklog(bench, 1, 0);
  const slow = await drainBacklog(bench, webhooks, answerMs);
  const delays = await measureDelays(bench, 0);
  const besideDead = await measureDelays(bench, deadReceivers);
  logProgress(
    `${figure(meanwhile.votesPerSecond)} votes/s and meanwhile ${figure(meanwhile.perSecond)} webhooks/s; alone ${figure(many.perSecond)}/s, to one receiver ${figure(one.perSecond)}/s, to slow ones ${figure(slow.perSecond)}/s; p99 ${figure(delays)} ms, beside dead receivers ${figure(besideDead)} ms`,
  );
  return { meanwhile, many, one, slow, delays, besideDead };
}

function reportOf(rounds: readonly Awaited<ReturnType<typeof measureRound>>[]) {
  const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
  const row = (name: string, run: (round: (typeof rounds)[number]) => Run) => [
    name,
    figure(of((round) => run(round).perSecond)),
    figure(of((round) => run(round).cpu)),
    figure(of((round) => run(round).connections)),
  ];
  const goals = [
    atLeast(
      'webhooks while votes arrive: rate over that of the votes',
      0.5,
      of(({ meanwhile }) => meanwhile.perSecond / meanwhile.votesPerSecond),
    ),
    fastEnough(
      of(({ many }) => many.perSecond),
      `${webhooks} webhooks`,
    ),
    fastEnough(
      of(({ one }) => one.perSecond),
      'one webhook',
    ),
    within(
      `a backlog of ${backlog.toLocaleString('en-US')} webhooks, receivers answer in ${answerMs} ms`,
      maxBacklogMs / 1_000,
      of(({ slow }) => backlog / slow.perSecond),
      's',
    ),
    within(
      `a webhook beside ${deadReceivers} dead receivers with a backlog, p99`,
      maxDelayMs,
      of(({ besideDead }) => besideDead),
      'ms',
    ),
  ];
  const table: Table = {
    caption: `Webhooks that leave one process, and its CPU time for each; ${webhooks} receivers. Beside ${figure(of(({ meanwhile }) => meanwhile.votesPerSecond))} votes per second the CPU time is that of both. Without dead receivers the p99 of a single webhook is ${figure(of(({ delays }) => delays))} ms.`,
    columns: ['', 'per second', 'CPU, µs', 'connections'],
    rows: [
      row('while votes arrive', ({ meanwhile }) => meanwhile),
      row('alone', ({ many }) => many),
      row('alone, one receiver', ({ one }) => one),
      row(`receivers that answer in ${answerMs} ms`, ({ slow }) => slow),
    ],
  };
  return { goals, table };
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

let firstVoter = Math.floor(Math.random() * 1e9);

/** @returns the ids of their deliveries, and the time that the votes took (ms) */
async function vote({ service }: Bench, listingIds: readonly string[], count: number, concurrency = callers) {
  const run: VoteRun = { listingIds, count, concurrency, firstVoter };
  firstVoter += count;
  return service.ask<VotesCast>('vote', run);
}

async function setWebhooks({ service }: Bench, listingIds: readonly string[], urlOf: (webhook: number) => string) {
  for (const [webhook, listingId] of listingIds.entries())
    await service.ask('setWebhook', { listingId, url: urlOf(webhook) });
}

async function measureMeanwhile(bench: Bench, count: number): Promise<Run & { readonly votesPerSecond: number }> {
  const { receiver, listingIds } = bench;
  const ids = listingIds.slice(0, webhooks);
  await setWebhooks(bench, ids, (webhook) => receiver.url(0, webhook));
  const measure = await startMeasuring(bench);
  const { took, deliveryIds } = await vote(bench, ids, count);
  const run = await measure(took);
  await bench.receiver.untilDelivered(deliveryIds);
  return { ...run, votesPerSecond: (count * 1_000) / took };
}

/** Sends what waits for webhooks that were paused. */
async function drainBacklog(bench: Bench, receivers: number, answerAfterMs: number): Promise<Run> {
  const { service, database, receiver, listingIds } = bench;
  const ids = listingIds.slice(0, receivers);
  await setWebhooks(bench, ids, (webhook) => receiver.url(answerAfterMs, webhook));
  for (const listingId of ids) await pauseForOwner(database, { listingId, family: 'vote' }, Date.now());
  const { deliveryIds } = await vote(bench, ids, backlog);
  await database.transaction().execute(async (sql) => {
    for (const listingId of ids) await resumeWebhook(sql, { listingId, family: 'vote' });
  });
  const measure = await startMeasuring(bench);
  const startedAt = performance.now();
  await service.ask('nudge');
  await bench.receiver.untilDelivered(deliveryIds);
  return measure(receiver.lastAt() - startedAt);
}

/**
 * The time from a vote to its webhook, p99 (ms), one vote after the other.
 * @param dead how many other webhooks have a backlog and a receiver that does not answer
 */
async function measureDelays(bench: Bench, dead: number): Promise<number> {
  const { receiver, listingIds } = bench;
  const alive = listingIds.slice(0, 1);
  const others = dead === 0 ? [] : listingIds.slice(-dead);
  await setWebhooks(bench, alive, (webhook) => receiver.url(0, webhook));
  await setWebhooks(bench, others, () => receiver.deadUrl);
  if (dead > 0) await vote(bench, others, dead * deadBacklog);
  const delays: number[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    const startedAt = performance.now();
    const { deliveryIds } = await vote(bench, alive, 1, 1);
    await bench.receiver.untilDelivered(deliveryIds);
    delays.push(receiver.lastAt() - startedAt);
    await sleep(5);
  }
  // The next round does not send them.
  if (dead > 0) await giveUp(bench, others);
  return percentile(delays, 0.99);
}

async function giveUp({ database }: Bench, listingIds: readonly string[]): Promise<void> {
  await database
    .updateTable('deliveries')
    .set({ state: 'failed' })
    .where('listing_id', 'in', listingIds)
    .where('state', '=', 'waiting')
    .execute();
}

/** Starts measuring what leaves the service. The time is that of the caller (ms). */
async function startMeasuring({ service, receiver }: Bench): Promise<(took: number) => Promise<Run>> {
  const connections = receiver.connections();
  const received = receiver.received.size;
  const before = await service.usage();
  return async (took) => {
    const sent = receiver.received.size - received;
    return {
      perSecond: (sent * 1_000) / took,
      cpu: ((await service.usage()).cpu - before.cpu) / sent,
      connections: receiver.connections() - connections,
    };
  };
}
