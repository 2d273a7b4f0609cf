import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, test } from 'vitest';
import { exponentialRetry, pauseReason } from '../src/webhooks/attempt.ts';
import { botId, mira, receiver, running, serverId } from '../testing/running.ts';
import { newcomer, nextAttempt, nudge, untilState } from './queue.ts';

const voteSecret = 'a-secret-for-votes-only';

test('a failed delivery is retried with exponential backoff until it succeeds, and every attempt is stored', async () => {
  const instance = await running();
  const { service, clock } = instance;
  const { url, received } = await receiver((_delivery, count) => (count < 4 ? 500 + count : 200));
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  const waits: number[] = [];
  for (let attempt = 1; attempt < 4; attempt += 1) {
    const delivery = await untilState(instance, 'waiting', attempt);
    waits.push((delivery?.nextAttemptAt ?? 0) - clock.now());
    await nextAttempt(instance);
  }
  // Half of each delay is jitter, and random() of the test's clock is 0.5.
  expect(waits).toEqual([7_500, 22_500, 67_500]);
  const delivery = await untilState(instance, 'delivered', 4);
  expect(delivery?.attemptHistory.map(({ status, error }) => [status, error])).toEqual([
    [501, 'The receiver returned 501.'],
    [502, 'The receiver returned 502.'],
    [503, 'The receiver returned 503.'],
    [200, null],
  ]);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test('waiting deliveries are rescheduled when the clock is set back while the dispatcher runs', async () => {
  const instance = await running();
  const { url } = await receiver((_delivery, count) => (count === 1 ? 500 : 200));
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  await untilState(instance, 'waiting', 1);
  instance.clock.shiftWallClock(-hour);
  await nudge(instance);
  await instance.clock.advance(10 * second);
  expect((await untilState(instance, 'delivered', 2))?.attemptHistory.every(({ durationMs }) => durationMs >= 0)).toBe(
    true,
  );
});

test('waiting deliveries are sent at the start if the clock was set back while the service was stopped', async () => {
  const first = await running();
  const { url } = await receiver((_delivery, count) => (count === 1 ? 500 : 200));
  await first.service.setWebhook(serverId, { voteUrl: url });
  await first.service.castVote({ kind: 'server', ...mira });
  await untilState(first, 'waiting', 1);
  await first.service.stop();
  first.clock.shiftWallClock(-hour);
  await untilState(await running({ database: first.database, clock: first.clock }), 'delivered', 2);
});

test('a process that starts leaves alone what another one is sending, although its clock is a second behind', async () => {
  const first = await running();
  const { promise: answer, resolve } = Promise.withResolvers<number>();
  const { url, received } = await receiver((_delivery, count) => (count === 1 ? answer : 200));
  await first.service.setWebhook(serverId, { voteUrl: url });
  await first.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  const clock = { ...first.clock, now: () => first.clock.now() - second };
  const { service } = await running({ database: first.database, clock });
  await clock.advance(5 * second);
  await service.castVote({ kind: 'server', ...newcomer });
  await eventually(() => expect(received.length).toBeGreaterThan(1));
  await clock.advance(5 * second);
  resolve(200);
  await untilState(first, 'delivered', 1);
  const ids = received.map(({ headers }) => headers['x-webhook-id']);
  expect(new Set(ids).size).toBe(2);
  expect(ids).toHaveLength(2);
});

test('retries end after hours, and the owner can resend the delivery', async () => {
  const waits = Array.from({ length: 10 }, (_, index) => exponentialRetry(index + 1, 0.5));
  expect(waits.at(-1)).toBeNull();
  expect(waits.slice(0, -1).reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBeGreaterThan(6 * hour);
  for (let attempt = 1; attempt < 10; attempt += 1) {
    expect(exponentialRetry(attempt, 0.999)).toBeGreaterThan(exponentialRetry(attempt, 0) ?? 0);
  }

  let status = 500;
  const instance = await running({ retry: (attempts) => (attempts >= 2 ? null : 1 * second) });
  const { url } = await receiver(() => status);
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  await untilState(instance, 'waiting', 1);
  await nextAttempt(instance);
  const failed = await untilState(instance, 'failed', 2);
  status = 200;
  expect(await instance.service.resend(serverId, failed?.id ?? '')).toBe(true);
  expect(await instance.service.resend(botId, failed?.id ?? '')).toBe(false);
  expect((await untilState(instance, 'delivered', 1))?.attemptHistory).toHaveLength(3);
});

test('a request times out after ten seconds and is retried', async () => {
  const instance = await running();
  const { url, received } = await receiver(() => new Promise<number>(() => {}));
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  await instance.clock.advance(10 * second);
  const delivery = await untilState(instance, 'waiting', 1);
  expect(delivery?.attemptHistory).toMatchObject([{ status: null, error: 'No complete response within 10 seconds.' }]);
});

test('Retry-After delays the next attempt', async () => {
  const instance = await running();
  const { url } = await receiver(() => 429);
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  const delivery = await untilState(instance, 'waiting', 1);
  expect(delivery?.nextAttemptAt).toBe(instance.clock.now() + 1 * hour);
});

test.each([
  ['a date', 30 * minute, 30 * minute],
  ['a date that is far off', 2 * day, 4 * hour],
  ['a date in the past', -1 * hour, 7.5 * second],
])('Retry-After may be %s', async (_case, after, delayMs) => {
  const instance = await running();
  const start = instance.clock.now();
  const { url } = await receiver(() => 503, new Date(start + after).toUTCString());
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  const delivery = await untilState(instance, 'waiting', 1);
  expect(delivery?.nextAttemptAt).toBe(start + delayMs);
});

test('a receiver that hangs does not delay the deliveries of another', async () => {
  const { service } = await running();
  const hanging = await receiver(() => new Promise<number>(() => {}));
  const quick = await receiver();
  await service.setWebhook(serverId, { voteUrl: hanging.url });
  await service.setWebhook(botId, { voteUrl: quick.url });
  for (let user = 1; user <= 40; user += 1) {
    await service.castVote({ kind: 'server', userId: `${user}`, username: 'u' });
  }
  await service.castVote({ kind: 'bot', ...mira });
  await eventually(() => expect(quick.received).toHaveLength(1));
  expect(hanging.received.length).toBeLessThanOrEqual(8);
});

test('a delivery that has waited for others of its webhook for long is sent to the URL of then', async () => {
  const { service, clock } = await running();
  const { promise: answers, resolve } = Promise.withResolvers<number>();
  const slow = await receiver(() => answers);
  const next = await receiver();
  await service.setWebhook(serverId, { voteUrl: slow.url });
  for (let user = 1; user <= 20; user += 1)
    await service.castVote({ kind: 'server', userId: `${user}`, username: 'u' });
  await eventually(() => expect(slow.received).toHaveLength(8));
  await service.setWebhook(serverId, { voteUrl: next.url });
  clock.leap(6 * second);
  resolve(200);
  await eventually(() => expect(next.received).toHaveLength(12));
  expect(slow.received).toHaveLength(8);
});

test('webhooks with many deliveries and receivers that hang do not delay those of another', async () => {
  const { service } = await running();
  const hanging = await receiver(() => new Promise<number>(() => {}));
  const quick = await receiver();
  for (const number of [1, 2, 3, 4, 5]) {
    await service.createListing({ kind: 'bot', discordId: `${number}`, name: 'Bot' });
    await service.setWebhook(`${number}`, { voteUrl: hanging.url });
  }
  await service.setWebhook(botId, { voteUrl: quick.url });
  const votes = Array.from({ length: 500 }, (_, user) =>
    service.castVote({ listingId: `${1 + (user % 5)}`, userId: `${user}`, username: 'u' }),
  );
  await Promise.all(votes);
  for (let user = 1; user <= 10; user += 1) {
    await service.castVote({ listingId: botId, userId: `${user}`, username: 'u' });
    await eventually(() => expect(quick.received).toHaveLength(user));
  }
  expect(hanging.received.length).toBeLessThanOrEqual(40);
});

test('a webhook that only failed for a day is paused; a successful test resumes it and sends the queued events', async () => {
  let status = 500;
  const instance = await running({ retry: () => 1 * hour });
  const { service, clock } = instance;
  const { url, received } = await receiver(() => status);
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ kind: 'server', ...mira });
  for (let attempt = 1; attempt <= 25; attempt += 1) {
    await untilState(instance, 'waiting', attempt);
    await nextAttempt(instance);
  }
  const attemptCount = received.length;
  await service.castVote({ kind: 'server', ...newcomer });
  await nextAttempt(instance);
  expect(received).toHaveLength(attemptCount);

  status = 200;
  expect(await service.testWebhook(serverId, 'vote')).toMatchObject({ status: 200, error: null });
  clock.leap(1 * hour);
  await nudge(instance);
  await eventually(async () => {
    const states = (await service.deliveries(serverId)).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'delivered', 'delivered']);
  });
});

test('a webhook is paused after a day of only failures, at least twenty', () => {
  const [url, secret] = ['https://dead.example/', voteSecret];
  const webhook = { listingId: serverId, family: 'vote', url, secret, previous: null, paused: null } as const;
  const reason = (failures: number, failingSince: number) =>
    pauseReason({ ...webhook, failures, failingSince }, 500, 100 * hour);
  expect(reason(20, 76 * hour)).toContain('All of the last 20 attempts failed');
  expect(reason(20, 76 * hour + 1)).toBeNull();
  expect(reason(19, 0)).toBeNull();
});

test('a webhook is paused immediately after 410 Gone', async () => {
  const instance = await running();
  const { url, received } = await receiver(() => 410);
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  await untilState(instance, 'waiting', 1);
  await nextAttempt(instance);
  await instance.service.castVote({ kind: 'server', ...newcomer });
  await instance.clock.advance(1 * minute);
  expect(received).toHaveLength(1);
});
