import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, receiver } from '../testing/running.ts';
import { startOtherProcess } from './another-process.ts';
import { signInVoters, storedVotes } from './voters.ts';

/** Makes the disk of a database full for a process. Returns what frees it. */
async function fillDisk(database: string, pid: number): Promise<() => Promise<void>> {
  const path = database.replace(/^sqlite:/, '');
  if (path !== database) {
    // A limit of the size of its files is a full disk to SQLite, and needs no privilege.
    const limit = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`]);
    limit(statSync(`${path}-wal`).size + 20_000);
    return async () => void limit('unlimited');
  }
  // What the server reports when it cannot extend the file of a table.
  const run = async (statements: readonly string[]) => {
    const opened = await openDatabase(database);
    for (const statement of statements) await sql.raw(statement).execute(opened);
    await opened.destroy();
  };
  await run([
    `create function fill_disk() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`,
    'create trigger full_disk before insert on votes execute function fill_disk()',
  ]);
  return () => run(['drop trigger full_disk on votes']);
}

describeOnBothDatabases('a service whose disk is full', (newDatabase) => {
  test('rejects votes with 503 and answers lookups, goes on when there is space, and loses nothing', async () => {
    const database = newDatabase();
    const { url, received } = await receiver();
    const setup = await startService({ database, allowLoopbackTargets: true });
    const { listing, key } = await setup.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    await setup.setWebhook(listing.id, { voteUrl: url });
    await setup.stop();
    const service = await startOtherProcess(database, { seed: false });
    onTestFinished(() => service.kill());
    const voters = await signInVoters(database, service.url, 90);
    const acknowledged: string[] = [];
    const voteAtOnce = (some: typeof voters) =>
      Promise.all(
        some.map(async (voter) => {
          const isCounted = await voter.vote('/bots/1');
          if (isCounted) acknowledged.push(voter.userId);
          return isCounted;
        }),
      );
    const statusOf = async (path: string) => (await ask(service.url + path, { headers: { 'X-API-Key': key } })).status;
    expect(await voteAtOnce(voters.slice(0, 20))).not.toContain(false);

    const free = await fillDisk(database, service.pid);
    for (let from = 20; (await voteAtOnce(voters.slice(from, from + 10))).every(Boolean); from += 10)
      expect(from).toBeLessThan(80);
    expect(await voteAtOnce(voters.slice(-5))).toContain(false);
    for (const path of ['/api/v1/bot', `/api/v1/votes/${voters[0]?.userId}`, '/bots/1', '/healthz'])
      expect([path, await statusOf(path)]).toEqual([path, 200]);

    await free();
    expect(await voteAtOnce(voters)).not.toContain(false);
    await eventually(async () => expect(await statusOf('/readyz')).toBe(200));
    const { voters: stored, deliveredVoters, deliveryIds } = await storedVotes(database, listing.id);
    expect(stored).toEqual(voters.map(({ userId }) => userId).toSorted());
    expect(acknowledged.filter((userId) => !stored.includes(userId))).toEqual([]);
    expect(deliveredVoters).toEqual(stored);
    await eventually(() => {
      const sent = new Set(received.map(({ headers }) => headers['x-webhook-id']));
      expect(deliveryIds.filter((id) => !sent.has(id))).toEqual([]);
    });
  }, 120_000);
});
