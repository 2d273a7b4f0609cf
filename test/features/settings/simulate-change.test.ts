import { setImmediate as turn } from 'node:timers/promises';
import { day, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { type ComparedSettings, createChangeSimulation } from '../../../src/features/settings/services.ts';
import type { RuleChange, SimulatedCredits } from '../../../src/features/simulation/feature.ts';
import { openStore } from '../../../src/features/store.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupOver } from '../../support/setup-over.ts';

const guildId = '613425648685547541';
const paid = { before: 10, after: 20 };

/** Changes settings of a guild, whose simulations are left to the test. */
async function changes(simulate: (change: RuleChange) => Promise<SimulatedCredits | null>) {
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onFinished(() => store.close());
  const rewards = { vote: 10, streak: { every: 7, credits: 50 } };
  const environment = environmentWith([{ ...harbour, guildId, rewards }]);
  const setup = setupOver(store, environment);
  const { log, logged } = collectingLog();
  const simulateChange = createChangeSimulation({
    ...{
      setup,
      directory: createDirectory(loadConfig(environment).listings, communityIdsOf(loadConfig(environment).listings)),
    },
    ...{ store: { simulation: { simulateCredits: simulate } }, clock, stopwatch: clock, log },
  });
  let saves = 0;
  async function save(
    listing: string | null,
    path: 'rewards.vote' | 'rewards.streak' | 'ownerChannelId',
    value: unknown,
  ) {
    saves += 1;
    const author = { guildId, authorId: '1', interactionId: String(saves) };
    const result = await setup.save({ ...author, basis: null, changes: [{ listing, path, value }] });
    if (result.status !== 'saved') throw new Error(JSON.stringify(result));
    return {
      before: result.change.changes.map((each) => ({ ...each, listing: each.listing ?? '', value: each.before })),
    };
  }
  return { clock, logged, save, simulateChange: (compared: ComparedSettings) => simulateChange(guildId, compared) };
}

describe('the simulation of a change', () => {
  it('has the rules of file and /setup, before and after that change alone', async () => {
    const asked: RuleChange[] = [];
    const { clock, save, simulateChange } = await changes(async (change) => {
      asked.push(change);
      return paid;
    });
    await save('harbour', 'rewards.vote', 25);
    expect(await simulateChange(await save(null, 'rewards.streak', null))).toEqual(paid);
    const [
      {
        before: [before],
        after: [after],
        since,
        communityId,
        maxEntries,
      } = { before: [], after: [] },
    ] = asked;
    expect(before?.rewards).toMatchObject({ base: { perVote: 25 }, streak: { every: 7, credits: 50 } });
    expect(after?.rewards).toMatchObject({ base: { perVote: 25 }, streak: null });
    expect([since, communityId, maxEntries]).toEqual([clock.now() - 30 * day, firstCommunity, 20_000]);
  });

  it('is not made for settings that pay nobody otherwise', async () => {
    const { save, simulateChange } = await changes(() => Promise.reject(new Error('It was made.')));
    expect(await simulateChange(await save(null, 'ownerChannelId', '500000000000000001'))).toBe(null);
  });

  it('is given up after two seconds, and where it fails, which is logged', async () => {
    const signals: AbortSignal[] = [];
    const pending = Promise.withResolvers<never>();
    const { clock, logged, save, simulateChange } = await changes(({ signal }) => {
      signals.push(signal);
      return pending.promise;
    });
    const change = await save('harbour', 'rewards.vote', 25);
    const late = simulateChange(change);
    // Another one does not wait for it.
    expect(await simulateChange(change)).toBe(null);
    while (signals.length === 0) await turn();
    await clock.advance(2 * second);
    expect(await late).toBe(null);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    pending.reject(new Error('The database is gone.'));
    expect(await simulateChange(change)).toBe(null);
    expect(logged.map(({ reason }) => reason)).toEqual(['no answer within 2000 ms', 'The database is gone.']);
  });
});
