import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { command, connectedBot, hello, localDiscord } from '../support/bot.ts';

/** Discord: "All bots can make up to 50 requests per second". */
const botsLimit = 50;

/**
 * Stops the clock that discord.js counts its requests per second with, so that a request over the limit waits for ever:
 * the tests do not depend on how fast the machine is.
 */
function stopTheSecond() {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Polls; `until` of the other tests and `vi.waitFor` would wait for the stopped time, or move it. */
async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(10);
}

describe('the number of requests a second', () => {
  it('does not limit the responses of 200 deferred commands that end at once', async () => {
    const count = 4 * botsLimit;
    const ready = Promise.withResolvers<typeof hello>();
    const { run } = await connectedBot([command({ execute: () => ready.promise })]);
    const used = Array.from({ length: count }, () => run('say'));
    const callbacks = await Promise.all(used.map(({ response }) => response));
    expect(new Set(callbacks.map(({ type }) => type))).toEqual(new Set([5]));
    stopTheSecond();
    ready.resolve(hello);
    const messages = await Promise.all(used.map(({ settled }) => settled));
    expect(messages.map(({ embeds }) => embeds[0]?.description)).toEqual(
      Array(count).fill(textsIn('en-US').text('reviews.none')),
    );
  });

  it('does not limit the further messages after responses', async () => {
    const { discord, run } = await connectedBot([command({ execute: async () => hello })], {
      notice: { tone: 'plain', text: textsIn('en-US').text('reviews.none') },
    });
    stopTheSecond();
    const count = 2 * botsLimit;
    for (let index = 0; index < count; index += 1) run('say');
    await waitUntil(() => discord.requests.filter(isFollowUp).length === count);
  });

  it('is 50 for announcements and everything else that the bot sends by itself', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const globalLimit = createGlobalRateLimit(systemClock);
    const observed: boolean[] = [];
    const rest = createDiscordRest({
      token: discord.token,
      apiUrl: discord.apiUrl,
      globalLimit: { ...globalLimit, observe: ({ global }) => void observed.push(global) },
    });
    stopTheSecond();
    const sending = Array.from({ length: botsLimit + 1 }, () => rest.get('/gateway/bot'));
    await waitUntil(() => observed.length > 0);
    expect(discord.requests).toHaveLength(botsLimit);
    expect(observed[0]).toBe(true);
    vi.useRealTimers();
    await Promise.all(sending);
  });

  it('is what a 429 allows, also for responses', async () => {
    const { discord, run } = await connectedBot([command({ execute: async () => hello })]);
    discord.faults.respondGlobal429(1, 1, /^POST .*\/callback$/);
    const startedAt = performance.now();
    await run('say').settled;
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
  });
});

function isFollowUp({ method, path }: { method: string; path: string }): boolean {
  return method === 'POST' && path.startsWith('/webhooks/');
}
