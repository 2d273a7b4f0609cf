import { postgresPrograms, startPostgres } from '@tallyhook/platform/testing/postgres';
import pg from 'pg';
import { secret } from '../load/vote.ts';
import { runWrk } from '../load/wrk.ts';
import { type Child, startChild } from '../process/child.ts';
import { atLeast, type Benchmark, figure, type LogProgress, median, type Report } from '../report.ts';

/** Added to each commit, as by a slow disk or a synchronous standby, while it holds its locks (ms). */
const commitDelayMs = 10;
const connectionsPerReceiver = 16;
/** Votes before the warm-up, to estimate the rate. */
const firstVotes = 200;

const method = `One, two and four processes that receive votes, on one PostgreSQL database whose commits take ${commitDelayMs} ms more
(\`commit_delay\`), as with a slow disk or a synchronous standby. The benchmark starts its own PostgreSQL server with fsync on
a real disk. Each process has ${connectionsPerReceiver} connections of wrk, because one process could put all votes that wait into one commit. They
share the machine with PostgreSQL, so without slow commits the rates of more processes show its limit. Afterwards every
acknowledged vote must be in the database once.`;

/** Receivers that share one database. */
interface Installation {
  readonly url: string;
  readonly receivers: readonly Child[];
  sent: number;
  rate: number;
  readonly rates: number[];
}

/** Several processes on one PostgreSQL database. */
export const scale: Benchmark = {
  name: 'scale',
  method,
  async measure({ quick }, logProgress) {
    const programs = postgresPrograms();
    if (programs === null) return { goals: [], tables: [], notes: ['Left out: there is no PostgreSQL server.'] };
    const settings = [`commit_delay=${commitDelayMs * 1_000}`, 'commit_siblings=0', 'max_connections=200'];
    // Not in the temporary directory, which may be in memory.
    const server = await startPostgres(programs, { parent: '/var/tmp', settings });
    process.once('exit', server.stop);
    const installations: Installation[] = [];
    try {
      for (const count of [1, 2, 4]) installations.push(await startInstallation(server.newDatabase(), count));
      return await measureAll(
        installations,
        quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 2 },
        logProgress,
      );
    } finally {
      for (const { receivers } of installations) for (const receiver of receivers) await receiver.stop();
      process.off('exit', server.stop);
      server.stop();
    }
  },
};

async function startInstallation(url: string, count: number): Promise<Installation> {
  const settings = {
    ...{ TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: secret, ANNOUNCE_CHANNEL_ID: '613425648685547542' },
    ...{ DATABASE_URL: url, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'fatal' },
  };
  const receivers: Child[] = [];
  // One after the other, because the first one creates the tables.
  for (let number = 0; number < count; number += 1) {
    receivers.push(
      await startChild(new URL('../commands/tallyhook-bot.ts', import.meta.url), [JSON.stringify(settings)]),
    );
  }
  return { url, receivers, sent: 0, rate: 0, rates: [] };
}

async function measureAll(
  installations: readonly Installation[],
  { rounds, seconds }: { rounds: number; seconds: number },
  logProgress: LogProgress,
): Promise<Report> {
  for (const each of installations) {
    await send(each, firstVotes);
    for (let times = 0; times < 2; times += 1) await send(each, each.rate * seconds);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const each of round % 2 === 0 ? installations : installations.toReversed()) {
      await send(each, each.rate * seconds);
      each.rates.push(each.rate);
    }
    logProgress(`round ${round + 1} of ${rounds}: ${installations.map(({ rate }) => figure(rate)).join(', ')} votes/s`);
  }
  for (const each of installations) await verify(each);
  const [one, two, four] = installations;
  const over = (other: Installation | undefined) =>
    median((other?.rates ?? []).map((rate, round) => rate / (one?.rates[round] ?? Number.NaN)));
  return {
    goals: [
      atLeast(`rate of two processes over one, ${commitDelayMs} ms more per commit`, 1.7, over(two)),
      atLeast(`rate of four processes over one, ${commitDelayMs} ms more per commit`, 3, over(four)),
    ],
    tables: [
      {
        caption: `${connectionsPerReceiver} connections for each process.`,
        columns: ['', 'votes/s'],
        rows: installations.map(({ receivers, rates }) => [`processes: ${receivers.length}`, figure(median(rates))]),
      },
    ],
    notes: [],
  };
}

/** Sends new votes, divided among the receivers. */
async function send(installation: Installation, count: number): Promise<void> {
  const { receivers } = installation;
  const share = Math.ceil(count / receivers.length);
  const results = await Promise.all(
    receivers.map(async (receiver, index) => {
      const port = Number(new URL(await receiver.ask<string>('url')).port);
      const from = installation.sent + index * share;
      return runWrk({ port, from, count: share, connections: connectionsPerReceiver });
    }),
  );
  for (const { accepted } of results) {
    if (accepted !== share) throw new Error(`Only ${accepted} of ${share} votes were accepted.`);
  }
  installation.sent += share * receivers.length;
  installation.rate = results.reduce((sum, { rate }) => sum + rate, 0);
}

/** @throws Error if an acknowledged vote is missing or counted twice */
async function verify({ url, sent }: Installation): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string>>(`
      SELECT (SELECT count(*) FROM deliveries WHERE outcome = 'recorded') AS recorded,
        (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM effects) AS effects,
        (SELECT sum(votes) FROM balances) AS votes`);
    if (Object.values(rows[0] ?? {}).some((count) => Number(count) !== sent)) {
      throw new Error(`${sent} votes were acknowledged, and the database has ${JSON.stringify(rows[0])}.`);
    }
  } finally {
    await client.end();
  }
}
