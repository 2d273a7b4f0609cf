import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { second } from '../../src/platform/durations.ts';
import { openStore } from '../../src/store/store.ts';
import { localDiscord } from '../support/local-discord.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { settings } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const programs = postgresPrograms();
/** Runs only with this variable (`vitest.config.ts`): with 60 it takes half a minute, with 500 and six kills about two minutes. */
const count = Number(process.env['TALLYHOOK_ANNOUNCEMENTS'] ?? 0);
const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 0);

describe('several announcing processes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    server = await startPostgres(programs);
  });
  afterAll(() => server?.stop());

  async function announceWith(processes: number) {
    const discord = await localDiscord();
    const databaseUrl = server.newDatabase();
    const store = await openStore(databaseUrl, systemClock);
    onTestFinished(() => store.close());
    const environment = { ...settings(discord), DATABASE_URL: databaseUrl, CACHE_URL: 'memory:' };
    const start = () => startProgram(['start'], environment, tempDir());
    const running = Array.from({ length: processes }, start);
    await Promise.all(running.map(({ url }) => url()));
    // The processes share the channels before there is something to announce.
    await systemClock.sleep(5 * second);
    const queue = discord.channels.announcements;
    const content = {
      ...{ event: 'server_vote', test: false, listing: 'server', credits: 10, balance: 10, reason: null, at: 0 },
      ...{ nextVoteAt: null, tier: null, giftedBy: null, streak: 1, calculation: null, bonuses: [], roles: [] },
    };
    const startedAt = performance.now();
    for (let first = 0; first < count; first += 10) {
      await store.outbox.enqueue(
        Array.from({ length: 10 }, (_, index) => {
          const userId = String(100_000 + first + index);
          const createdAt = Date.now();
          return { kind: 'announcement', queue, content: { ...content, userId }, deliveryId: null, createdAt } as const;
        }),
      );
    }
    for (let kill = 0; kill < kills; kill += 1) {
      await systemClock.sleep(8 * second);
      running[kill % processes]?.process.kill('SIGKILL');
      running[kill % processes] = start();
    }
    await vi.waitFor(async () => expect((await store.records.counts()).effects).toMatchObject({ done: count }), {
      timeout: count * 300 + (kills + 1) * 30 * second,
      interval: 250,
    });
    const posts = discord.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const named = discord
      .messages(queue)
      .flatMap(({ embeds }) => embeds.flatMap(({ description = '' }) => description.match(/(?<=<@)\d+(?=>)/g) ?? []));
    return {
      seconds: (performance.now() - startedAt) / second,
      posts: posts.length,
      rateLimited: posts.filter(({ status }) => status === 429).length,
      named: named.toSorted(),
    };
  }

  it('meet no more rate limits than one, and announce everything once', { timeout: 600_000 }, async () => {
    const { named, ...result } = await announceWith(4);
    console.info(JSON.stringify(result));
    expect(named).toEqual(Array.from({ length: count }, (_, index) => String(100_000 + index)));
    expect(result.rateLimited).toBe(0);
  });
});
