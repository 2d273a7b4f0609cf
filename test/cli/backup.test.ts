import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { running } from 'listing-service/testing/running';
import { captive } from 'listing-service/testing/terminal';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/main.ts';
import { createDatabaseWithVotes } from '../support/database-with-votes.ts';

async function run(...args: string[]) {
  const { terminal, output } = captive();
  const code = await runCommandLine(args, terminal);
  return { code, output: output() };
}

afterEach(() => void vi.unstubAllEnvs());

describe('the commands backup and restore', () => {
  it('require no setting other than DATABASE_URL, and print a summary of the copy', async () => {
    const directory = tempDir();
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/tally.db`);
    vi.stubEnv('DISCORD_TOKEN', '');
    await createDatabaseWithVotes(`sqlite:${directory}/tally.db`, ['1', '2']);
    const copy = join(directory, 'copy.db');
    const summary = /2 entries of 2 users, last delivery 2026-01-01T00:00:00.000Z\.$/;
    expect(await run('backup', copy)).toEqual({ code: 0, output: expect.stringMatching(summary) });
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/new.db`);
    expect(await run('restore', copy)).toEqual({ code: 0, output: expect.stringMatching(summary) });
    expect(await run('restore', copy)).toEqual({ code: 1, output: expect.stringContaining('is not overwritten') });
  });

  it('copy an inconsistent ledger, but exit with 1 and an error', async () => {
    const directory = tempDir();
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/tally.db`);
    await createDatabaseWithVotes(`sqlite:${directory}/tally.db`, ['1', '2']);
    const database = new DatabaseSync(join(directory, 'tally.db'));
    database.exec('UPDATE balances SET votes = 7');
    database.close();
    expect(await run('backup', join(directory, 'copy.db'))).toEqual({
      code: 1,
      output: expect.stringMatching(/^Copied .*\n2 balances in the copy and in the original differ/),
    });
  });

  it.each([
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ])('print the tool for PostgreSQL, without the password (%#)', async (command, tool) => {
    vi.stubEnv('DATABASE_URL', 'postgres://me:hunter2@db.example/tally');
    const { code, output } = await run(command, 'copy.dump');
    expect(code).toBe(2);
    expect(output).toContain(tool);
    expect(output).not.toContain('hunter2');
  });
});

describe('beside the listing service', () => {
  it("the bot's backup refuses the database of the service", async () => {
    const { database } = await running();
    vi.stubEnv('DATABASE_URL', database);
    expect(await run('backup', join(tempDir(), 'copy.db'))).toEqual({
      code: 1,
      output: expect.stringContaining('of the listing service, not of the bot'),
    });
  });

  it("the service's backup refuses the database of the bot", async () => {
    const directory = tempDir();
    await createDatabaseWithVotes(`sqlite:${directory}/tally.db`, ['1']);
    const args = ['backup', join(directory, 'copy.db'), '--database', `sqlite:${directory}/tally.db`];
    expect(await run('service', ...args)).toEqual({
      code: 1,
      output: expect.stringContaining('of the bot, not of the listing service'),
    });
  });
});
