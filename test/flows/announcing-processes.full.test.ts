import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { dialectAt } from '../support/dialect-at.ts';
import { localDiscord } from '../support/local-discord.ts';
import { channelQueue } from '../support/queues.ts';
import { settings } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';

/** With 500 and six kills it takes about two minutes. */
const count = Number(process.env['TALLYHOOK_ANNOUNCEMENTS'] ?? 60);
const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 0);
/** What `queue-share.ts` divides the channels into. */
const partitions = 64;

describeOnPostgres('several announcing processes', (server) => {
  async function announceWith(processes: number) {
    const discord = await localDiscord();
    const databaseUrl = server().newDatabase();
    const store = await openStore(databaseUrl, systemClock);
    onTestFinished(() => store.close());
    const dialect = dialectAt(databaseUrl);
    onTestFinished(() => dialect.close());
    /** The number of processes that have channels of their own, when all are given away. */
    const announcers = async () => {
      const sql = "SELECT holder FROM leases WHERE group_name = 'announce'";
      const leases = (await dialect.reading.run({ sql, parameters: [] })) as readonly { holder: string }[];
      return leases.length < partitions ? 0 : new Set(leases.map(({ holder }) => holder)).size;
    };
    const environment = { ...settings(discord), DATABASE_URL: databaseUrl, CACHE_URL: 'memory:' };
    const start = () => startProgram(['start'], environment, tempDir());
    const running = Array.from({ length: processes }, start);
    await Promise.all(running.map(({ url }) => url()));
    // The processes share the channels before there is something to announce.
    await vi.waitFor(async () => expect(await announcers()).toBe(processes), { timeout: 60 * second, interval: 250 });
    const queue = channelQueue(discord.channels.announcements);
    const content = {
      ...{ event: 'server_vote', test: false, listing: 'server', credits: 10, balance: 10, reason: null, at: 0 },
      ...{ nextVoteAt: null, tier: null, giftedBy: null, streak: 1, calculation: null, bonuses: [], roles: [] },
    };
    for (let first = 0; first < count; first += 10) {
      await store.outbox.enqueue(
        Array.from({ length: 10 }, (_, index) => {
          const userId = String(100_000 + first + index);
          const createdAt = Date.now();
          return { kind: 'announcement', queue, content: { ...content, userId }, deliveryId: null, createdAt } as const;
        }),
      );
    }
    const untilDone = (done: number) =>
      vi.waitFor(async () => expect((await store.records.counts()).effects.done).toBeGreaterThanOrEqual(done), {
        timeout: 600 * second,
        interval: 250,
      });
    for (let kill = 0; kill < kills; kill += 1) {
      await untilDone(((kill + 1) * count) / (kills + 1));
      running[kill % processes]?.process.kill('SIGKILL');
      running[kill % processes] = start();
    }
    await untilDone(count);
    const posts = discord.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const named = discord
      .messages(discord.channels.announcements)
      .flatMap(({ embeds }) => embeds.flatMap(({ description = '' }) => description.match(/(?<=<@)\d+(?=>)/g) ?? []));
    return {
      rateLimited: posts.filter(({ status }) => status === 429).length,
      named: named.toSorted(),
    };
  }

  it('meet no more rate limits than one, and announce everything once', { timeout: 600_000 }, async () => {
    const { named, rateLimited } = await announceWith(4);
    expect(named).toEqual(Array.from({ length: count }, (_, index) => String(100_000 + index)));
    expect(rateLimited).toBe(0);
  });
});
