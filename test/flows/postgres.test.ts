import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { isSkipped } from '../support/optional-programs.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { createSender, type DeliveryResponse, type OutgoingDelivery } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const programs = postgresPrograms();
const waitOptions = { timeout: 20_000, interval: 100 };
const connections = 16;

function vote(user: number): OutgoingDelivery & { readonly userId: string } {
  const userId = String(user);
  const timestamp = new Date().toISOString();
  return { userId, family: 'vote', body: JSON.stringify({ event: 'server_vote', userId, timestamp }) };
}

describe.skipIf(isSkipped(programs !== null))('the program on PostgreSQL', { timeout: 90_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    server = await startPostgres(programs);
  });
  afterAll(() => server?.stop());

  /**
   * Starts a program and sends votes to it until the end of the test. Collects the responses and the longest duration
   * (ms).
   */
  async function startUnderLoad(databaseUrl = server.newDatabase()) {
    const environment = { ...settings(unreachableDiscord), DATABASE_URL: databaseUrl, ANNOUNCE_CHANNEL_ID: '1' };
    const running = startProgram(['start'], environment, tempDir());
    const url = await running.url();
    const { send } = createSender(connections);
    const acknowledged = new Set<string>();
    let rejected: DeliveryResponse[] = [];
    let stored = 0;
    let maxDurationMs = 0;
    let user = 0;
    let isStopped = false;
    const sending = Array.from({ length: connections }, async () => {
      while (!isStopped) {
        user += 1;
        const delivery = vote(user);
        const startedAt = performance.now();
        const response = await send(url, delivery);
        maxDurationMs = Math.max(maxDurationMs, performance.now() - startedAt);
        if (response?.status === 200) {
          acknowledged.add(delivery.userId);
          stored += 1;
        } else if (response !== null) rejected.push(response);
      }
    });
    onTestFinished(() => {
      isStopped = true;
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
      rejections: () => rejected,
      async waitForCommits() {
        stored = 0;
        await vi.waitFor(() => expect(stored).toBeGreaterThan(50), waitOptions);
        rejected = [];
      },
      async verifyLedger() {
        isStopped = true;
        await Promise.all(sending);
        running.process.kill('SIGTERM');
        expect(await running.ended).toBe(0);
        const store = await openStore(environment.DATABASE_URL, systemClock);
        for (const userId of acknowledged) expect(await store.ledger.account(userId)).toMatchObject({ credits: 10 });
        const { credits, votes } = await store.records.counts();
        expect(credits).toBe(10 * votes);
        await store.close();
        expect(maxDurationMs).toBeLessThan(5_000);
      },
    };
  }

  it('survives restarts of the server under load: responds with 503, loses nothing and recovers', async () => {
    const { waitForCommits, storeIsReady, rejections, verifyLedger } = await startUnderLoad();
    for (let round = 0; round < 3; round += 1) {
      await waitForCommits();
      server.shutDown();
      await vi.waitFor(() => expect(rejections().length).toBeGreaterThan(connections), waitOptions);
      expect(await storeIsReady()).toBe(false);
      for (const response of rejections()) expect(response).toMatchObject({ status: 503, retryAfter: 5 });
      server.start();
    }
    await waitForCommits();
    expect(await storeIsReady()).toBe(true);
    await verifyLedger();
  });

  it('responds with 503 while the server is read-only, and recovers', async () => {
    const { waitForCommits, storeIsReady, rejections, verifyLedger } = await startUnderLoad();
    await waitForCommits();
    server.setReadOnly(true);
    onTestFinished(() => server.setReadOnly(false));
    await vi.waitFor(() => expect(rejections().length).toBeGreaterThan(connections), waitOptions);
    expect(await storeIsReady()).toBe(false);
    expect(rejections()[0]).toMatchObject({ status: 503, retryAfter: 5 });
    server.setReadOnly(false);
    await waitForCommits();
    expect(await storeIsReady()).toBe(true);
    await verifyLedger();
  });

  it('responds with 503 while the server rejects its login, and reveals no names of it', async () => {
    const { waitForCommits, store, rejections, verifyLedger } = await startUnderLoad();
    await waitForCommits();
    server.setLogin(false);
    onTestFinished(() => server.setLogin(true));
    await vi.waitFor(() => expect(rejections().length).toBeGreaterThan(connections), waitOptions);
    expect(rejections()[0]).toMatchObject({ status: 503, retryAfter: 5 });
    expect(await store()).toEqual({ ready: false, reason: 'The database cannot commit at the moment.' });
    server.setLogin(true);
    await waitForCommits();
    await verifyLedger();
  });

  it('responds in time while another program locks the balances, and uses no further connections', async () => {
    const { databaseUrl, waitForCommits, rejections, verifyLedger } = await startUnderLoad();
    await waitForCommits();
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE balances IN EXCLUSIVE MODE');
    await vi.waitFor(() => expect(rejections().length).toBeGreaterThan(2 * connections), waitOptions);
    await other.end();
    await waitForCommits();
    await verifyLedger();
  });

  it('responds in time while the server does not respond', async () => {
    const proxy = await startBlackhole(server.newDatabase());
    const { waitForCommits, rejections, verifyLedger } = await startUnderLoad(proxy.url);
    await waitForCommits();
    proxy.dropData(true);
    await vi.waitFor(() => expect(rejections().length).toBeGreaterThan(2 * connections), waitOptions);
    proxy.dropData(false);
    await waitForCommits();
    await verifyLedger();
  });
});

/** Starts a proxy to the database that can drop all data while the connections stay open. */
async function startBlackhole(databaseUrl: string): Promise<{ url: string; dropData(on: boolean): void }> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isDropping = false;
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      from.on('data', (data) => void (isDropping || to.write(data)));
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
    dropData(on) {
      isDropping = on;
    },
  };
}
