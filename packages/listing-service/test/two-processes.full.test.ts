import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startService } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';

const kills = Number(process.env['TALLYHOOK_SERVICE_KILLS'] ?? 1);

/** Counts for each delivery how often it was received, and how often while it was already in progress. */
async function startCountingReceiver() {
  const received = new Map<string, number>();
  const inProgress = new Set<string>();
  const overlapping: string[] = [];
  const server = createServer((request, response) => {
    const id = String(request.headers['x-webhook-id']);
    if (inProgress.has(id)) overlapping.push(id);
    inProgress.add(id);
    response.on('close', () => inProgress.delete(id));
    request.resume().on('end', () => {
      received.set(id, (received.get(id) ?? 0) + 1);
      setTimeout(() => response.writeHead(200).end(), 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received, overlapping };
}

describeOnBothDatabases('two processes that are killed', (newDatabase) => {
  it('lose no recorded vote, queue one delivery for each, and never send one at the same time', async () => {
    const address = newDatabase();
    const receiver = await startCountingReceiver();
    const setup = await startService({ database: address, allowLoopbackTargets: true });
    const { listing } = await setup.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    await setup.setWebhook(listing.id, { voteUrl: receiver.url });
    await setup.stop();

    const recorded: string[] = [];
    let started = 0;
    /** Resolves when the process has recorded votes. */
    async function startVoting(): Promise<ChildProcess> {
      started += 1;
      const script = fileURLToPath(new URL('voting-process.ts', import.meta.url));
      const child = spawn(process.execPath, [script, address, listing.id, String(started * 1_000_000)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      createInterface(child.stdout).on('line', (line) => {
        // A killed process may have printed a part of its last line.
        if (line.endsWith('.')) recorded.push(line.slice(0, -1));
      });
      await once(child.stdout, 'data');
      return child;
    }

    const processes = await Promise.all([startVoting(), startVoting()]);
    for (let kill = 0; kill <= kills; kill += 1) {
      const votes = recorded.length + 10 + Math.floor(Math.random() * 60);
      await vi.waitFor(() => expect(recorded.length).toBeGreaterThan(votes), { timeout: 60_000, interval: 5 });
      const killed = processes[kill % 2] as ChildProcess;
      killed.kill('SIGKILL');
      await once(killed, 'close');
      if (kill < kills) processes[kill % 2] = await startVoting();
    }
    const survivor = processes[(kills + 1) % 2] as ChildProcess;
    survivor.kill('SIGKILL');
    await once(survivor, 'close');
    expect(receiver.overlapping).toEqual([]);

    const database = await openDatabase(address);
    onTestFinished(() => database.destroy());
    const votes = await database.selectFrom('votes').select('user_id').execute();
    const deliveries = await database.selectFrom('deliveries').select(['id', 'body']).execute();
    const voters = votes.map(({ user_id }) => user_id);
    expect(new Set(voters).size).toBe(voters.length);
    expect(recorded.filter((userId) => !voters.includes(userId))).toEqual([]);
    const queued = deliveries.map(({ body }) => (JSON.parse(body) as { userId: string }).userId);
    expect(queued.toSorted()).toEqual(voters.toSorted());

    // The leases of the killed processes have ended by then.
    const clock = { ...systemClock, now: () => systemClock.now() + minute };
    const last = await startService({ database: address, allowLoopbackTargets: true, clock });
    onTestFinished(() => last.stop());
    const waiting = () => database.selectFrom('deliveries').select('id').where('state', '=', 'waiting').execute();
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), { timeout: 100_000, interval: 20 });
    expect(deliveries.filter(({ id }) => !receiver.received.has(id))).toEqual([]);
    expect(receiver.overlapping).toEqual([]);
  }, 180_000);
});
