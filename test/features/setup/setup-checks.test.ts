import { expect, it, onTestFinished } from 'vitest';
import { createKeyCheck } from '../../../src/features/setup/setup-checks.ts';
import { openStore } from '../../../src/features/store.ts';
import { minute, second } from '../../../src/platform/durations.ts';
import { createLog } from '../../../src/platform/log.ts';
import { failure, startFakeService } from '../../lookup/fake-service.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const [guildId, otherGuildId] = ['700000000000000001', '700000000000000002'];

it('checks ten keys a minute for a guild, over all processes, and sends no request for more', async () => {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  service.respondWith(failure(401, 'Invalid key'));
  const databaseUrl = newSqliteUrl();
  const clock = manualClock();
  const startedAt = clock.now();
  const log = createLog({ level: 'silent', secrets: [] });
  async function startProcess() {
    const store = await openStore(databaseUrl, clock, { thread: false });
    onTestFinished(() => store.close());
    return createKeyCheck({ baseUrl: service.baseUrl, budget: store.budgetStore, clock, log });
  }
  const [one, other] = [await startProcess(), await startProcess()];
  for (let guess = 0; guess < 10; guess += 1) {
    const checkKey = guess % 2 === 0 ? one : other;
    expect(await checkKey(guildId, 'server', `guess-${guess}`)).toEqual({ status: 'refused' });
    await clock.advance(second);
  }
  const tooMany = { status: 'tooMany', retryAt: startedAt + minute };
  for (const checkKey of [one, other]) expect(await checkKey(guildId, 'bot', 'guess')).toEqual(tooMany);
  expect(service.requests).toHaveLength(10);
  expect(await one(otherGuildId, 'server', 'guess')).toEqual({ status: 'refused' });
  await clock.advance(startedAt + minute - clock.now());
  expect(await other(guildId, 'server', 'guess')).toEqual({ status: 'refused' });
  expect(await other(guildId, 'server', 'guess')).toMatchObject({ status: 'tooMany' });
});
