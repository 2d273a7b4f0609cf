import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { program } from '../support/program.ts';
import { type Answered, createSender, type Sent } from '../support/sender.ts';
import { nowhere, settings } from '../support/settings.ts';
import { tempDir } from '../support/temp-dir.ts';

const programs = postgresPrograms();
const patience = { timeout: 20_000, interval: 100 };
const connections = 16;

function vote(user: number): Sent & { readonly userId: string } {
  const userId = String(user);
  const timestamp = new Date().toISOString();
  return { userId, family: 'vote', body: JSON.stringify({ event: 'server_vote', userId, timestamp }) };
}

describe.skipIf(programs === null && !process.env['CI'])('the program on PostgreSQL', { timeout: 90_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (programs === null)
      throw new Error('Install PostgreSQL (Debian: apt-get install postgresql): CI runs every adapter.');
    server = await startPostgres(programs);
  });
  afterAll(() => server?.stop());

  /** A program under load from now on: every answer is kept, and how long it took at most (ms). */
  async function loaded(databaseUrl = server.newDatabase()) {
    const environment = { ...settings(nowhere), DATABASE_URL: databaseUrl, ANNOUNCE_CHANNEL_ID: '1' };
    const running = program(['start'], environment, tempDir());
    const url = await running.url();
    const { send } = createSender(connections);
    const acknowledged = new Set<string>();
    let refused: Answered[] = [];
    let stored = 0;
    let longest = 0;
    let user = 0;
    let over = false;
    const sending = Array.from({ length: connections }, async () => {
      while (!over) {
        user += 1;
        const delivery = vote(user);
        const began = performance.now();
        const answer = await send(url, delivery);
        longest = Math.max(longest, performance.now() - began);
        if (answer?.status === 200) {
          acknowledged.add(delivery.userId);
          stored += 1;
        } else if (answer !== null) refused.push(answer);
      }
    });
    onTestFinished(() => {
      over = true;
    });
    const store = async () => {
      const { parts } = (await (await fetch(`${url}/readyz`)).json()) as { parts: { store: { ready: boolean } } };
      return parts.store;
    };
    const storeIsReady = async () => (await store()).ready;

    return {
      databaseUrl,
      store,
      storeIsReady,
      refusals: () => refused,
      async storesAgain() {
        stored = 0;
        await vi.waitFor(() => expect(stored).toBeGreaterThan(50), patience);
        refused = [];
      },
      async keptItsWord() {
        over = true;
        await Promise.all(sending);
        running.process.kill('SIGTERM');
        expect(await running.ended).toBe(0);
        const store = await openStore(environment.DATABASE_URL, systemClock);
        for (const userId of acknowledged) expect(await store.ledger.account(userId)).toMatchObject({ credits: 10 });
        const { credits, votes } = await store.records.counts();
        expect(credits).toBe(10 * votes);
        await store.close();
        expect(longest).toBeLessThan(5_000);
      },
    };
  }

  it('outlives restarts of the server under load: 503 meanwhile, nothing lost, as before afterwards', async () => {
    const { storesAgain, storeIsReady, refusals, keptItsWord } = await loaded();
    for (let round = 0; round < 3; round += 1) {
      await storesAgain();
      server.shutDown();
      await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(connections), patience);
      expect(await storeIsReady()).toBe(false);
      for (const answer of refusals()) expect(answer).toMatchObject({ status: 503, retryAfter: 5 });
      server.start();
    }
    await storesAgain();
    expect(await storeIsReady()).toBe(true);
    await keptItsWord();
  });

  it('takes a server that may only read for what it is, and writes again when it may', async () => {
    const { storesAgain, storeIsReady, refusals, keptItsWord } = await loaded();
    await storesAgain();
    server.setReadOnly(true);
    onTestFinished(() => server.setReadOnly(false));
    await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(connections), patience);
    expect(await storeIsReady()).toBe(false);
    expect(refusals()[0]).toMatchObject({ status: 503, retryAfter: 5 });
    server.setReadOnly(false);
    await storesAgain();
    expect(await storeIsReady()).toBe(true);
    await keptItsWord();
  });

  it('takes a server that lets it in no more for what it is, and tells strangers no names of it', async () => {
    const { storesAgain, store, refusals, keptItsWord } = await loaded();
    await storesAgain();
    server.setLogin(false);
    onTestFinished(() => server.setLogin(true));
    await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(connections), patience);
    expect(refusals()[0]).toMatchObject({ status: 503, retryAfter: 5 });
    expect(await store()).toEqual({ ready: false, reason: 'The database cannot commit at the moment.' });
    server.setLogin(true);
    await storesAgain();
    await keptItsWord();
  });

  it('answers in time while another program holds the lock of all writers, and keeps no connection for it', async () => {
    const { databaseUrl, storesAgain, refusals, keptItsWord } = await loaded();
    await storesAgain();
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('SELECT pg_advisory_lock(7411700)');
    await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(2 * connections), patience);
    await other.end();
    await storesAgain();
    await keptItsWord();
  });

  it('answers in time while the server has gone silent', async () => {
    const proxy = await silenceable(server.newDatabase());
    const { storesAgain, refusals, keptItsWord } = await loaded(proxy.url);
    await storesAgain();
    proxy.silence(true);
    await vi.waitFor(() => expect(refusals().length).toBeGreaterThan(2 * connections), patience);
    proxy.silence(false);
    await storesAgain();
    await keptItsWord();
  });
});

/** The address of the same database by a way that can fall silent: connections stay open and nothing passes. */
async function silenceable(databaseUrl: string): Promise<{ url: string; silence(on: boolean): void }> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let silent = false;
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      from.on('data', (data) => void (silent || to.write(data)));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    silence(on) {
      silent = on;
    },
  };
}
