/**
 * Shows what a failover of the database costs: two receivers and an announcer on a PostgreSQL primary with a standby,
 * and a local Discord. While signed votes arrive, and are sent again until they are acknowledged, the primary is killed
 * and the standby promoted. See docs/scaling.md for the figures.
 */

import { parseArgs } from 'node:util';
import { messageOf } from '@tallyhook/platform/errors';
import { postgresPrograms } from '@tallyhook/platform/testing/postgres';
import { type FailoverResult, isHaproxyInstalled, runFailover } from './failover/run-failover.ts';

/** The longest time without an acknowledged vote that a failover may cause (ms). */
const maxUnavailableMs = 5_000;

const help = `Kills a PostgreSQL primary under load and promotes its standby.

  node scripts/failover.ts [options]

  --async          an asynchronous standby, to see what it loses
  --votes N        how many members vote, each once (default 3000)
  --rate N         votes per second (default 200)
  --delay MS       how much later the standby receives what the primary sends (default 5)
  --rounds N       how often, each time with new servers (default 1)
  --proxy KIND     haproxy or node, what leads to the primary (default haproxy if it is installed)

It needs Linux and PostgreSQL (Debian: apt-get install postgresql haproxy), and takes about half a minute per round.
Everything runs on the loopback interface and in a temporary directory, which is deleted at the end.

Exits with 1 unless every acknowledged vote is there, nothing is paid or announced twice, and votes were acknowledged
again within ${maxUnavailableMs / 1_000} s. An asynchronous standby may lose acknowledged votes; that is what --async shows, so it does not count.`;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

try {
  process.exitCode = await main();
} catch (error) {
  console.error(stop.signal.aborted ? 'Stopped.' : messageOf(error));
  process.exitCode = stop.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      async: { type: 'boolean', default: false },
      votes: { type: 'string', default: '3000' },
      rate: { type: 'string', default: '200' },
      delay: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '1' },
      proxy: { type: 'string', default: isHaproxyInstalled() ? 'haproxy' : 'node' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const programs = postgresPrograms();
  if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
  if (!['haproxy', 'node'].includes(values.proxy)) throw new Error('--proxy is haproxy or node.');
  const isSynchronous = !values.async;
  const startedAt = performance.now();
  const results: FailoverResult[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    results.push(
      await runFailover({
        programs,
        isSynchronous,
        votes: Number(values.votes),
        rate: Number(values.rate),
        delayMs: Number(values.delay),
        useHaproxy: values.proxy === 'haproxy',
        signal: stop.signal,
        logProgress: (progress) => {
          const seconds = Math.round((performance.now() - startedAt) / 1_000);
          console.error(`${String(seconds).padStart(4)} s  round ${round}: ${progress}`);
        },
      }),
    );
  }
  console.log(renderResults(results, isSynchronous));
  return results.every((result) => isPassed(result, isSynchronous)) ? 0 : 1;
}

/**
 * True if the failover kept what it must keep. An asynchronous standby does not promise to have every acknowledged
 * vote.
 */
function isPassed({ unavailable, votes, losses }: FailoverResult, isSynchronous: boolean): boolean {
  const isComplete = losses.lost === 0 && losses.notAnnounced === 0 && votes.abandoned.length === 0;
  const isOnce = losses.paidTwice === 0 && losses.announcedTwice === 0;
  return isOnce && unavailable < maxUnavailableMs && (isComplete || !isSynchronous);
}

/** A table with a column for each round. */
function renderResults(results: readonly FailoverResult[], isSynchronous: boolean): string {
  const rows: [string, (result: FailoverResult) => string][] = [
    ['votes acknowledged', ({ votes }) => String(votes.acknowledged.size)],
    ['answered with 503 and sent again', ({ votes }) => String(votes.rejected)],
    ['not answered and sent again', ({ votes }) => String(votes.failed)],
    ['failure noticed after', ({ noticedAfter }) => seconds(noticedAfter)],
    ['standby promoted after', ({ promotedAfter }) => seconds(promotedAfter)],
    [`no vote acknowledged for (< ${maxUnavailableMs / 1_000} s)`, ({ unavailable }) => seconds(unavailable)],
    ['never acknowledged', ({ votes }) => String(votes.abandoned.length)],
    ['acknowledged and lost', ({ losses }) => String(losses.lost)],
    ['paid twice', ({ losses }) => String(losses.paidTwice)],
    ['announced twice', ({ losses }) => String(losses.announcedTwice)],
    ['recorded and not announced', ({ losses }) => String(losses.notAnnounced)],
    ['result', (result) => (isPassed(result, isSynchronous) ? 'passed' : 'FAILED')],
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const title = `${isSynchronous ? 'Synchronous' : 'Asynchronous'} standby, ${results[0]?.proxy ?? 'no'} proxy`;
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(8)).join('  ')}`;
  return [title, '', ...rows.map(([name, cell]) => line(name, results.map(cell)))].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
