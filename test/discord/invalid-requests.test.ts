import { minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { serve } from '@tallyhook/platform/testing/serve';
import { expect, it, onTestFinished } from 'vitest';
import { allGuilds, RequestGuard } from '../../src/discord/circuits.ts';
import { retryAfterFailure } from '../../src/discord/discord-errors.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { openStore } from '../../src/features/store.ts';
import { newSqliteFile } from '../support/new-sqlite.ts';

/** A Discord that responds to each request with the next of these, and with the last one repeatedly. */
async function discordThatResponds(...responses: readonly [status: number, headers?: Record<string, string>][]) {
  let requests = 0;
  const url = await serve((_, response) => {
    const [status, headers = {}] = responses[Math.min(requests, responses.length - 1)] ?? [200];
    requests += 1;
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{}');
  });
  return { apiUrl: `${url}/api`, requests: () => requests };
}

async function createInstallation() {
  const clock = manualClock();
  const { log, logged } = collectingLog();
  const path = newSqliteFile();
  const store = await openStore(`sqlite:${path}`, clock, { thread: false });
  onTestFinished(() => store.close());
  let processes = 0;
  const startProcess = () => {
    processes += 1;
    const counted = new RequestGuard({ store, guildOfChannel: () => null, clock, log });
    counted.start();
    onTestFinished(() => counted.stop());
    return counted;
  };
  /** Lets time pass in steps, after each of which every process has read what the others have stored. */
  async function advanceUntil(stepMs: number, condition: () => boolean): Promise<void> {
    for (let step = 0; step < 100 && !condition(); step += 1) {
      await clock.advance(stepMs);
      await eventually(() => expect(clock.sleepers()).toBeGreaterThanOrEqual(processes));
    }
    expect(condition()).toBe(true);
  }
  return { clock, store, logged, startProcess, advanceUntil };
}

it('requests that Discord rejects are counted over all processes, except for shared rate limits', async () => {
  const { clock, startProcess, advanceUntil } = await createInstallation();
  const shared = { 'Retry-After': '60', 'X-RateLimit-Scope': 'shared' };
  const user = { 'Retry-After': '60', 'X-RateLimit-Scope': 'user' };
  const discord = await discordThatResponds([200], [401], [403], [404], [429, shared], [429, user]);
  const [first, second_] = [startProcess(), startProcess()];
  for (const route of ['/1', '/2', '/3', '/4', '/5', '/6'] as const) {
    // Each has its own client, because the limits of routes are remembered.
    const rest = createDiscordRest({ token: 'token', apiUrl: discord.apiUrl, guard: first });
    await rest.get(route).catch(() => {});
  }
  expect(first.invalidRequests()).toBe(3);
  await clock.advance(5 * second);
  await advanceUntil(30 * second, () => second_.invalidRequests() === 3);
  await advanceUntil(minute, () => first.invalidRequests() === 0 && second_.invalidRequests() === 0);
});

it('after 8,000 rejected requests of all processes, none is sent that can wait', async () => {
  const { clock, store, logged, startProcess, advanceUntil } = await createInstallation();
  const discord = await discordThatResponds([200]);
  const guard = startProcess();
  const rest = createDiscordRest({ token: 'token', apiUrl: discord.apiUrl, guard });
  const add = async (count: number) => {
    await store.circuits.addRejections(Math.floor(clock.now() / minute), [{ guildId: allGuilds, count }]);
    const before = guard.invalidRequests();
    await advanceUntil(30 * second, () => guard.invalidRequests() > before);
  };
  await add(5_000);
  expect(logged).toMatchObject([{ level: 40, inTenMinutes: 5_000 }]);
  await rest.get('/1');
  await add(3_000);
  const error = await rest.get('/1').catch((thrown: unknown) => thrown);
  expect(retryAfterFailure(error)).toMatchObject({
    outcome: 'later',
    scope: 'global',
    notSent: true,
    retryAfterMs: 5_000,
  });
  expect(discord.requests()).toBe(1);
  await advanceUntil(minute, () => guard.pauseMs() === 0);
  await rest.get('/1');
  expect(discord.requests()).toBe(2);
});
