import { setImmediate as nextTurn } from 'node:timers/promises';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { addBacklog, backlogChannel, createTestWorker, start } from './test-worker.ts';

const premiumChannel = '500000000000000009';
const slowDown = {
  outcome: 'later',
  reason: 'slow down',
  scope: 'effects',
  retryAfterMs: hour,
  notSent: true,
} as const;

type TestWorker = Awaited<ReturnType<typeof createTestWorker>>;

/** An idle worker with a backlog in one channel, which is paused. */
async function withPausedBacklog(effects: number): Promise<TestWorker> {
  const fixture = await createTestWorker(slowDown, { outcome: 'done' });
  addBacklog(fixture.path, effects);
  fixture.worker.start();
  await fixture.attempted(1);
  await fixture.settle();
  return fixture;
}

/** An idle worker that has found channels with an effect each, none of which is due. */
async function withPostponedChannels(channels: number): Promise<TestWorker> {
  const fixture = await createTestWorker({ outcome: 'done' });
  addBacklog(fixture.path, channels, { channels, dueAt: start + 2 * minute });
  fixture.worker.start();
  for (let slices = 0; slices <= channels / 100; slices += 1) {
    await fixture.settle();
    await fixture.clock.advance(second / 20);
  }
  await fixture.settle();
  return fixture;
}

/** The median time that nudges of the paused channel and of one without effects take, until all is idle again (ms). */
async function medianPollMs({ clock, nudge }: TestWorker): Promise<number> {
  const durations: number[] = [];
  for (let poll = 0; poll < 101; poll += 1) {
    const startedAt = performance.now();
    nudge(backlogChannel);
    nudge(premiumChannel);
    do await nextTurn();
    while (clock.sleepers() === 0);
    durations.push(performance.now() - startedAt);
  }
  return durations.sort((a, b) => a - b)[50] ?? 0;
}

describe('the worker with a large backlog', () => {
  it('polls in a time that does not depend on the backlog of a paused channel', { timeout: 60_000 }, async () => {
    const small = await medianPollMs(await withPausedBacklog(1_000));
    const large = await medianPollMs(await withPausedBacklog(100_000));
    expect(large).toBeLessThan(10 * small);
  });

  it('polls in a time that does not depend on the number of channels', { timeout: 60_000 }, async () => {
    const few = await medianPollMs(await withPostponedChannels(100));
    const many = await medianPollMs(await withPostponedChannels(10_000));
    expect(many).toBeLessThan(10 * few);
  });

  it('finds an effect that is postponed beyond reach of the clock, behind one that is due soon', async () => {
    const { path, worker, performed, attempted, settle } = await createTestWorker({ outcome: 'done' });
    addBacklog(path, 1, { dueAt: start + minute });
    addBacklog(path, 1, { dueAt: start + hour });
    worker.start();
    await attempted(1);
    await settle();
    expect(performed.map(({ ids }) => ids)).toEqual([[2]]);
  });
});
