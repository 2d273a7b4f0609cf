import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lockInOtherProcess, runInOtherProcess } from './another-process.ts';
import { ask, eventually, mira, ownerId, running, serverId } from './running.ts';

/** Repeatedly renews an order and votes; prints the errors. */
function renewAndVote(buyer: string): string {
  return `
    const failures = [];
    const { purchase } = await service.purchase({ listingId: '${serverId}', buyer: { userId: '${buyer}', username: 'b' } });
    for (let round = 0; round < 150; round += 1) {
      const voter = { userId: '${buyer}' + round, username: 'v' };
      await service.transitionOrder('${serverId}', purchase.orderId, 'subscription.renewed').catch((error) => failures.push(error.message));
      await service.castVote({ kind: 'server', ...voter }).catch((error) => failures.push(error.message));
    }
    console.log(JSON.stringify(failures));
    await service.stop();`;
}

test('two processes renew and vote concurrently on one database without errors', { timeout: 60_000 }, async () => {
  const { database, service } = await running();
  await service.setWebhook(serverId, { premiumUrl: 'http://127.0.0.1:65533/', voteUrl: 'http://127.0.0.1:65533/' });
  const results = await Promise.all(['71', '72'].map((buyer) => runInOtherProcess(database, renewAndVote(buyer))));
  expect(results).toEqual([
    { ended: 0, output: '[]\n' },
    { ended: 0, output: '[]\n' },
  ]);
});

test('processes that start concurrently on a new database migrate and seed it once', { timeout: 60_000 }, async () => {
  const { database, service } = await running({ seed: false });
  await service.stop();
  for (const suffix of ['', '-wal', '-shm']) rmSync(database.slice('sqlite:'.length) + suffix, { force: true });
  const results = await Promise.all(
    Array.from({ length: 3 }, () =>
      runInOtherProcess(database, 'console.log(service.seeded.keys !== null); await service.stop();'),
    ),
  );
  expect(results.map(({ ended: results }) => results)).toEqual([0, 0, 0]);
  expect(results.filter(({ output }) => output === 'true\n')).toHaveLength(1);
});

test('while another process holds the lock, writes get 503, lookups and pages succeed, and the event loop is not blocked', {
  timeout: 60_000,
}, async () => {
  const { service, get, keys, database, lines } = await running();
  const cookie = await signedIn(service.url);
  const form = await voteForm(service.url, cookie);
  const unlock = await lockInOtherProcess(database);

  let maxGapMs = 0;
  let last = performance.now();
  const ticker = setInterval(() => {
    maxGapMs = Math.max(maxGapMs, performance.now() - last);
    last = performance.now();
  }, 5);
  const startedAt = performance.now();
  const write = ask(`${service.url}/servers/${serverId}/vote`, { method: 'POST', headers: { cookie }, body: form });
  await sleep(200);
  const readStartedAt = performance.now();
  expect((await ask(`${service.url}/servers/${serverId}`)).status).toBe(200);
  expect(performance.now() - readStartedAt).toBeLessThan(1_500);

  for (let sent = 0; sent < 40; sent += 1)
    expect((await get('/server', { 'X-API-Key': keys.server })).status).toBe(200);
  expect(performance.now() - readStartedAt).toBeLessThan(3_000);

  const { status, headers, text } = await write;
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  clearInterval(ticker);
  expect(maxGapMs).toBeLessThan(1_000);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('5');
  expect(text).toContain('Please try again in a few seconds');
  expect(lines.join('\n')).toContain('another process has locked the database');

  const waitingVote = service.castVote({ kind: 'server', ...mira });
  await sleep(300);
  await unlock();
  expect((await waitingVote).recorded).toBe(true);
});

test('after the database file was deleted, writes are rejected', async () => {
  const { service, get, keys, database, lines, clock } = await running();
  expect((await service.castVote({ kind: 'server', ...mira })).recorded).toBe(true);
  rmSync(database.slice('sqlite:'.length));
  await expect(service.castVote({ kind: 'bot', ...mira })).rejects.toMatchObject({ code: 'store_unavailable' });
  clock.leap(1_000);
  const { status, headers, json } = await get('/server', { 'X-API-Key': keys.server });
  const error = expect.stringContaining('Try again in 5 seconds');
  expect({ status, json }).toEqual({ status: 503, json: { success: false, error } });
  expect(headers.get('retry-after')).toBe('5');
  await eventually(() => expect(lines.join('\n')).toContain('"code":"database_file_replaced"'));
});

async function signedIn(url: string): Promise<string> {
  const body = new URLSearchParams({ userId: ownerId });
  const { headers } = await ask(`${url}/sign-in`, { method: 'POST', body });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function voteForm(url: string, cookie: string): Promise<URLSearchParams> {
  const { text } = await ask(`${url}/servers/${serverId}`, { headers: { cookie } });
  return new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '' });
}
