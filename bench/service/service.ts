import type { Benchmark } from '../benchmark.ts';
import { atLeast, figure, type Goal, type Table } from '../report.ts';
import { fillDatabase, removeDatabase } from './fill.ts';
import type { Endpoint } from './lookups.ts';
import { flatGoals, goalsOf, type Measured, measureLookups, tableOf } from './measure-lookups.ts';
import { measureProcesses } from './measure-processes.ts';
import { measureVotes } from './measure-votes.ts';
import { measureWebhooks } from './measure-webhooks.ts';

const moderate = { listings: 1_000, members: 10_000, votes: 100_000, reviews: 10_000 };
const large = { listings: 10_000, members: 1_000_000, votes: 10_000_000, reviews: 1_000_000 };
/** A hundred times fewer. */
const small = { listings: 100, members: 10_000, votes: 100_000, reviews: 10_000 };

/** Rows that `generate` stores per second. */
const minRowsPerSecond = 100_000;

const method = `The lookup API of the listing service, beside an Express handler that reads the same rows of the same SQLite file with
prepared statements and has no limit of requests, and beside Express with a constant reply. 32 connections use 2,000 keys
in turn; each run has keys that the runs of the last minute did not use up. All run in turns, and a ratio is the median
over the rounds. The service's figures contain the count of each request for its limit. A 304 is the answer to a request with the entity tag of the response.

Votes go through the programmatic API, each with a webhook that is stored with it and sent to a receiver that answers;
the bot's receiver stores votes in a SQLite database of its own. The rate at which webhooks leave is measured while 64
callers vote, on SQLite and, if this machine has it, on PostgreSQL, with receivers that answer after 50 ms; and with a
backlog of 10,000 and receivers that answer at once or after 20 ms. The delay of a single webhook is measured beside
slow and dead receivers with a backlog. A vote without exactly one webhook fails the run.

With fewer than four cores, two processes and their load generators wait for each other, so the CPU time per request is
compared instead of the rate. \`--full\` measures with 10,000 listings, 1,000,000 members, 10,000,000 votes and 1,000,000
reviews, and with a hundredth of that.`;

/** The lookup API beside a plain Express handler with the same rows, and beside a constant reply. */
export const service: Benchmark = {
  name: 'service',
  method,
  against: ['express'],
  async measure(profile, logProgress) {
    const goals: Goal[] = [];
    const tables: Table[] = [];
    const notes: string[] = [];
    const bySize: Map<Endpoint, Measured>[] = [];
    for (const population of profile.full ? [small, large] : [moderate]) {
      logProgress(`filling a database with ${population.votes.toLocaleString('en-US')} votes`);
      const filled = await fillDatabase(profile.directory, population, profile.keep);
      try {
        const size = `${population.votes.toLocaleString('en-US')} votes`;
        const measured = await measureLookups(filled, population.members, profile, logProgress);
        bySize.push(measured);
        goals.push(...[...measured].flatMap(([endpoint, runs]) => goalsOf(`/${endpoint}, ${size}`, runs)));
        tables.push(tableOf(measured, size));
        const processes = await measureProcesses(filled, profile, logProgress);
        goals.push(processes.goal);
        notes.push(processes.note);
        const votes = await measureVotes(filled, profile, logProgress);
        goals.push(atLeast("votes with their webhook queued: rate over the bot's receiver", 0.5, votes.ratio, size));
        notes.push(votes.note);
        const { rowsPerSecond } = filled;
        if (rowsPerSecond !== null) goals.push(fillGoal(size, rowsPerSecond));
      } finally {
        if (!profile.keep) removeDatabase(filled.path);
      }
    }
    const webhooks = await measureWebhooks(profile, logProgress);
    goals.push(...webhooks.goals);
    tables.push(...webhooks.tables);
    const [few, many] = bySize;
    if (few !== undefined && many !== undefined) goals.push(...flatGoals(few, many));
    return { goals, tables, notes };
  },
};

function fillGoal(size: string, rowsPerSecond: number): Goal {
  return {
    what: `filling a database with ${size}, rows per second`,
    goal: `≥ ${minRowsPerSecond.toLocaleString('en-US')}`,
    measured: figure(rowsPerSecond),
    met: rowsPerSecond >= minRowsPerSecond,
  };
}
