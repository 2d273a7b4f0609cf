import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { claimFile } from '@tallyhook/platform/database/file-claim';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { testCache } from '@tallyhook/platform/testing/test-cache';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { createReceiver } from '../../src/app/receiver-app.ts';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

const secret = 'secret of the vote webhook';
const listings = [{ name: 'my-server', kind: 'server', voteSecrets: [secret] }] as const;

async function receiverIn(database: string, log = collectingLog().log) {
  const receiver = await createReceiver({ listings, database, port: 0, log });
  onTestFinished(() => receiver.stop());
  return receiver;
}

async function botIn(database: string, log = collectingLog().log, changes: Record<string, string> = {}) {
  const environment = { ...settings(unreachableDiscord), CACHE_URL: 'memory:', DATABASE_URL: `sqlite:${database}` };
  const app = await createApp(loadConfig({ ...environment, ...changes }), { log });
  onTestFinished(() => app.stop());
  return app;
}

describe('a SQLite file', () => {
  it.each([
    ['a receiver', 'another receiver', receiverIn, receiverIn],
    ['a bot', 'another bot', botIn, botIn],
    ['a bot', 'a receiver', botIn, receiverIn],
    ['a receiver', 'a bot', receiverIn, botIn],
  ])('of %s is not opened by %s until that has stopped', async (_first, _second, openFirst, openSecond) => {
    const database = join(tempDir(), 'votes.db');
    const first = await openFirst(database);
    const { logged, log } = collectingLog();
    let isOpen = false;
    const second = openSecond(database, log).then(() => {
      isOpen = true;
    });
    await expect.poll(() => JSON.stringify(logged)).toContain('another program uses the database');
    expect(isOpen).toBe(false);
    await first.stop();
    await second;
  });

  it('is refused if the other program does not stop, whichever path leads to it', async () => {
    const directory = tempDir();
    const database = join(directory, 'votes.db');
    await receiverIn(database);
    symlinkSync(database, join(directory, 'link.db'));
    for (const path of [database, join(directory, 'link.db')])
      await expect(claimFile(path, 'exclusive', undefined, 0)).rejects.toMatchObject({
        code: 'in_use',
        message: expect.stringContaining(path),
        hint: expect.stringContaining('postgres://'),
      });
  });

  it('is shared by processes with a part of the roles each, and not with a whole program', async () => {
    const database = join(tempDir(), 'votes.db');
    const { log } = collectingLog();
    const receiver = await botIn(database, log, { TALLYHOOK_ROLES: 'receive' });
    const announcer = await botIn(database, log, { TALLYHOOK_ROLES: 'announce,answer' });
    await receiver.stop();
    await expect(claimFile(database, 'exclusive', undefined, 0)).rejects.toMatchObject({ code: 'in_use' });
    await announcer.stop();
    (await claimFile(database, 'exclusive', undefined, 0))();
  });

  it('of a program that was killed is free at once', async () => {
    const database = join(tempDir(), 'votes.db');
    const entry = new URL('../../src/exports/receiver.ts', import.meta.url).href;
    const program = `
      import { createReceiver } from '${entry}';
      const receiver = await createReceiver(${JSON.stringify({ listings, database, port: 0 })});
      console.log(await receiver.start());
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, NODE_COMPILE_CACHE: join(testCache, 'samples') },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await expect(claimFile(database, 'shared', undefined, 0)).rejects.toMatchObject({ code: 'in_use' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { logged, log } = collectingLog();
    await receiverIn(database, log);
    expect(logged.filter(({ msg }) => msg.startsWith('created'))).toEqual([]);
  });

  it('is open to short commands meanwhile', async () => {
    const database = join(tempDir(), 'votes.db');
    await botIn(database);
    const store = await openStore(`sqlite:${database}`, systemClock, { thread: false });
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0 });
    await store.close();
  });

  it('that is new is a line in the log, with its path', async () => {
    const database = join(tempDir(), 'votes.db');
    const { logged, log } = collectingLog();
    await (await receiverIn(database, log)).stop();
    await receiverIn(database, log);
    expect(logged.filter(({ level }) => level >= 30)).toEqual([
      expect.objectContaining({ msg: 'created a new, empty ledger', database }),
    ]);
  });

  it('in a folder that does not exist is refused, with the folder that is probably meant', async () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'votes'));
    const opened = [receiverIn, botIn, (path: string) => openStore(`sqlite:${path}`, systemClock)];
    for (const open of opened) {
      await expect(open(join(directory, 'vots', 'tally.db'))).rejects.toMatchObject({
        code: 'cannot_open_database',
        hint: expect.stringContaining(`Did you mean ${join(directory, 'votes')}?`),
      });
      await expect(open(join(directory, 'other', 'place', 'tally.db'))).rejects.toMatchObject({
        code: 'cannot_open_database',
        hint: 'Correct the path, or create the folder first.',
      });
    }
    expect(existsSync(join(directory, 'vots'))).toBe(false);
    await expect(receiverIn(join(directory, 'vots', 'data', 'tally.db'))).rejects.toThrow('does not exist');
    await receiverIn(join(directory, 'data', 'tally.db'));
    expect(existsSync(join(directory, 'other'))).toBe(false);
  });
});
