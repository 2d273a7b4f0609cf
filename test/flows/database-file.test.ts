import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblems } from '@tallyhook/platform/database-files';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../support/diagnose.ts';
import { newSqliteFile } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';
import { createVoter } from '../support/voter.ts';

/** A bot with a database in a folder of its own, which has received 20 votes, and can be started again. */
async function receivingBot() {
  const directory = tempDir();
  const file = newSqliteFile(join(directory, 'tally.db'));
  const cache = join(directory, 'cache.db');
  const database = { DATABASE_URL: `sqlite:${file}`, CACHE_URL: `sqlite:${cache}` };
  const environment = { ...settings(unreachableDiscord), ...database };
  let bot = await startApp(environment);

  const { vote, verifyLedger } = createVoter(() => bot.url);
  const votes = async (count: number) => new Set(await vote(count));
  expect(await votes(20)).toEqual(new Set([200]));

  return {
    ...{ directory, file, cache, votes },
    /** What the running bot says about its store, besides its log. */
    async reports() {
      const readiness = await fetch(`${bot.url}/readyz`);
      const { parts } = (await readiness.json()) as { parts: { store: object } };
      const { findingsOf, text } = await diagnose({ ...environment, PORT: new URL(bot.url).port });
      return {
        ...{ readyz: readiness.status, store: parts.store, healthz: (await fetch(`${bot.url}/healthz`)).status },
        ...{ program: findingsOf('program'), ledger: findingsOf('ledger'), doctor: text },
      };
    },
    logged: () => bot.lines.map((line) => JSON.parse(line) as object),
    stop: () => bot.app.stop(),
    async restart() {
      await bot.app.stop();
      bot = await startApp(environment);
    },
    async expectAllVotesStored() {
      await bot.app.stop();
      await verifyLedger(file);
    },
  };
}

describe('while the bot runs, its database', { timeout: 120_000 }, () => {
  it('is deleted: votes are refused, and count again after a restart with the file put back', async () => {
    const { directory, file, votes, reports, logged, stop, restart, expectAllVotesStored } = await receivingBot();
    const copy = join(directory, 'copy.db');
    for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix);
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix);
    expect(await votes(20)).toEqual(new Set([503]));

    const { message, hint } = fileProblems.database;
    const { doctor, ...reported } = await reports();
    expect(reported).toEqual({
      ...{ readyz: 503, store: { ready: false, reason: message }, healthz: 200 },
      ...{ program: [`fail: The running tallyhook cannot store votes: ${message}`], ledger: [] },
    });
    expect(doctor).toContain(hint);
    const line = { level: 50, code: 'database_file_replaced', file, hint, msg: expect.stringContaining(message) };
    await expect.poll(logged, { timeout: 10_000 }).toContainEqual(expect.objectContaining(line));

    await stop();
    for (const suffix of ['', '-wal']) renameSync(copy + suffix, file + suffix);
    await restart();
    expect(await votes(20)).toEqual(new Set([200]));
    await expectAllVotesStored();
  });

  it('loses its -wal and -shm: votes are refused until a restart, and a regular stop loses none', async () => {
    const { file, votes, reports, restart, expectAllVotesStored } = await receivingBot();
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix);
    expect(await votes(20)).toEqual(new Set([503]));
    const { store, doctor } = await reports();
    expect(store).toEqual({ ready: false, reason: fileProblems.log.message });
    expect(doctor).toContain(fileProblems.log.hint);
    await restart();
    expect(await votes(20)).toEqual(new Set([200]));
    await expectAllVotesStored();
  });

  it('is moved away and back: votes are refused only meanwhile, as the bot has had the same file open', async () => {
    const { directory, votes, logged, expectAllVotesStored } = await receivingBot();
    renameSync(directory, `${directory}-moved`);
    expect(await votes(5)).toEqual(new Set([503]));
    await expect
      .poll(logged, { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ code: 'database_file_replaced' }));
    renameSync(`${directory}-moved`, directory);
    expect(await votes(20)).toEqual(new Set([200]));
    await expect.poll(() => JSON.stringify(logged()), { timeout: 10_000 }).toContain('the database file is back');
    await expectAllVotesStored();
  });

  it.each([
    ['deleted', (file: string) => rmSync(file)],
    ['truncated', (file: string) => truncateSync(file)],
  ])('stores votes although the file of the cache is %s', async (_, damage) => {
    const { cache, votes, reports, expectAllVotesStored } = await receivingBot();
    damage(cache);
    expect(await votes(20)).toEqual(new Set([200]));
    expect((await reports()).store).toEqual({ ready: true });
    await expectAllVotesStored();
  });
});
