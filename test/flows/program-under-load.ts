import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, onTestFinished, vi } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { createSender, type DeliveryResponse, type OutgoingDelivery } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 60_000, interval: 100 };
const connections = 16;

function vote(user: number): OutgoingDelivery & { readonly userId: string } {
  const userId = String(user);
  const timestamp = new Date().toISOString();
  return { userId, family: 'vote', body: JSON.stringify({ event: 'server_vote', userId, timestamp }) };
}

/** Starts a program and sends votes to it until the end of the test. Collects the responses. */
export async function startUnderLoad(databaseUrl: string) {
  const environment = { ...settings(unreachableDiscord), DATABASE_URL: databaseUrl, ANNOUNCE_CHANNEL_ID: '1' };
  const running = startProgram(['start'], environment, tempDir());
  const url = await running.url();
  const { send } = createSender(connections);
  const acknowledged = new Set<string>();
  let rejected: DeliveryResponse[] = [];
  let stored = 0;
  let user = 0;
  let isStopped = false;
  const sending = Array.from({ length: connections }, async () => {
    while (!isStopped) {
      user += 1;
      const delivery = vote(user);
      const response = await send(url, delivery);
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
    store,
    storeIsReady,
    /** Waits until each connection has had votes rejected, again and again. Returns the responses. */
    async waitForRejections() {
      await vi.waitFor(() => expect(rejected.length).toBeGreaterThan(2 * connections), waitOptions);
      return rejected;
    },
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
      for (const userId of acknowledged)
        expect(await store.ledgerIn(firstCommunity).account(userId)).toMatchObject({ credits: 10 });
      const { credits, votes } = await store.records.counts();
      expect(credits).toBe(10 * votes);
      await store.close();
    },
  };
}
