import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConformanceResult, runConformance } from '../src/conformance/suite.ts';
import { type RunningService, startService } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, botId, mira, serverId } from '../testing/running.ts';
import { type OtherProcess, startOtherProcess } from './another-process.ts';

/** Both have the address of the load balancer in their links. */
const publicUrl = 'https://list.example';
const newMember = { userId: '900000000000000001', username: 'newcomer' };

/** Forwards requests to the servers in turn. Returns its base URL. */
async function startBalancer(baseUrls: readonly string[]): Promise<{ baseUrl: string; stop(): void }> {
  let turn = 0;
  const server = createServer((request, response) => {
    turn += 1;
    const target = new URL(request.url ?? '', baseUrls[turn % baseUrls.length]);
    const { method, headers } = request;
    const forwarded = sendRequest(target, { ...(method && { method }), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describeOnBothDatabases('two servers on one database', (newDatabase) => {
  let address: string;
  let one: RunningService;
  let other: OtherProcess;
  let oneUrl: string;

  beforeAll(async () => {
    address = newDatabase();
    one = await startService({ database: address, allowLoopbackTargets: true, seed: true, publicUrl });
    oneUrl = `http://127.0.0.1:${one.port}/api/v1`;
    other = await startOtherProcess(address, { publicUrl });
  }, 30_000);

  afterAll(async () => {
    await other?.kill();
    await one?.stop();
  });

  async function sendMany(count: number, key: string, baseUrls: readonly string[]): Promise<Record<number, number>> {
    const headers = { 'X-API-Key': key };
    const requests = Array.from({ length: count }, (_, index) =>
      ask(`${baseUrls[index % baseUrls.length]}/votes/1`, { headers }),
    );
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(requests)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  it('conform to the document behind a load balancer', async () => {
    const keys = { server: await one.issueKey(serverId), bot: await one.issueKey(botId) };
    await one.castVote({ listingId: serverId, ...mira });
    for (let user = 1; user <= 20; user += 1) {
      await one.addReview({ listingId: serverId, userId: `${user}`, username: `u${user}`, rating: 3, comment: 'ok' });
    }
    const { baseUrl, stop } = await startBalancer([oneUrl, other.baseUrl]);
    const all: ConformanceResult[] = [];
    const suite = { baseUrl, keys, votedUser: mira.userId, skipRateLimit: true, choices: true, clock: systemClock };
    for await (const result of runConformance(suite)) all.push(result);
    stop();
    expect(all.filter(({ outcome }) => outcome !== 'holds')).toEqual([]);
    expect(all.length).toBeGreaterThan(70);
  });

  it('return what the other has changed at once: the profile, votes, reviews and keys', async () => {
    const key = await one.issueKey(serverId, 'revoked');
    const read = async (path: string) => (await ask(other.baseUrl + path, { headers: { 'X-API-Key': key } })).json;
    const { votes } = (await read('/server'))['data'] as { votes: number };
    await one.castVote({ listingId: serverId, ...newMember });
    expect(await read('/server')).toMatchObject({ data: { votes: votes + 1 } });
    for (const comment of ['First.', 'Second.']) {
      await one.addReview({ listingId: serverId, ...newMember, rating: 2, comment });
      expect(await read('/reviews?limit=1')).toMatchObject({ data: [{ comment }] });
    }
    const database = await openDatabase(address);
    await database.updateTable('listings').set({ name: 'Renamed' }).where('id', '=', serverId).execute();
    expect(await read('/server')).toMatchObject({ data: { name: 'Renamed' } });
    const { id } = await database
      .selectFrom('keys')
      .select('id')
      .where('label', '=', 'revoked')
      .executeTakeFirstOrThrow();
    await database.destroy();
    await one.revokeKey(serverId, id);
    expect((await ask(`${other.baseUrl}/server`, { headers: { 'X-API-Key': key } })).status).toBe(401);
  });

  it('answer exactly 120 of 150 concurrent requests that all reach one of them', async () => {
    const key = await one.issueKey(serverId);
    expect(await sendMany(150, key, [other.baseUrl])).toEqual({ 200: 120, 429: 30 });
    expect(await sendMany(10, key, [oneUrl])).toEqual({ 429: 10 });
  });

  it('share the limit, also after kill -9 of one of them', async () => {
    const key = await one.issueKey(serverId);
    const first = await sendMany(70, key, [oneUrl, other.baseUrl]);
    expect(first).toEqual({ 200: 70 });
    await other.kill();
    expect(await sendMany(60, key, [oneUrl])).toEqual({ 200: 50, 429: 10 });
  });
});
