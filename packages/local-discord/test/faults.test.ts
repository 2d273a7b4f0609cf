import { second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { withApi } from '../testing/api.ts';

describe('rate limits', () => {
  it('are reported with every message and reject requests until they reset', async () => {
    const stopwatch = manualClock();
    const { send, ask, discord } = await withApi({ rateLimits: true, stopwatch });
    const answers = [];
    for (let index = 0; index < 6; index += 1) answers.push(await send({ content: 'x' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('5');
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0']);
    expect(answers[5]?.headers.get('retry-after')).toBe('5');
    expect(answers[5]?.headers.get('x-ratelimit-scope')).toBe('user');
    expect(answers[5]?.json).toEqual({ message: 'You are being rate limited.', retry_after: 5, global: false });
    expect(await ask('POST', `/channels/${discord.channels.general}/messages`, { content: 'x' })).toMatchObject({
      status: 200,
    });
    await stopwatch.advance(5 * second);
    expect((await send({ content: 'x' })).status).toBe(200);
  });

  it('allow the bot 50 requests per second in total', async () => {
    const stopwatch = manualClock();
    const { ask } = await withApi({ rateLimits: true, stopwatch });
    const answers = await Promise.all(Array.from({ length: 51 }, () => ask('GET', '/users/@me')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get('x-ratelimit-global')).toBe('true');
    expect(refused[0]?.json).toMatchObject({ global: true });
    await stopwatch.advance(second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
  });
});

describe('faults', () => {
  it('affect the given number of matching requests', async () => {
    const { discord, ask, send } = await withApi();
    discord.faults.respond500(1, /messages/);
    discord.faults.respond429(1, 0.5, /messages/);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    expect((await send({ content: 'x' })).status).toBe(500);
    const limited = await send({ content: 'x' });
    expect(limited).toMatchObject({ status: 429, json: { retry_after: 0.5 } });
    expect(limited.headers.get('retry-after')).toBe('0.5');
    expect((await send({ content: 'x' })).status).toBe(200);
    discord.faults.respondGlobal429(1, 2);
    const global = await send({ content: 'x' });
    expect(global).toMatchObject({ status: 429, json: { retry_after: 2, global: true } });
    expect(global.headers.get('x-ratelimit-global')).toBe('true');
  });

  it('delay every response by the given time', async () => {
    const waits: number[] = [];
    const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
    const { discord, ask } = await withApi({ stopwatch: { ...manualClock(), sleep } });
    discord.faults.slow(10 * second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    discord.faults.slow(0);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    expect(waits).toEqual([10 * second]);
  });

  it('end when cleared; an outage also ends after its duration', async () => {
    const stopwatch = manualClock();
    const { discord, ask } = await withApi({ stopwatch });
    discord.faults.outage(10 * second);
    await expect(ask('GET', '/users/@me')).rejects.toThrow();
    await stopwatch.advance(10 * second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    discord.faults.outage(true);
    discord.faults.respond500(5);
    discord.faults.clear();
    expect((await ask('GET', '/users/@me')).status).toBe(200);
  });
});
