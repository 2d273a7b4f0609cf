import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ServiceProcess, startBalancer, startServiceProcess } from '../support/service-process.ts';
import { countVotes, createListings, voterAt, voters } from './service-votes.ts';

/** Sends half of a request, and leaves the connection open. */
async function sendHalf(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nuser');
  await fetch(`${url}/healthz`);
}

describe('the service after a stop signal', { timeout: 120_000 }, () => {
  it('completes the requests in progress, has stored every vote that it answered, and exits with 0', async () => {
    const { address, listings } = await createListings(40);
    const service = await startServiceProcess(address);
    const vote = await voterAt(service.serviceUrl, voters[0]?.userId ?? '');
    const before = await countVotes(address);
    await sendHalf(service.serviceUrl);
    const votes = listings.map((listing) => vote(service.serviceUrl, listing).catch(() => 'refused'));
    await Promise.any(votes);
    service.process.kill('SIGTERM');
    const answered = (await Promise.all(votes)).filter((location) => location.includes('notice=voted')).length;
    expect(await service.ended).toBe(0);
    expect(answered).toBeGreaterThan(0);
    expect((await countVotes(address)) - before).toBe(answered);
  });

  it('exits at once with 1 after a second signal', async () => {
    const { address } = await createListings(1);
    const service = await startServiceProcess(address, '--drain-seconds', '60');
    // Signals that arrive together count as one.
    const signals = setInterval(() => service.process.kill('SIGTERM'), 300);
    onTestFinished(() => clearInterval(signals));
    expect(await service.ended).toBe(1);
  });
});

describe('the service', { timeout: 180_000 }, () => {
  it('can be replaced process by process without refusing a request', async () => {
    const { address, listings } = await createListings(30);
    const balancer = await startBalancer(50);
    const start = async () => {
      const service = await startServiceProcess(address, '--drain-seconds', '3');
      await balancer.add(service);
      return service;
    };
    const first = [await start(), await start()];
    const before = await countVotes(address);
    const castAs = await Promise.all(voters.map(({ userId }) => voterAt(first[0]?.serviceUrl ?? '', userId)));
    const isDone = { value: false };
    const answers = { lookups: [] as number[], votes: [] as string[] };
    const traffic = [lookUp(), castVotes()];

    async function lookUp() {
      for (let at = 0; !isDone.value; at += 1) {
        const { key, kind } = listings[at % listings.length] ?? { key: '', kind: 'server' };
        const response = await fetch(`${balancer.url}/api/v1/${kind}`, { headers: { 'x-api-key': key } });
        await response.text();
        answers.lookups.push(response.status);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    async function castVotes() {
      for (const cast of castAs) {
        for (const listing of listings) {
          if (isDone.value) return;
          answers.votes.push(await cast(balancer.url, listing));
          await new Promise((resolve) => setTimeout(resolve, 15));
        }
      }
    }

    const lookUpsAfter = async (count: number) =>
      vi.waitFor(() => expect(answers.lookups.length).toBeGreaterThan(count), { timeout: 60_000 });
    const replace = async (service: ServiceProcess) => {
      await lookUpsAfter(answers.lookups.length);
      service.process.kill('SIGTERM');
      expect(await service.ended).toBe(0);
      balancer.remove(service);
      await start();
    };
    for (const service of first) await replace(service);
    await lookUpsAfter(answers.lookups.length);
    isDone.value = true;
    await Promise.all(traffic);
    expect(answers.lookups.filter((status) => status !== 200)).toEqual([]);
    expect(answers.votes.filter((location) => !location.includes('notice=voted'))).toEqual([]);
    expect((await countVotes(address)) - before).toBe(answers.votes.length);
  });
});
