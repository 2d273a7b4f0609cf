import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { queryValue } from '@tallyhook/platform/testing/query-value';
import { botToken } from '../support/bot-token.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

/** Log messages of errors that no request may cause. */
const unexpectedErrors = /(request|delivery) failed|uncaught exception|unhandled rejection|could not be stored/;

export interface Target {
  readonly url: string;
  /**
   * Stops the program and returns the issues in its exit code, log and database. `accepted`: how many responses had
   * status 200.
   */
  inspect(accepted: number): Promise<string[]>;
}

/** Starts the program in a child process with its own database, without Discord and the service. */
export async function startTarget(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-fuzz-'));
  const environment = {
    ...settings({ ...unreachableDiscord, channels: { announcements: '1', premium: '1' } }),
    ...{ PATH: process.env['PATH'] ?? '', DISCORD_TOKEN: botToken, CACHE_URL: 'memory:' },
    DATABASE_URL: `sqlite:${directory}/tallyhook.db`,
  };
  const launcher = new URL('../../src/launch.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [launcher, 'start'], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(child.stderr);
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
  if (url === null) throw new Error(`The program did not start:\n${log}${await stderr}`);

  return {
    url,
    async inspect(accepted) {
      const isRunning = child.exitCode === null;
      child.kill('SIGTERM');
      const code = await ended;
      const issues = [
        ...(isRunning && code === 0 ? [] : [`The exit code is ${code}.`]),
        ...log.split('\n').filter((line) => unexpectedErrors.test(line)),
        ...[voteSecret, premiumSecret].filter((secret) => log.includes(secret)).map(() => 'A secret is in the log.'),
        ...databaseIssues(join(directory, 'tallyhook.db'), accepted),
      ];
      rmSync(directory, { recursive: true });
      const errorOutput = await stderr;
      return errorOutput === '' ? issues : [...issues, errorOutput];
    },
  };
}

/** Checks for one row per accepted delivery, and balances that equal the sums of their entries. */
function databaseIssues(path: string, accepted: number): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = Number(queryValue(database, 'SELECT count(*) FROM deliveries'));
  const wrongBalances = Number(
    queryValue(
      database,
      `SELECT count(*) FROM (SELECT account_id, sum(credits) AS credits FROM entries GROUP BY account_id) AS sums
         FULL JOIN balances USING (account_id) WHERE sums.credits IS NOT balances.credits`,
    ),
  );
  database.close();
  return [
    ...(rows === accepted ? [] : [`${accepted} deliveries were accepted, but the log has ${rows} rows.`]),
    ...(wrongBalances === 0 ? [] : [`${wrongBalances} balances differ from the sums of their entries.`]),
  ];
}
