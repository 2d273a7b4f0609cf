import { describe, expect, it, vi } from 'vitest';
import { type ServiceProcess, startBalancer, startServiceProcess } from '../support/service-process.ts';
import { countVotes, createListings, voterAt, voters } from './service-votes.ts';

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
    expect(answers.votes.filter((location) => !location.endsWith('voted'))).toEqual([]);
    expect((await countVotes(address)) - before).toBe(answers.votes.length);
  });
});
