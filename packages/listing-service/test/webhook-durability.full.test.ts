import { hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { mira, receiver, running, serverId } from '../testing/running.ts';
import { runInOtherProcess } from './another-process.ts';
import { newcomer, nudge, untilState } from './queue.ts';

test('finished deliveries are deleted after 90 days; waiting ones are not', async () => {
  const instance = await running();
  const { service, clock } = instance;
  const { url } = await receiver((_delivery, count) => (count === 1 ? 200 : 500));
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  await untilState(instance, 'delivered', 1);
  await service.castVote({ kind: 'server', ...newcomer });
  await eventually(async () => expect(await service.deliveries(serverId)).toHaveLength(2));
  clock.leap(91 * 24 * hour);
  await eventually(async () => {
    // The first maintenance may still calculate the growth of listings.
    await clock.advance(1 * minute);
    expect((await service.deliveries(serverId)).map(({ state }) => state)).toEqual(['waiting']);
  });
});

test('a delivery in flight at a stop is sent after the next start', async () => {
  const first = await running();
  const { url, received } = await receiver((_delivery, count) => (count === 1 ? new Promise<number>(() => {}) : 200));
  await first.service.setWebhook(serverId, { voteUrl: url });
  await first.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  const stopped = first.service.stop();
  await first.clock.advance(2 * second);
  await stopped;

  const restarted = await running({ database: first.database, clock: first.clock });
  await untilState(restarted, 'delivered', 1);
  expect(received).toHaveLength(2);
  expect(received[1]?.body).toBe(received[0]?.body);
});

test('two processes on one database send each delivery once', async () => {
  const instance = await running();
  const { service, clock, database } = instance;
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { voteUrl: url });
  clock.leap(Date.now() - clock.now());
  const other = runInOtherProcess(
    database,
    `for (let user = 1; user <= 15; user += 1) await service.castVote({ kind: 'server', userId: '1' + user, username: 'u' });
    await service.stop();`,
  );
  for (let user = 1; user <= 15; user += 1) {
    await service.castVote({ kind: 'server', userId: `2${user}`, username: 'u' });
  }
  await other;
  await eventually(async () => {
    clock.leap(Math.max(0, Date.now() - clock.now()));
    await nudge(instance);
    const states = (await service.deliveries(serverId)).map(({ state }) => state);
    expect(states).toEqual(Array.from({ length: 30 }, () => 'delivered'));
  });
  expect(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(30);
  expect(received).toHaveLength(30);
});

test('a confirmed vote is sent even if the process is killed immediately afterwards', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const { url, received } = await receiver();
  const { ended } = await runInOtherProcess(
    database,
    `await service.setWebhook('${serverId}', { voteUrl: 'http://127.0.0.1:65533/' });
    await service.castVote({ kind: 'server', userId: '42', username: 'u' });
    process.kill(process.pid, 'SIGKILL');`,
  );
  expect(ended).toBe('SIGKILL');

  const { service, clock } = await running({ database });
  clock.leap(Date.now() - clock.now() + 5 * minute);
  await service.setWebhook(serverId, { voteUrl: url });
  await eventually(() => expect(received).toHaveLength(1));
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ event: 'server_vote', userId: '42' });
});
