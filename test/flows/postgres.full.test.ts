import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describeOnOwnPostgres } from '@tallyhook/platform/testing/databases';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startUnderLoad } from './program-under-load.ts';

describeOnOwnPostgres('the program on PostgreSQL, under load,', (server) => {
  it('responds with 503 while the server is read-only, and recovers', async () => {
    const { waitForCommits, storeIsReady, waitForRejections, verifyLedger } = await startUnderLoad(
      server().newDatabase(),
    );
    await waitForCommits();
    server().setReadOnly(true);
    onTestFinished(() => server().setReadOnly(false));
    const [rejection] = await waitForRejections();
    expect(await storeIsReady()).toBe(false);
    expect(rejection).toMatchObject({ status: 503, retryAfter: 5 });
    server().setReadOnly(false);
    await waitForCommits();
    expect(await storeIsReady()).toBe(true);
    await verifyLedger();
  });

  it('responds with 503 while the server rejects its login, and reveals no names of it', async () => {
    const { waitForCommits, store, waitForRejections, verifyLedger } = await startUnderLoad(server().newDatabase());
    await waitForCommits();
    server().setLogin(false);
    onTestFinished(() => server().setLogin(true));
    const [rejection] = await waitForRejections();
    expect(rejection).toMatchObject({ status: 503, retryAfter: 5 });
    expect(await store()).toEqual({ ready: false, reason: 'The database cannot commit at the moment.' });
    server().setLogin(true);
    await waitForCommits();
    await verifyLedger();
  });

  it('responds with 503 while another program locks the balances, and recovers', async () => {
    const databaseUrl = server().newDatabase();
    const { waitForCommits, waitForRejections, verifyLedger } = await startUnderLoad(databaseUrl);
    await waitForCommits();
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE balances IN EXCLUSIVE MODE');
    await waitForRejections();
    await other.end();
    await waitForCommits();
    await verifyLedger();
  });

  it('responds with 503 while the server does not respond, and recovers', async () => {
    const proxy = await startBlackhole(server().newDatabase());
    const { waitForCommits, waitForRejections, verifyLedger } = await startUnderLoad(proxy.url);
    await waitForCommits();
    proxy.dropData(true);
    await waitForRejections();
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
