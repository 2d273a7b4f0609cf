import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { hour, second } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { accountOf } from '../support/communities.ts';
import { voteSecret } from '../support/listings.ts';
import { environmentWith } from '../support/listings-file.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { createSender } from '../support/sender.ts';
import { startNamed } from './crash/programs.ts';

/** Two in each of the consumer's moods; `npm run test:long` has more. */
const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 10);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const guildId = '613425648685547541';
const members = Array.from({ length: 8 }, (_, index) => String(80_351_110_224_678_912n + BigInt(index)));
/** From a kill to the next start by the clock of the programs: leases and cooldowns have ended. */
const pauseMs = 45 * second;
const cooldownMs = 20 * second;

type Mood = 'answers' | 'fails' | 'hangs' | 'dies' | 'refuses';
const moods: readonly Mood[] = ['answers', 'fails', 'hangs', 'dies', 'refuses'];

interface Event {
  readonly type: string;
  readonly data: {
    readonly userId: string;
    readonly votedAt: string;
    readonly credits: number;
    readonly votes: number;
  };
}

/** A program that adds up the credits of each member, of events that it has not seen, and often answers badly or never. */
async function createConsumer() {
  let mood: Mood = 'answers';
  const sockets = new Set<Socket>();
  const bodies = new Map<unknown, string>();
  const credits = new Map<string, number>();
  const accepted = new Set<unknown>();
  const seen = { requests: 0, changed: [] as string[] };
  const server = createServer((request, response) => {
    if (mood === 'dies' && seen.requests % 2 === 0) request.socket.resetAndDestroy();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('error', () => {});
    request.on('end', () => {
      const id = request.headers['webhook-id'];
      const known = bodies.get(id);
      seen.requests += 1;
      if (known !== undefined && known !== body) seen.changed.push(`${known} became ${body}`);
      if (known === undefined) {
        bodies.set(id, body);
        const { type, data } = JSON.parse(body) as Event;
        if (type === 'vote.recorded') credits.set(data.userId, (credits.get(data.userId) ?? 0) + data.credits);
      }
      if (mood === 'dies') request.socket.resetAndDestroy();
      if (mood === 'fails') response.writeHead(500).end();
      if (mood !== 'answers') return;
      accepted.add(id);
      response.writeHead(204).end();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    ...{ url: `http://127.0.0.1:${port}/`, bodies, credits, accepted, seen },
    async become(next: Mood): Promise<void> {
      if (mood === 'refuses') await once(server.listen(port, '127.0.0.1'), 'listening');
      mood = next;
      for (const socket of sockets) socket.destroy();
      if (mood === 'refuses') await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(url: string) {
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  const effects = await run(db.selectFrom('effects').select(['state', 'attempts', 'reason']));
  const balances = await run(db.selectFrom('balances').select(['account_id', 'credits']));
  await snapshot.close();
  return { effects, balances };
}

it(`no event is lost or changed by ${kills} kills, whatever its endpoint does (seed ${seed})`, async () => {
  const random = createPrng(seed);
  const consumer = await createConsumer();
  const databaseUrl = newSqliteUrl();
  const shared = { guildId, cooldownHours: cooldownMs / hour, lookupKey: 'key-for-tests', voteSecrets: [voteSecret] };
  const rewards = {
    vote: 10,
    milestones: [
      { votes: 3, credits: 50 },
      { everyVotes: 4, credits: 3 },
    ],
  };
  const webhooks = [{ url: consumer.url, secrets: ['the-secret-of-the-webhook'] }];
  const { TALLYHOOK_CONFIG = '' } = environmentWith([
    { ...shared, name: 'harbour', kind: 'server', id: guildId, rewards, webhooks },
  ]);
  const environment = {
    ...{ TALLYHOOK_CONFIG, TALLYHOOK_ROLES: 'receive', WEBHOOK_PRIVATE_TARGETS: 'on', PORT: '0' },
    ...{ DATABASE_URL: databaseUrl, CACHE_URL: 'memory:' },
  };
  const directory = tempDir();
  let clockShiftMs = 0;
  const start = () => startNamed('start', environment, directory, clockShiftMs);
  const { send } = createSender(members.length);
  const waiting = new Map(members.map((userId) => [userId, [] as string[]]));
  const acknowledged = new Set<string>();
  let acknowledgements = 0;
  let interrupted = 0;

  /** Sends the votes of a member in their order until all are acknowledged, or the program is killed. */
  async function sendVotes(url: string, userId: string): Promise<void> {
    const own = waiting.get(userId) ?? [];
    for (let [body] = own; body !== undefined; [body] = own) {
      if ((await send(url, { family: 'vote', body }))?.status !== 200) return;
      acknowledged.add(body);
      acknowledgements += 1;
      own.shift();
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    await consumer.become(moods[kill % moods.length] ?? 'answers');
    const program = start();
    const url = await program.url();
    for (const userId of members) {
      const timestamp = new Date(Date.now() + clockShiftMs).toISOString();
      waiting.get(userId)?.push(JSON.stringify({ event: 'server_vote', serverId: guildId, userId, timestamp }));
    }
    acknowledgements = 0;
    const sending = Promise.all(members.map((userId) => sendVotes(url, userId)));
    const awaited = Math.ceil(random() * members.length);
    await vi.waitFor(() => expect(acknowledgements).toBeGreaterThanOrEqual(awaited), { timeout: 20_000, interval: 1 });
    await wait(60 * random());
    program.process.kill('SIGKILL');
    await Promise.all([sending, program.ended]);
    const { effects } = await read(databaseUrl);
    interrupted += effects.filter(
      ({ state, attempts, reason }) => state === 'waiting' && attempts > 0 && !reason,
    ).length;
    clockShiftMs += pauseMs;
  }

  await consumer.become('answers');
  // Events that have failed several times are due hours later.
  clockShiftMs += 20 * hour;
  const program = start();
  const url = await program.url();
  await Promise.all(members.map((userId) => sendVotes(url, userId)));
  await vi.waitFor(
    async () => expect((await read(databaseUrl)).effects.filter(({ state }) => state !== 'done')).toEqual([]),
    { timeout: 60_000, interval: 200 },
  );

  const { bodies, credits, accepted, seen } = consumer;
  expect(seen.changed).toEqual([]);
  expect(new Set(bodies.keys())).toEqual(accepted);
  const events = [...bodies.values()].map((body) => JSON.parse(body) as Event);
  const votes = events
    .filter(({ type }) => type === 'vote.recorded')
    .map(({ data }) => `${data.userId} ${data.votedAt}`);
  const sent = [...acknowledged].map((body) => JSON.parse(body) as { userId: string; timestamp: string });
  // One event for each vote, so also one id for each.
  expect(votes.sort()).toEqual(sent.map(({ userId, timestamp }) => `${userId} ${timestamp}`).sort());
  const { balances } = await read(databaseUrl);
  expect(balances.map(({ account_id, credits }) => `${account_id} ${credits}`).sort()).toEqual(
    members.map((userId) => `${accountOf(userId)} ${credits.get(userId)}`).sort(),
  );
  // The test has killed what it is about.
  expect(interrupted).toBeGreaterThan(kills);
  expect(seen.requests).toBeGreaterThan(events.length);
}, 300_000);
