/**
 * Shows what a failover of the database costs: two receivers and an announcer on a PostgreSQL primary with a standby,
 * and a local Discord. While signed votes arrive, and are sent again until they are acknowledged, the primary is killed
 * and the standby promoted. See docs/scaling.md for the figures.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '@tallyhook/platform/errors';
import { postgresPrograms } from '@tallyhook/platform/testing/postgres';
import { type FailoverResult, isHaproxyInstalled, runFailover } from './failover/run-failover.ts';
import { isPassed, maxUnavailableMs, renderResults } from './failover/table.ts';

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
