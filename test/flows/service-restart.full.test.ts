import { once } from 'node:events';
import { connect } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { seededMembers } from 'listing-service';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type GeneratedListing, generate } from '../../packages/listing-service/src/generate/generate.ts';
import { openDatabase } from '../../packages/listing-service/src/storage/database.ts';
import { startBalancer } from '../support/start-balancer.ts';
import { startProgram } from '../support/start-program.ts';

const voters = seededMembers.slice(0, 6);

/** A database with listings for which nobody has voted. */
async function createListings(count: number) {
  const address = `sqlite:${tempDir()}/service.db`;
  const listings: GeneratedListing[] = [];
  const database = await openDatabase(address);
  await generate(database, {
    population: { listings: count, members: 0, votes: 0, reviews: 0 },
    now: systemClock.now(),
    signal: new AbortController().signal,
    onListing: (listing) => listings.push(listing),
    onProgress: () => {},
  });
  await database.destroy();
  return { address, listings };
}

/** Signs a member in; the returned function votes at any process of the same database. */
async function voterAt(url: string, userId: string) {
  const form = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ userId }) } as const;
  const signedIn = await fetch(`${url}/sign-in`, form);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${url}/`, { headers: { cookie } })).text();
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return async (at: string, { kind, id }: GeneratedListing): Promise<string> => {
    const response = await fetch(`${at}/${kind}s/${id}/vote`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ token }),
    });
    return response.headers.get('location') ?? `${response.status} ${await response.text()}`;
  };
}

async function countVotes(address: string): Promise<number> {
  const database = await openDatabase(address);
  const ids = voters.map(({ userId }) => userId);
  const rows = await database.selectFrom('votes').select('id').where('user_id', 'in', ids).execute();
  await database.destroy();
  return rows.length;
}

type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** Starts `tallyhook service` in a process of its own. */
async function startServiceProcess(database: string, ...options: string[]) {
  const args = ['service', '--json', '--seed', '--log-level', 'silent', '--database', database, '--port', '0'];
  const program = startProgram([...args, ...options], {}, tempDir());
  await vi.waitFor(() => expect(program.output()).toContain('\n'), { timeout: 60_000 });
  return { ...program, serviceUrl: String(JSON.parse(program.output().split('\n')[0] ?? '').url) };
}

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
    /** What was ready at the last check. */
    const targets = new Map<string, boolean>();
    const check = () =>
      Promise.all(
        [...targets.keys()].map(async (url) => {
          const isReady = await fetch(`${url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          );
          if (targets.has(url)) targets.set(url, isReady);
        }),
      );
    const timer = setInterval(() => void check(), 50);
    onTestFinished(() => clearInterval(timer));
    const balancer = await startBalancer(() => [...targets.keys()].filter((url) => targets.get(url)));
    const start = async () => {
      const service = await startServiceProcess(address, '--drain-seconds', '3');
      targets.set(service.serviceUrl, false);
      await check();
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
      targets.delete(service.serviceUrl);
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
