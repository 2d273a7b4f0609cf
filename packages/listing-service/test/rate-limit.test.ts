import { hour, minute, second } from '@tallyhook/platform/durations';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { expect, test } from 'vitest';
import { running } from '../testing/running.ts';

const path = '/votes/1';

async function countStatuses(requests: readonly Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(requests)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('of 150 concurrent requests exactly 120 are accepted', async () => {
  const { get, keys } = await running();
  const requests = Array.from({ length: 150 }, () => get(path, { 'X-API-Key': keys.server }));
  expect(await countStatuses(requests)).toEqual({ 200: 120, 429: 30 });
});

test('a rejected request has a Retry-After, and a request at that time is accepted', async () => {
  const clock = fixedDate();
  const { get, keys } = await running();
  const send = () => get(path, { 'X-API-Key': keys.server });
  await send();
  clock.leap(10 * second);
  for (let sent = 1; sent < 120; sent += 1) await send();
  const limited = await send();
  expect(limited.status).toBe(429);
  expect(limited.json).toEqual({ success: false, error: expect.stringContaining('Try again in 50 seconds') });
  expect(limited.headers.get('retry-after')).toBe('50');
  expect(limited.headers.get('ratelimit')).toBe('"key";r=0;t=50');
  clock.leap(49 * second);
  expect((await send()).json['error']).toBe('More than 120 requests in a minute. Try again in 1 second.');
  clock.leap(1 * second - 1);
  expect((await send()).status).toBe(429);
  clock.leap(1);
  const accepted = await send();
  expect(accepted.status).toBe(200);
  expect(accepted.headers.get('ratelimit')).toBe('"key";r=119;t=60');
});

test('after the clock was set back, a key does not wait longer than a minute', async () => {
  const clock = fixedDate();
  const { get, keys } = await running();
  const send = () => get(path, { 'X-API-Key': keys.server });
  expect(await countStatuses(Array.from({ length: 121 }, send))).toEqual({ 200: 120, 429: 1 });
  clock.leap(-hour);
  expect((await send()).headers.get('ratelimit')).toBe('"key";r=119;t=60');
});

test('each key has its own limit in header and query together; unknown keys have none', async () => {
  const { get, keys } = await running();
  const half = Array.from({ length: 60 }, () => get(path, { 'X-API-Key': keys.server }));
  const otherHalf = Array.from({ length: 61 }, () => get(`${path}?key=${keys.server}`));
  expect(await countStatuses([...half, ...otherHalf])).toEqual({ 200: 120, 429: 1 });
  expect((await get(path, { 'X-API-Key': keys.bot })).status).toBe(200);
  expect((await get(path, { 'X-API-Key': 'unknown' })).status).toBe(401);
});

test('a restart does not reset the limit', async () => {
  const clock = fixedDate();
  const first = await running();
  await countStatuses(Array.from({ length: 120 }, () => first.get(path, { 'X-API-Key': first.keys.server })));
  await first.service.stop();
  const second = await running({ database: first.database });
  expect((await second.get(path, { 'X-API-Key': first.keys.server })).status).toBe(429);
  clock.leap(1 * minute);
  expect((await second.get(path, { 'X-API-Key': first.keys.server })).status).toBe(200);
});
