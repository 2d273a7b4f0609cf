import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { singleValue } from '../support/single-value.ts';

export interface Target {
  readonly url: string;
  /** Stops the program and tells what is wrong with what it leaves behind; `taken` is how many deliveries were answered with 200. */
  inspect(taken: number): Promise<string[]>;
}

/** The real program as a process of its own, with a database of its own and neither Discord nor service. */
export async function startTarget(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-fuzz-'));
  const environment = {
    PATH: process.env['PATH'] ?? '',
    DISCORD_TOKEN: 'token-for-tests',
    DISCORD_API_URL: 'http://127.0.0.1:9/api',
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LOOKUP_SERVER_KEY: 'server-key-for-tests',
    VOTE_WEBHOOK_SECRET: voteSecret,
    PREMIUM_WEBHOOK_SECRET: premiumSecret,
    ANNOUNCE_CHANNEL_ID: '1',
    DATABASE_URL: `sqlite:${directory}/tallyhook.db`,
    CACHE_URL: 'memory:',
    PORT: '0',
  };
  const launcher = new URL('../../src/launch.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [launcher, 'start'], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints = text(child.stderr);
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  let log = '';
  const listening = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      log += data;
      const [, url] = /"url":"([^"]+)","msg":"receiving webhooks"/.exec(log) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then(() => null)]);
  if (url === null) throw new Error(`The program does not start:\n${log}${await complaints}`);

  return {
    url,
    async inspect(taken) {
      const alive = child.exitCode === null;
      child.kill('SIGTERM');
      const code = await ended;
      const faults = [
        ...(alive && code === 0 ? [] : [`It ended with ${code}.`]),
        ...log
          .split('\n')
          .filter((line) => /a (request|delivery) failed|nobody (foresaw|listened)|could not be stored/.test(line)),
        ...[voteSecret, premiumSecret].filter((secret) => log.includes(secret)).map(() => 'A secret is in the log.'),
        ...faultsOf(join(directory, 'tallyhook.db'), taken),
      ];
      rmSync(directory, { recursive: true });
      const said = await complaints;
      return said === '' ? faults : [...faults, said];
    },
  };
}

/** One row for each delivery that was taken, and balances that are the sums of their entries. */
function faultsOf(path: string, taken: number): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = singleValue(database, 'SELECT count(*) FROM deliveries') as number;
  const wrong = singleValue(
    database,
    `SELECT count(*) FROM (SELECT user_id, sum(credits) AS credits FROM entries GROUP BY user_id) AS sums
         FULL JOIN balances USING (user_id) WHERE sums.credits IS NOT balances.credits`,
  ) as number;
  database.close();
  return [
    ...(rows === taken ? [] : [`${taken} deliveries were taken, but there are ${rows} rows.`]),
    ...(wrong === 0 ? [] : [`${wrong} balances are not the sums of their entries.`]),
  ];
}
