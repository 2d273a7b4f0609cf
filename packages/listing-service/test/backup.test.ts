import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { serviceCommand } from '../src/cli/service-command.ts';
import { generate } from '../src/generate/generate.ts';
import { openDatabase } from '../src/storage/database.ts';
import { createBotDatabase } from '../testing/bot-database.ts';
import { running } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const { terminal, output } = captive(undefined, environment);
  const code = await serviceCommand(args, terminal);
  return { code, output: output() };
}

/** A database with listings, votes and reviews. */
async function createDatabase() {
  const directory = tempDir();
  const path = join(directory, 'service.db');
  const database = await openDatabase(`sqlite:${path}`);
  await generate(database, {
    population: { listings: 5, members: 20, votes: 60, reviews: 12 },
    now: systemClock.now(),
    signal: new AbortController().signal,
    onListing: () => {},
    onProgress: () => {},
  });
  await database.destroy();
  return { directory, path, address: `sqlite:${path}`, copy: join(directory, 'copy.db') };
}

function change(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

const contents = { listings: 5, members: 20, votes: 60, reviews: 12, lastVoteAt: expect.any(String) };

describe('the commands backup and restore of the service', () => {
  it('copy and restore a verified database, also as JSON', async () => {
    const { directory, address, path, copy } = await createDatabase();
    const backup = await run(['backup', copy, '--database', address]);
    const summary = '5 listings, 60 votes, 12 reviews, 20 members, last vote 20';
    expect(backup).toEqual({ code: 0, output: expect.stringContaining(`Copied ${path} to ${copy}: ${summary}`) });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const target = join(directory, 'new', 'service.db');
    const restored = await run(['restore', copy, '--json'], { SERVICE_DATABASE_URL: `sqlite:${target}` });
    expect(restored.code).toBe(0);
    expect(JSON.parse(restored.output)).toEqual({ file: copy, database: target, ...contents, differingCounts: 0 });
    expect(readdirSync(join(directory, 'new'))).toEqual(['service.db']);
    const database = await openDatabase(`sqlite:${target}`);
    expect(await database.selectFrom('votes').select('id').execute()).toHaveLength(60);
    await database.destroy();
  });

  it('exit with 1 if counts differ from the rows, but copy', async () => {
    const { address, path, copy } = await createDatabase();
    change(
      path,
      'update vote_counts set votes = votes + 1 where listing_id = (select min(listing_id) from vote_counts)',
    );
    const { code, output } = await run(['backup', '--database', address, copy]);
    expect(code).toBe(1);
    expect(output).toContain('The counts of 1 listing in the copy');
    change(copy, 'update review_counts set rating_sum = 0');
    const verified = await run(['backup', `${copy}2`, '--database', `sqlite:${copy}`, '--json']);
    expect(JSON.parse(verified.output.split('\n')[0] ?? '').differingCounts).toBeGreaterThan(1);
  });

  it('refuse a database that is in use, one that exists, and that of the bot', async () => {
    const { address, path, copy, directory } = await createDatabase();
    expect((await run(['backup', copy, '--database', address])).code).toBe(0);
    expect(await run(['restore', copy, '--database', address])).toEqual({
      code: 1,
      output: expect.stringContaining(`already exists at ${path}`),
    });
    const { database: used } = await running();
    expect(await run(['restore', copy, '--database', used])).toEqual({
      code: 1,
      output: expect.stringContaining('Stop the service first'),
    });
    const bot = join(directory, 'bot.db');
    await createBotDatabase(`sqlite:${bot}`);
    expect(await run(['backup', `${copy}2`, '--database', `sqlite:${bot}`])).toEqual({
      code: 1,
      output: expect.stringContaining(`${bot} is a database of the bot, not of the listing service.`),
    });
    expect(await run(['restore', bot, '--database', `sqlite:${directory}/new.db`])).toEqual({
      code: 1,
      output: expect.stringContaining('of the bot'),
    });
  });

  it('copy while the service runs', async () => {
    const { database, service } = await running();
    const copy = join(tempDir(), 'copy.db');
    const votes = ['11', '12', '13'].map((userId) =>
      service.castVote({ kind: 'bot', userId, username: `member ${userId}` }),
    );
    expect((await run(['backup', copy, '--database', database])).code).toBe(0);
    await Promise.all(votes);
  });

  it('print the tool for PostgreSQL, and need exactly one file', async () => {
    const address = 'postgres://me:hunter2@db.example/list';
    const backup = await run(['backup', 'a.dump'], { SERVICE_DATABASE_URL: address });
    expect(backup).toEqual({ code: 2, output: expect.stringContaining('pg_dump') });
    expect(backup.output).not.toContain('hunter2');
    expect(await run(['restore', 'a.dump', '--database', address])).toMatchObject({
      code: 2,
      output: expect.stringContaining('pg_restore'),
    });
    expect(await run(['backup'])).toEqual({ code: 2, output: expect.stringContaining("required argument 'file'") });
    expect((await run(['backup', '--help'])).output).toContain('listing-service backup [options] <file>');
  });
});

it('the address of the database comes from the option, the variable or the file that it names', async () => {
  const { terminal, output } = captive(undefined, { SERVICE_DATABASE_URL: 'x', SERVICE_DATABASE_URL_FILE: 'y' });
  expect(await serviceCommand(['doctor'], terminal)).toBe(2);
  expect(output()).toContain('set twice');
  expect(await run(['moderation'], { SERVICE_DATABASE_URL: 'mysql://db' })).toEqual({
    code: 2,
    output: expect.stringContaining('SERVICE_DATABASE_URL'),
  });
});
