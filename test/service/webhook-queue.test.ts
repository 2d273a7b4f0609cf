import { expect, test } from 'vitest';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { reasonToPause } from '../../src/service/webhooks/pause.ts';
import { exponentialRetry } from '../../src/service/webhooks/retry.ts';
import { newcomer, nextAttempt, nudge, settled } from './queue.ts';
import { botId, eventually, mira, receiver, running, serverId } from './running.ts';

const voteSecret = 'a-secret-for-votes-only';

test('what fails is tried again after a growing wait, every attempt is recorded, and a success ends it', async () => {
  const all = await running();
  const { service, clock } = all;
  const { url, received } = await receiver((_delivery, count) => (count < 4 ? 500 + count : 200));
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  const waits: number[] = [];
  for (let attempt = 1; attempt < 4; attempt += 1) {
    const delivery = await settled(all, 'waiting', attempt);
    waits.push((delivery?.nextAttemptAt ?? 0) - clock.now());
    await nextAttempt(all);
  }
  // Half of each wait is chance, and the test's chance is one half.
  expect(waits).toEqual([7_500, 22_500, 67_500]);
  const delivery = await settled(all, 'delivered', 4);
  expect(delivery?.tried.map(({ status, error }) => [status, error])).toEqual([
    [501, 'Answered 501.'],
    [502, 'Answered 502.'],
    [503, 'Answered 503.'],
    [200, null],
  ]);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test('what waits moves along with a clock that is set back, while the queue runs', async () => {
  const all = await running();
  const { url } = await receiver((_delivery, count) => (count === 1 ? 500 : 200));
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  await settled(all, 'waiting', 1);
  all.clock.set(-hour);
  await nudge(all);
  await all.clock.advance(10 * second);
  expect((await settled(all, 'delivered', 2))?.tried.every(({ durationMs }) => durationMs >= 0)).toBe(true);
});

test('what waits is sent at once where the clock was set back while nobody ran', async () => {
  const first = await running();
  const { url } = await receiver((_delivery, count) => (count === 1 ? 500 : 200));
  await first.service.setWebhook(serverId, { voteUrl: url });
  await first.service.castVote({ kind: 'server', ...mira });
  await settled(first, 'waiting', 1);
  await first.service.stop();
  first.clock.set(-hour);
  await settled(await running({ database: first.database, clock: first.clock }), 'delivered', 2);
});

test('retrying takes hours and then ends; the owner may send it again', async () => {
  const waits = Array.from({ length: 10 }, (_, index) => exponentialRetry(index + 1, 0.5));
  expect(waits.at(-1)).toBeNull();
  expect(waits.slice(0, -1).reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBeGreaterThan(6 * hour);
  for (let attempt = 1; attempt < 10; attempt += 1) {
    expect(exponentialRetry(attempt, 0.999)).toBeGreaterThan(exponentialRetry(attempt, 0) ?? 0);
  }

  let status = 500;
  const all = await running({ retry: (attempts) => (attempts >= 2 ? null : 1 * second) });
  const { url } = await receiver(() => status);
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  await settled(all, 'waiting', 1);
  await nextAttempt(all);
  const failed = await settled(all, 'failed', 2);
  status = 200;
  expect(await all.service.resend(serverId, failed?.id ?? '')).toBe(true);
  expect(await all.service.resend(botId, failed?.id ?? '')).toBe(false);
  expect((await settled(all, 'delivered', 1))?.tried).toHaveLength(3);
});

test('a receiver that does not answer within ten seconds is left, and tried again', async () => {
  const all = await running();
  const { url, received } = await receiver(() => new Promise<number>(() => {}));
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  await all.clock.advance(10 * second);
  const delivery = await settled(all, 'waiting', 1);
  expect(delivery?.tried).toMatchObject([{ status: null, error: 'No whole answer within 10 seconds.' }]);
});

test('a receiver that asks for time is given it', async () => {
  const all = await running();
  const { url } = await receiver(() => 429);
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  const delivery = await settled(all, 'waiting', 1);
  expect(delivery?.nextAttemptAt).toBe(all.clock.now() + 1 * hour);
});

test('a receiver that hangs does not keep another from its deliveries', async () => {
  const { service } = await running();
  const stuck = await receiver(() => new Promise<number>(() => {}));
  const quick = await receiver();
  await service.setWebhook(serverId, { voteUrl: stuck.url });
  await service.setWebhook(botId, { voteUrl: quick.url });
  for (let user = 1; user <= 40; user += 1) {
    await service.castVote({ kind: 'server', userId: `${user}`, username: 'u' });
  }
  await service.castVote({ kind: 'bot', ...mira });
  await eventually(() => expect(quick.received).toHaveLength(1));
  expect(stuck.received.length).toBeLessThanOrEqual(4);
});

test('an endpoint that only failed for a day is paused; events wait, and a test that succeeds sends them', async () => {
  let status = 500;
  const all = await running({ retry: () => 1 * hour });
  const { service, clock } = all;
  const { url, received } = await receiver(() => status);
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  for (let attempt = 1; attempt <= 25; attempt += 1) {
    await settled(all, 'waiting', attempt);
    await nextAttempt(all);
  }
  const tried = received.length;
  await service.castVote({ kind: 'server', ...newcomer });
  await nextAttempt(all);
  expect(received).toHaveLength(tried);

  status = 200;
  expect(await service.testWebhook(serverId, 'vote')).toMatchObject({ status: 200, error: null });
  clock.leap(1 * hour);
  await nudge(all);
  await eventually(async () => {
    const states = (await service.deliveries(serverId)).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'delivered', 'delivered']);
  });
});

test('an endpoint is dead after a day of nothing but failures, and twenty of them', () => {
  const [url, secret] = ['https://dead.example/', voteSecret];
  const webhook = { listingId: serverId, family: 'vote', url, secret, previous: null, paused: null } as const;
  const reason = (failures: number, failingSince: number) =>
    reasonToPause({ ...webhook, failures, failingSince }, 500, 100 * hour);
  expect(reason(20, 76 * hour)).toContain('All of the last 20 attempts failed');
  expect(reason(20, 76 * hour + 1)).toBeNull();
  expect(reason(19, 0)).toBeNull();
});

test('an endpoint that says 410 Gone is paused at once', async () => {
  const all = await running();
  const { url, received } = await receiver(() => 410);
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  await settled(all, 'waiting', 1);
  await nextAttempt(all);
  await all.service.castVote({ kind: 'server', ...newcomer });
  await all.clock.advance(1 * minute);
  expect(received).toHaveLength(1);
});
