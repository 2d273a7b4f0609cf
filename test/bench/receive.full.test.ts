import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Generator, startGenerator } from '../../bench/load/load.ts';
import { hasWrk } from '../../bench/load/wrk.ts';
import { watchOtherPrograms } from '../../bench/process/other-programs.ts';
import { compare, type RunKind } from '../../bench/receive/compare.ts';
import { type Contender, contenderNamed } from '../../bench/receive/contender.ts';
import { type RunningContender, startContender } from '../../bench/receive/contender-runner.ts';
import { type SurroundingsSource, startSurroundings } from '../../bench/receive/surroundings.ts';
import { tables } from '../../bench/receive/tables.ts';
import { databaseFile, verifyDurability } from '../../bench/receive/verify-durability.ts';

let directory: string;
let surroundings: SurroundingsSource;
let generator: Generator;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'bench-receive-'));
  surroundings = await startSurroundings(join(directory, 'surroundings'));
  generator = await startGenerator();
}, 180_000);

afterAll(async () => {
  await generator.stop();
  await surroundings.stop();
  rmSync(directory, { recursive: true });
});

async function start(contender: Contender): Promise<RunningContender> {
  const environment = { generator, directory, surroundings, otherPrograms: watchOtherPrograms() };
  const running = await startContender(contender, environment);
  onTestFinished(() => running.stop());
  return running;
}

describe('the receive benchmark', { timeout: 180_000 }, () => {
  it('compares contenders with each sender', async () => {
    const running = [await start(contenderNamed('express')), await start(contenderNamed('tallyhook'))];
    const kinds: RunKind[] = [...((await hasWrk()) ? ['wrk' as const] : []), 'own', 'half'];
    const results = await compare(running, { rounds: 1, seconds: 0.02, kinds }, () => {});
    for (const { contender, of, over } of results) {
      for (const kind of kinds.filter((each) => each !== 'half')) {
        const measured = of(kind);
        expect(measured?.rate).toBeGreaterThan(0);
        expect(measured?.cpu).toBeGreaterThan(1);
        expect(measured?.p99).toBeGreaterThanOrEqual(measured?.p50 ?? Number.NaN);
        if (process.platform === 'linux') expect((measured?.workerCpu ?? 0) > 0).toBe(contender.name === 'tallyhook');
        expect(over(contender.name, kind, 'rate')).toBe(1);
      }
    }
    expect(results.find(({ contender }) => contender.name === 'express')?.of('half')?.rate).toBeGreaterThan(0);
    for (const { columns, rows } of tables(results, 'own')) {
      for (const row of rows) expect(row.length).toBe(columns.length);
    }
    const tallyhook = running[1] as RunningContender;
    expect(tallyhook.acknowledged()).toBeGreaterThan(0);
    expect(verifyDurability(tallyhook)).toBe(tallyhook.acknowledged());
  });

  it.each([
    { ...contenderNamed('tallyhook-scattered'), members: 500 },
    contenderNamed('tallyhook-listings'),
    contenderNamed('tallyhook-rewards'),
  ])('finds each acknowledged vote, and notices one that is missing ($title)', async (contender) => {
    const running = await start(contender);
    await running.run(120);
    await running.run(80, { rate: 2_000 });
    expect(verifyDurability(running)).toBe(200);

    // Otherwise the dispatcher may hold the lock.
    await running.stop();
    const database = new DatabaseSync(join(running.directory, databaseFile));
    database.exec('DELETE FROM entries WHERE id = (SELECT max(id) FROM entries)');
    database.close();
    expect(() => verifyDurability(running)).toThrow('tallyhook');
  });

  it('has a Discord that allows five messages in five seconds', async () => {
    const { discordUrl, channelId, token } = await surroundings.create('responding');
    const post = () =>
      fetch(`${discordUrl}/v10/channels/${channelId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'a vote' }),
      });
    const statuses: number[] = [];
    for (let times = 0; times < 5; times += 1) statuses.push((await post()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    const limited = await post();
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await limited.json()).toMatchObject({ global: false, retry_after: expect.any(Number) });
  });
});
