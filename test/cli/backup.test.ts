import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backupCommand } from '../../src/cli/backup.ts';
import { restoreCommand } from '../../src/cli/restore.ts';
import { runCommand, type Terminal } from '../../src/terminal/terminal.ts';
import { captive } from '../service/terminal.ts';
import { tempDir } from '../support/temp-dir.ts';
import { voted } from '../support/voted.ts';

type Verb = (args: readonly string[], terminal: Terminal) => Promise<number>;

async function run(verb: Verb, ...args: string[]) {
  const { terminal, output } = captive();
  const code = await runCommand(terminal, () => verb(args, terminal));
  return { code, output: output() };
}

afterEach(() => void vi.unstubAllEnvs());

describe('the commands backup and restore', () => {
  it('need no other setting than the database, and say what is in the copy', async () => {
    const directory = tempDir();
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/tally.db`);
    vi.stubEnv('DISCORD_TOKEN', '');
    await voted(`sqlite:${directory}/tally.db`, ['1', '2']);
    const copy = join(directory, 'copy.db');
    const words = /2 entries of 2 users, last delivery 2026-01-01T00:00:00.000Z\.$/;
    expect(await run(backupCommand, copy)).toEqual({ code: 0, output: expect.stringMatching(words) });
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/new.db`);
    expect(await run(restoreCommand, copy)).toEqual({ code: 0, output: expect.stringMatching(words) });
    expect(await run(restoreCommand, copy)).toEqual({ code: 1, output: expect.stringContaining('is not overwritten') });
  });

  it('end with 1 and a complaint for a ledger that does not add up, but copy it', async () => {
    const directory = tempDir();
    vi.stubEnv('DATABASE_URL', `sqlite:${directory}/tally.db`);
    await voted(`sqlite:${directory}/tally.db`, ['1', '2']);
    const database = new DatabaseSync(join(directory, 'tally.db'));
    database.exec('UPDATE balances SET votes = 7');
    database.close();
    expect(await run(backupCommand, join(directory, 'copy.db'))).toEqual({
      code: 1,
      output: expect.stringMatching(/is a whole copy.*\nThe balances of 2 users are not the sum/),
    });
  });

  it.each([
    [backupCommand, 'pg_dump'],
    [restoreCommand, 'pg_restore'],
  ])('name the tool of PostgreSQL, and not its password (%#)', async (verb, tool) => {
    vi.stubEnv('DATABASE_URL', 'postgres://me:hunter2@db.example/tally');
    const { code, output } = await run(verb, 'copy.dump');
    expect(code).toBe(2);
    expect(output).toContain(tool);
    expect(output).not.toContain('hunter2');
  });

  it('want one file, and a database that can be meant', async () => {
    expect(await run(backupCommand)).toMatchObject({ code: 2, output: expect.stringContaining('Name one file') });
    expect(await run(restoreCommand, 'a', 'b')).toMatchObject({ code: 2 });
    vi.stubEnv('DATABASE_URL', 'mysql://db.example');
    expect(await run(backupCommand, 'copy.db')).toMatchObject({
      code: 2,
      output: expect.stringContaining('DATABASE_URL'),
    });
  });
});
