import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inAnotherProcess, lockedByAnotherProcess } from './another-process.ts';
import { ask, eventually, mira, ownerId, running, serverId } from './running.ts';

/** Renews an order of its own and votes, again and again; prints what failed. */
function renewing(buyer: string): string {
  return `
    const failures = [];
    const { purchase } = await service.purchase({ listingId: '${serverId}', buyer: { userId: '${buyer}', username: 'b' } });
    for (let round = 0; round < 150; round += 1) {
      const voter = { userId: '${buyer}' + round, username: 'v' };
      await service.movePurchase('${serverId}', purchase.orderId, 'subscription.renewed').catch((error) => failures.push(error.message));
      await service.castVote({ kind: 'server', ...voter }).catch((error) => failures.push(error.message));
    }
    console.log(JSON.stringify(failures));
    await service.stop();`;
}

test('two processes on one database renew and vote at once, and nothing fails', { timeout: 60_000 }, async () => {
  const { database, service } = await running();
  await service.setWebhook(serverId, { premiumUrl: 'http://127.0.0.1:9/', voteUrl: 'http://127.0.0.1:9/' });
  const ended = await Promise.all(['71', '72'].map((buyer) => inAnotherProcess(database, renewing(buyer))));
  expect(ended).toEqual([
    { ended: 0, output: '[]\n' },
    { ended: 0, output: '[]\n' },
  ]);
});

test('processes that start on one new database at once agree on its tables and keys', { timeout: 60_000 }, async () => {
  const { database, service } = await running({ seed: false });
  await service.stop();
  for (const companion of ['', '-wal', '-shm']) rmSync(database.slice('sqlite:'.length) + companion, { force: true });
  const ended = await Promise.all(
    Array.from({ length: 3 }, () =>
      inAnotherProcess(database, 'console.log(service.seeded.keys !== null); await service.stop();'),
    ),
  );
  expect(ended.map(({ ended }) => ended)).toEqual([0, 0, 0]);
  expect(ended.filter(({ output }) => output === 'true\n')).toHaveLength(1);
});

test('while another process holds the lock, what writes gets 503, what reads is answered, and nothing stands still', {
  timeout: 60_000,
}, async () => {
  const { service, get, keys, database, lines } = await running();
  const cookie = await signedIn(service.url);
  const form = await voteForm(service.url, cookie);
  const unlock = await lockedByAnotherProcess(database);

  let longestGap = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longestGap = Math.max(longestGap, performance.now() - last);
    last = performance.now();
  }, 5);
  const began = performance.now();
  const writing = Promise.all([
    ...Array.from({ length: 30 }, () => get('/server', { 'X-API-Key': keys.server })),
    ask(`${service.url}/servers/${serverId}/vote`, { method: 'POST', headers: { cookie }, body: form }),
  ]);
  await sleep(200);
  const readingBegan = performance.now();
  expect((await ask(`${service.url}/servers/${serverId}`)).status).toBe(200);
  expect(performance.now() - readingBegan).toBeLessThan(1_500);

  const answers = await writing;
  expect(performance.now() - began).toBeLessThan(5_000);
  clearInterval(ticking);
  expect(longestGap).toBeLessThan(1_000);
  for (const { status, headers } of answers) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
  }
  expect(answers[0]?.json).toEqual({ success: false, error: expect.stringContaining('Try again in 5 seconds') });
  expect(answers.at(-1)?.text).toContain('Please try again in a few seconds');
  expect(lines.join('\n')).toContain('another process has locked the database');

  const patient = get('/server', { 'X-API-Key': keys.server });
  await sleep(300);
  await unlock();
  expect((await patient).status).toBe(200);
});

test('where the database file was deleted, nothing is accepted that would be lost', async () => {
  const { service, get, keys, database, lines } = await running();
  expect((await service.castVote({ kind: 'server', ...mira })).recorded).toBe(true);
  rmSync(database.slice('sqlite:'.length));
  await expect(service.castVote({ kind: 'bot', ...mira })).rejects.toMatchObject({ code: 'store_unavailable' });
  const { status, headers, json } = await get('/server', { 'X-API-Key': keys.server });
  expect({ status, json }).toEqual({ status: 503, json: { success: false, error: expect.any(String) } });
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
