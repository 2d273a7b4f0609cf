import { spawn } from 'node:child_process';
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryValue } from '@tallyhook/platform/testing/query-value';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { createDatabaseWithVotes } from '../support/database-with-votes.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings } from '../support/settings.ts';
import { postVote } from '../support/start-app.ts';
import { startListingService } from '../support/start-installation.ts';
import { launcher, startProgram } from '../support/start-program.ts';

/** Starts a program with Discord and a service, and sends votes continuously. */
async function startWithVotes() {
  const directory = tempDir();
  const discord = await localDiscord({ rateLimits: false });
  const { service, keys } = await startListingService();
  const environment = {
    ...{ ...settings(discord), DISCORD_GUILD_ID: discord.guildId, DATABASE_URL: 'sqlite:data/tallyhook.db' },
    ...{ LOOKUP_BASE_URL: service.baseUrl, LOOKUP_SERVER_KEY: keys.server },
  };
  const running = startProgram(['start'], environment, directory);
  const url = await running.url();
  let user = 0;
  let acknowledged = 0;
  let isVoting = true;
  onTestFinished(() => {
    isVoting = false;
  });
  const voting = Array.from({ length: 2 }, async () => {
    while (isVoting) {
      // The doctor, Discord and the service are in this process, and need its time, too.
      await sleep(10);
      user += 1;
      const response = await postVote(url, String(user)).catch(() => null);
      if (response?.status === 200) acknowledged += 1;
    }
  });
  // The commands under test need at least one vote in the database, and the doctor registered slash commands.
  await expect.poll(() => acknowledged, { timeout: 60_000 }).toBeGreaterThan(0);
  await expect.poll(running.output, { timeout: 60_000 }).toContain('slash commands registered');
  return {
    directory,
    environment,
    url,
    running,
    run: (...args: string[]) => runCommand(args, environment, directory),
    async endVoting() {
      isVoting = false;
      await Promise.all(voting);
      return acknowledged;
    },
  };
}

describe('while the program receives votes', { timeout: 120_000 }, () => {
  it('the doctor reports no failure, and a backup is complete and can be restored', async () => {
    const { directory, run, running, url, endVoting } = await startWithVotes();
    const doctor = await run('doctor', '--json', '--url', url);
    const { pass, findings } = JSON.parse(doctor.stdout);
    expect(findings.filter(({ level }: { level: string }) => level === 'fail')).toEqual([]);
    expect([doctor.code, pass]).toEqual([0, true]);
    const backup = await run('backup', 'copy.db');
    expect(backup).toMatchObject({ code: 0 });
    expect(backup.stdout).toMatch(
      /^Copied data\/tallyhook\.db to copy\.db: [1-9][\d,]* (entry|entries) of [1-9][\d,]* users?/,
    );
    expect(statSync(join(directory, 'copy.db')).mode & 0o777).toBe(0o600);

    const rejected = await run('restore', 'copy.db');
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop tallyhook first') });

    const acknowledged = await endVoting();
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(readdirSync(join(directory, 'data'))).not.toContain('tallyhook.db-wal');
    const database = new DatabaseSync(join(directory, 'data/tallyhook.db'));
    expect(queryValue(database, 'SELECT count(*) FROM entries')).toBe(acknowledged);
    database.close();

    renameSync(join(directory, 'data/tallyhook.db'), join(directory, 'old.db'));
    const restore = await run('restore', 'copy.db');
    expect(restore.code).toBe(0);
    const [, entries] = /copy\.db: (\d+) entr/.exec(restore.output.replaceAll(/(?<=\d),/g, '')) ?? [];
    expect(Number(entries)).toBeGreaterThan(0);
    expect(Number(entries)).toBeLessThanOrEqual(acknowledged);

    const finalDoctor = await run('doctor');
    expect(finalDoctor.code).toBe(0);
    expect(finalDoctor.stdout).toContain('✓ ledger         Every balance is the sum of its entries');
    expect(finalDoctor.stdout).toMatch(/0 failed, \d+ warnings?\.\n$/);
  });
});

describe('an export', { timeout: 120_000 }, () => {
  it('exits with 0 and without an error when its reader closes the pipe', async () => {
    const directory = tempDir();
    await createDatabaseWithVotes(`sqlite:${directory}/tally.db`, ['1']);
    const database = new DatabaseSync(join(directory, 'tally.db'));
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO entries (account_id, credits, cause, at) SELECT '1:7', 0, 'correction', 0 FROM n`,
    );
    database.close();
    writeFileSync(join(directory, '.env'), 'DATABASE_URL=sqlite:tally.db\n');
    const child = spawn(process.execPath, [launcher, 'export'], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => (stderr += String(data)));
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
    expect(stderr).toBe('');
  });
});
