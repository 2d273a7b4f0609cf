import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../scripts/bundle.ts';
import { type Child, startChild } from '../process/child.ts';
import { atLeast, type Benchmark, figure, type Goal, type LogProgress, median, type Table, within } from '../report.ts';
import {
  type Contender,
  contenders,
  databaseFile,
  type Measurement,
  type RunningContender,
  startContender,
} from './contender.ts';

const method = `One vote from the first byte to the 200: signature, event, entry, balance, announcement in the outbox, commit with
\`synchronous=FULL\`. The whole program runs, with SQLite on a real disk (\`data/bench\`) and the options of Node of \`npm
start\`. Each tallyhook has its own local Discord, which responds and limits as Discord does, so while votes arrive nearly
all announcements wait in the outbox.

The load comes from wrk (Debian: \`apt install wrk\`): requests that were built and signed in advance, each once, over 64
connections, each of which sends the next vote when the previous one is answered. In each round all contenders run in turns,
and a ratio is the median over the rounds of two runs of the same round. 100,003 members vote in the order of their ids,
starting with an empty database. In the rows of members who come back, 1,000,003 members have voted before and vote in
scattered order, so that each vote changes another database page, of whatever store.

The floor writes the rows that tallyhook has written for a vote, with new keys, in a thread that commits what waits. Memory
is that of a bundle that has done nothing else. Afterwards every acknowledged vote must be in tallyhook's databases.`;

const memoryVotes = 150_000;
/** Votes before the warm-up, to estimate the rate. */
const firstVotes = 1_000;

/** The figures of each round, in the order of the rounds. */
type Runs = ReadonlyMap<Contender['name'], Measurement[]>;

/** The cost of a vote from the first byte to the 200, compared with alternatives. */
export const receive: Benchmark = {
  name: 'receive',
  method,
  async measure({ quick, directory }, logProgress) {
    const surroundings = await startSurroundings(join(directory, 'surroundings'));
    const running: RunningContender[] = [];
    try {
      for (const contender of contenders) running.push(await startContender(contender, { surroundings, directory }));
      const schedule = quick ? { rounds: 3, seconds: 1 } : { rounds: 7, seconds: 2 };
      const runs = await compare(running, schedule, logProgress);
      const verified = running.filter(({ module }) => module === 'tallyhook').map(verifyDurability);
      for (const each of running.splice(0)) await each.stop();
      logProgress('memory');
      return {
        goals: [...goals(runs), await measureMemory(surroundings, directory)],
        tables: [table(runs)],
        notes: [`All ${figure(sum(verified))} votes that tallyhook acknowledged were found in its databases.`],
      };
    } finally {
      for (const each of running) await each.stop();
      await surroundings.stop();
    }
  },
};

/** The process of the Discords and of the listing service. */
export function startSurroundings(directory: string): Promise<Child> {
  mkdirSync(directory, { recursive: true });
  return startChild(new URL('./surroundings-process.ts', import.meta.url), [directory]);
}

/** Runs the contenders in turns, so that what changes on the machine affects all of them. Each round begins with another one. */
async function compare(
  running: readonly RunningContender[],
  { rounds, seconds }: { rounds: number; seconds: number },
  logProgress: LogProgress,
): Promise<Runs> {
  const rates = new Map<string, number>();
  for (const contender of running) {
    logProgress(`warming up ${contender.name}`);
    let { rate } = await contender.run(firstVotes);
    // Twice, so that V8 has compiled the hot code.
    for (let times = 0; times < 2; times += 1) ({ rate } = await contender.run(Math.ceil(rate * seconds)));
    rates.set(contender.name, rate);
  }
  const runs = new Map(running.map(({ name }) => [name, [] as Measurement[]]));
  for (let round = 0; round < rounds; round += 1) {
    const begin = round % running.length;
    for (const contender of [...running.slice(begin), ...running.slice(0, begin)]) {
      const { name } = contender;
      const measured = await contender.run(Math.ceil((rates.get(name) ?? 0) * seconds));
      rates.set(name, measured.rate);
      runs.get(name)?.push(measured);
      logProgress(`round ${round + 1} of ${rounds}: ${name} ${figure(measured.rate)}/s`);
    }
  }
  return runs;
}

function goals(runs: Runs): Goal[] {
  const rate = (name: Contender['name'], other: Contender['name']) =>
    median((runs.get(name) ?? []).map((run, round) => run.rate / (runs.get(other)?.[round]?.rate ?? Number.NaN)));
  const written = median((runs.get('tallyhook-scattered') ?? []).map((run) => run.written));
  return [
    atLeast('rate over the floor, which writes the same rows', 0.85, rate('tallyhook', 'floor')),
    atLeast('rate over a minimal durable Fastify server', 0.75, rate('tallyhook', 'fastify')),
    atLeast('rate over the Express sample without storage', 1, rate('tallyhook', 'express')),
    atLeast('rate over a transaction per vote', 5, rate('tallyhook', 'express-sqlite')),
    atLeast('rate with members who come back, over that with new ones', 0.85, rate('tallyhook-scattered', 'tallyhook')),
    atLeast('the same, over that of the Fastify server', 0.75, rate('tallyhook-scattered', 'fastify-scattered')),
    within('written per vote of members who come back', 8, written / 1_024, 'KB'),
  ];
}

function table(runs: Runs): Table {
  return {
    caption: '64 connections, distinct signed votes of about 190 bytes. Times in ms, CPU of the server in µs per vote.',
    columns: ['', 'votes/s', 'p50', 'p99', 'CPU', 'KB written'],
    rows: contenders.map(({ name, title }) => {
      const of = (pick: (run: Measurement) => number) => figure(median((runs.get(name) ?? []).map(pick)));
      return [
        title,
        of((run) => run.rate),
        of((run) => run.p50),
        of((run) => run.p99),
        of((run) => run.cpu),
        of((run) => run.written / 1_024),
      ];
    }),
  };
}

/**
 * Resident memory after many votes at saturation, of a receiver that has done nothing else. It is a bundle, as `npm
 * start` and the image run it: from the sources, the program takes 100 MB more.
 */
async function measureMemory(surroundings: Child, parent: string): Promise<Goal> {
  const directory = join(parent, 'memory');
  const program = join(directory, 'program');
  await bundle(program, { bundled: 'bench/receive/bundled-process.ts' });
  const module = pathToFileURL(join(program, 'bundled.js'));
  const tallyhook = await startContender(contenderNamed('tallyhook'), { surroundings, directory, module });
  try {
    for (let sent = 0; sent < memoryVotes; sent += memoryVotes / 6) await tallyhook.run(memoryVotes / 6);
    return within(`resident memory after ${figure(memoryVotes)} votes`, 330, await tallyhook.resident(), 'MB');
  } finally {
    await tallyhook.stop();
  }
}

/** @throws Error for one that is not in the list */
export function contenderNamed(name: Contender['name']): Contender {
  const contender = contenders.find((each) => each.name === name);
  if (contender === undefined) throw new Error(`There is no contender "${name}".`);
  return contender;
}

/**
 * Checks that every acknowledged vote is in tallyhook's database: a row, an entry and an announcement each, and balances
 * that are the sums of the entries. Returns the number of votes.
 * @throws Error if one is missing
 */
function verifyDurability(tallyhook: RunningContender): number {
  const database = new DatabaseSync(join(tallyhook.directory, databaseFile), { readOnly: true });
  try {
    const count = (what: string) => Number(Object.values(database.prepare(`SELECT ${what}`).get() ?? {})[0]);
    const found = {
      recorded: count("count(*) FROM deliveries WHERE outcome = 'recorded'"),
      // Each earlier member has voted once.
      entries: count("count(*) FROM entries WHERE cause = 'vote'") - tallyhook.members,
      effects: count("count(*) FROM effects WHERE kind = 'announcement'"),
      votes: count('sum(votes) FROM balances') - tallyhook.members,
      wrongBalances: count(
        `count(*) FROM balances LEFT JOIN (SELECT account_id, sum(credits) AS owed FROM entries GROUP BY account_id) USING (account_id)
         WHERE credits IS NOT owed`,
      ),
    };
    const acknowledged = tallyhook.acknowledged();
    const { recorded, entries, effects, votes, wrongBalances } = found;
    if ([recorded, entries, effects, votes].some((each) => each !== acknowledged) || wrongBalances > 0) {
      const stored = JSON.stringify(found);
      throw new Error(`${tallyhook.name} acknowledged ${acknowledged} votes, and its database contains ${stored}.`);
    }
    return acknowledged;
  } finally {
    database.close();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
