import { expect, test } from 'vitest';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { tempDir } from '../support/temp-dir.ts';
import { inAnotherProcess } from './another-process.ts';
import { newcomer, nudge, settled } from './queue.ts';
import { eventually, mira, receiver, running, serverId } from './running.ts';

test('what is done is forgotten after three months; what waits is not', async () => {
  const all = await running();
  const { service, clock } = all;
  const { url } = await receiver((_delivery, count) => (count === 1 ? 200 : 500));
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  await settled(all, 'delivered', 1);
  await service.castVote({ kind: 'server', ...newcomer });
  await eventually(async () => expect(await service.deliveries(serverId)).toHaveLength(2));
  clock.leap(91 * 24 * hour);
  await clock.advance(1 * minute);
  await eventually(async () => {
    expect((await service.deliveries(serverId)).map(({ state }) => state)).toEqual(['waiting']);
  });
});

test('what was under way at a stop is sent after the next start', async () => {
  const first = await running();
  const { url, received } = await receiver((_delivery, count) => (count === 1 ? new Promise<number>(() => {}) : 200));
  await first.service.setWebhook(serverId, { voteUrl: url });
  await first.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  const stopped = first.service.stop();
  await first.clock.advance(2 * second);
  await stopped;

  const again = await running({ database: first.database, clock: first.clock });
  await settled(again, 'delivered', 1);
  expect(received).toHaveLength(2);
  expect(received[1]?.body).toBe(received[0]?.body);
});

test('two processes on one database send each delivery once', async () => {
  const all = await running();
  const { service, clock, database } = all;
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { voteUrl: url });
  clock.leap(Date.now() - clock.now());
  const other = inAnotherProcess(
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
    await nudge(all);
    const states = (await service.deliveries(serverId)).map(({ state }) => state);
    expect(states).toEqual(Array.from({ length: 30 }, () => 'delivered'));
  });
  expect(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(30);
  expect(received).toHaveLength(30);
});

test('a vote that was confirmed is told, even if the process is killed in the next moment', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const { url, received } = await receiver();
  const { ended } = await inAnotherProcess(
    database,
    `await service.setWebhook('${serverId}', { voteUrl: 'http://127.0.0.1:9/' });
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
