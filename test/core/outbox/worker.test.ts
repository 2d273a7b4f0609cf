import { DatabaseSync } from 'node:sqlite';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { describe, expect, it } from 'vitest';
import { parseQueue, queueName } from '../../../src/core/outbox/queue.ts';
import { Worker } from '../../../src/core/outbox/worker.ts';
import { claimDue } from '../../support/claim-due.ts';
import { firstCommunity } from '../../support/communities.ts';
import { createTestWorker, start } from './test-worker.ts';

/** The same with an effect from eight days ago and a new one, after one attempt to send both together. */
async function withOldAndNewEffect(...attempts: AttemptResult[]) {
  const fixture = await createTestWorker(...attempts);
  await fixture.enqueue();
  await fixture.clock.advance(8 * day);
  await fixture.enqueue();
  fixture.worker.start();
  await fixture.attempted(1);
  await fixture.settle();
  return fixture;
}

describe('the worker', () => {
  it('sends waiting effects when it starts, and new ones when it is nudged', async () => {
    const { worker, enqueue, nudge, counts, attempted } = await createTestWorker({ outcome: 'done' });
    await enqueue();
    worker.start();
    await attempted(1);
    await enqueue();
    nudge();
    await attempted(2);
    await eventually(async () => expect(await counts()).toEqual({ waiting: 0, done: 2, buried: 0 }));
  });

  it('sends effects of another process within two seconds', async () => {
    const { clock, worker, enqueue, settle, attempted } = await createTestWorker({ outcome: 'done' });
    worker.start();
    await settle();
    await enqueue();
    await clock.advance(2 * second);
    await attempted(1);
  });

  it('retries with the same nonce, and sends nothing else during a global failure', async () => {
    const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
    const { clock, worker, performed, enqueue, nudge, counts, settle, attempted } = await createTestWorker(down, {
      outcome: 'done',
    });
    await enqueue();
    worker.start();
    await attempted(1);
    await enqueue('500000000000000009');
    nudge('500000000000000009');
    await settle();
    expect(performed).toHaveLength(1);
    await clock.advance(8 * second);
    await settle();
    await clock.advance(2 * second);
    await attempted(3);
    expect(performed.filter(({ nonce }) => nonce === performed[0]?.nonce)).toHaveLength(2);
    await eventually(async () => expect(await counts()).toMatchObject({ done: 2 }));
  });

  it('pauses even if it is nudged during the attempt that fails globally', async () => {
    const { worker, performed, enqueue, nudge, settle, attempted, whilePerforming } = await createTestWorker({
      outcome: 'later',
      reason: 'Discord is down',
      scope: 'global',
    });
    await enqueue();
    whilePerforming(() => nudge());
    worker.start();
    await attempted(1);
    await settle();
    expect(performed).toHaveLength(1);
  });

  it('sends waiting effects immediately when it is woken', async () => {
    const { store, worker, enqueue, counts, attempted } = await createTestWorker(
      { outcome: 'later', reason: 'Discord is down', scope: 'global', retryAfterMs: hour },
      { outcome: 'done' },
    );
    await enqueue();
    worker.start();
    await eventually(async () =>
      expect((await store.outbox.queuesAfter('', 1, start))[0]?.dueAt).toBeGreaterThan(start + minute),
    );
    await worker.wake();
    await attempted(2);
    await eventually(async () => expect(await counts()).toMatchObject({ done: 1 }));
  });

  it('sends effects of a rejected message one by one, and buries only the invalid one', async () => {
    const { worker, performed, enqueue, counts, attempted } = await createTestWorker(
      { outcome: 'split', reason: 'invalid' },
      { outcome: 'bury', reason: 'invalid' },
      { outcome: 'done' },
    );
    for (let count = 0; count < 3; count += 1) await enqueue();
    worker.start();
    await attempted(4);
    expect(performed.map(({ ids }) => ids.length)).toEqual([3, 1, 1, 1]);
    await eventually(async () => expect(await counts()).toEqual({ waiting: 0, done: 2, buried: 1 }));
  });

  it('finds an effect that was committed late while another channel is paused', async () => {
    const { clock, worker, performed, enqueue, nudge, settle, attempted } = await createTestWorker(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: hour, notSent: true },
      { outcome: 'done' },
    );
    await enqueue('500000000000000008');
    worker.start();
    await attempted(1);
    await settle();
    await enqueue('500000000000000009', clock.now() - 4 * second);
    nudge('500000000000000009');
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1], [2]]);
  });

  it('does not give up old effects because of a rate limit', async () => {
    const { clock, performed, counts, attempted } = await withOldAndNewEffect(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: second, notSent: true },
      { outcome: 'done' },
    );
    expect(await counts()).toEqual({ waiting: 2, done: 0, buried: 0 });
    await clock.advance(2 * second);
    await attempted(2);
    expect(performed[1]?.ids).toEqual([1, 2]);
  });

  it('lets effects of a stopped channel wait for the time that they may, and gives them up with the reason', async () => {
    const stop = { target: '500000000000000001', maxAgeMs: day };
    const { clock, store, worker, enqueue, counts, attempted, settle } = await createTestWorker({
      ...{ outcome: 'later', reason: 'Give it Send Messages.', scope: 'effects', notSent: true, stop },
      retryAfterMs: hour,
    });
    await enqueue(stop.target);
    worker.start();
    for (let tries = 1; tries <= 23; tries += 1) {
      await attempted(tries);
      // The result is stored before the worker sleeps.
      await settle();
      expect(await counts()).toEqual({ waiting: 1, done: 0, buried: 0 });
      await clock.advance(hour);
    }
    await clock.advance(hour + minute);
    await eventually(async () => expect(await counts()).toEqual({ waiting: 0, done: 0, buried: 1 }));
    const reason = 'gave up after 24 h: Give it Send Messages.';
    expect(await store.records.effect(1)).toMatchObject({ state: 'buried', reason });
  });

  it('gives up only the effects of a message that are too old', async () => {
    const { clock, performed, counts, attempted } = await withOldAndNewEffect(
      { outcome: 'later', reason: 'Discord is down', scope: 'global' },
      { outcome: 'done' },
    );
    expect(await counts()).toEqual({ waiting: 1, done: 0, buried: 1 });
    await clock.advance(8 * second);
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1, 2], [2]]);
  });

  it('stores whether an effect that it gives up may have been sent', async () => {
    const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
    for (const attempt of [down, { ...down, notSent: true } as const]) {
      const { clock, store, worker, enqueue, counts } = await createTestWorker(attempt);
      await enqueue();
      await clock.advance(8 * day);
      worker.start();
      await eventually(async () => expect(await counts()).toMatchObject({ buried: 1 }));
      await worker.stop();
      await store.outbox.requeue(1, clock.now() + day);
      const [again] = await claimDue(store.outbox, clock.now() + day, clock.now() + 2 * day, 10);
      expect(again?.possiblySentSince).toBe('notSent' in attempt ? null : start + 8 * day);
    }
  });

  it('pauses a rate-limited channel, and then sends its backlog in batches of ten', async () => {
    const { clock, worker, performed, enqueue, nudge, settle, attempted } = await createTestWorker(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: minute, notSent: true },
      { outcome: 'done' },
    );
    await enqueue();
    worker.start();
    await attempted(1);
    for (let count = 0; count < 24; count += 1) await enqueue();
    nudge();
    await settle();
    expect(performed).toHaveLength(1);
    await clock.advance(minute - second);
    await settle();
    expect(performed).toHaveLength(1);
    await clock.advance(2 * second);
    await attempted(4);
    expect(performed.slice(1).map(({ ids }) => ids.length)).toEqual([10, 10, 5]);
    expect(performed[1]?.ids[0]).toBe(2);
  });

  describe('when the clock is set', () => {
    const retry = { outcome: 'later', reason: 'no answer', scope: 'effects' } as const;

    it('back by an hour, sends waiting effects when it is nudged', async () => {
      const { clock, worker, enqueue, nudge, settle, attempted } = await createTestWorker({ outcome: 'done' });
      worker.start();
      await settle();
      await enqueue();
      clock.shiftWallClock(-hour);
      nudge();
      await attempted(1);
    });

    it.each([-hour, -minute])('back by %i ms, retries a postponed effect on time', async (step) => {
      const { clock, worker, enqueue, settle, attempted } = await createTestWorker(retry, { outcome: 'done' });
      await enqueue();
      worker.start();
      await attempted(1);
      await settle();
      clock.shiftWallClock(step);
      await clock.advance(2 * second);
      await attempted(2);
    });

    it('back by an hour, keeps the pause of a channel, and sends effects of other channels', async () => {
      const { clock, worker, performed, enqueue, nudge, settle, attempted } = await createTestWorker(
        { ...retry, retryAfterMs: minute, notSent: true },
        { outcome: 'done' },
      );
      await enqueue();
      worker.start();
      await attempted(1);
      await settle();
      clock.shiftWallClock(-hour);
      await enqueue('500000000000000009');
      nudge('500000000000000009');
      await attempted(2);
      await settle();
      await clock.advance(minute - second);
      await settle();
      expect(performed).toHaveLength(2);
      await clock.advance(2 * second);
      await attempted(3);
    });

    it('forward by an hour, probes Discord as often as before', async () => {
      const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
      const { clock, worker, enqueue, settle, attempted, discord } = await createTestWorker(down, {
        outcome: 'done',
      });
      discord.setReachable(false);
      await enqueue();
      worker.start();
      await attempted(1);
      await settle();
      clock.shiftWallClock(hour);
      for (let seconds = 0; seconds < 60; seconds += 1) {
        await clock.advance(second);
        await settle();
      }
      expect(discord.probes()).toBeGreaterThan(60 / 8);
    });
  });

  it('only probes during an outage, so that a single message has an unknown result', async () => {
    const down = { outcome: 'later', reason: 'Discord answered 500', scope: 'global' } as const;
    const { clock, worker, performed, enqueue, nudge, settle, attempted, discord } = await createTestWorker(down, {
      outcome: 'done',
    });
    discord.setReachable(false);
    await enqueue();
    worker.start();
    await attempted(1);
    for (let steps = 0; steps < 30; steps += 1) {
      await enqueue();
      nudge();
      await clock.advance(2 * minute);
      await settle();
    }
    expect(performed).toHaveLength(1);
    expect(discord.probes()).toBeGreaterThan(20);

    discord.setReachable(true);
    await clock.advance(2 * minute);
    await attempted(5);
    expect(
      performed
        .slice(1)
        .map(({ ids }) => ids.length)
        .sort((a, b) => a - b),
    ).toEqual([1, 10, 10, 10]);
    expect(performed.filter(({ nonce }) => nonce === performed[0]?.nonce).map(({ ids }) => ids)).toEqual([[1], [1]]);
  });

  it('probes at least every 8 s at the start of an outage', async () => {
    const { clock, worker, enqueue, settle, attempted, discord } = await createTestWorker(
      { outcome: 'later', reason: 'Discord is down', scope: 'global', notSent: true },
      { outcome: 'done' },
    );
    discord.setReachable(false);
    await enqueue();
    worker.start();
    await attempted(1);
    for (let steps = 0; steps < 20; steps += 1) {
      await clock.advance(8 * second);
      await settle();
    }
    discord.setReachable(true);
    await clock.advance(8 * second);
    await attempted(2);
  });

  it('stores the result of an attempt before the next one, however long the database is locked', async () => {
    const { path, clock, worker, performed, enqueue, counts, settle, whilePerforming } = await createTestWorker({
      outcome: 'done',
    });
    await enqueue();
    const other = new DatabaseSync(path);
    whilePerforming(() => void (other.isTransaction || other.exec('BEGIN IMMEDIATE')));
    worker.start();
    for (let minutes = 0; minutes < 2; minutes += 1) {
      await settle();
      await clock.advance(minute);
    }
    expect(await counts()).toMatchObject({ waiting: 1 });
    other.exec('ROLLBACK');
    other.close();
    await clock.advance(4 * second);
    await settle();
    expect(await counts()).toEqual({ waiting: 0, done: 1, buried: 0 });
    expect(performed).toHaveLength(1);
  });

  it('carries out what does not need Discord during its outage, also while a probe waits for a response', async () => {
    const { clock, store, worker, enqueue, performWith, discord } = await createTestWorker({ outcome: 'done' });
    const attempted: string[] = [];
    performWith(async ([effect]) => {
      const { type } = parseQueue(effect?.queue ?? '');
      attempted.push(type);
      return type === 'channel' ? { outcome: 'later', reason: 'down', scope: 'global' } : { outcome: 'done' };
    });
    discord.setReachable(new Promise(() => {}));
    await enqueue();
    worker.start();
    await eventually(() => expect(attempted).toEqual(['channel']));
    await eventually(() => expect(clock.sleepers()).toBe(1));
    await clock.advance(8 * second);
    const queue = queueName('confirmation', firstCommunity, 'server');
    const content = { listing: 'server', userId: '1' };
    await store.outbox.enqueue([{ kind: 'confirmation', queue, content, deliveryId: null, createdAt: clock.now() }]);
    worker.nudge([queue]);
    await eventually(() => expect(attempted).toEqual(['channel', 'confirmation']));
  });

  it('attempts only effects of its own queues, and those of others once they are its own', async () => {
    const { clock, worker, enqueue, nudge, own, performed, attempted } = await createTestWorker({ outcome: 'done' });
    await enqueue('500000000000000008');
    await enqueue('500000000000000009');
    const owned = new Set(['500000000000000008']);
    own((queue) => owned.has(parseQueue(queue).id));
    worker.start();
    await attempted(1);
    nudge('500000000000000009');
    await clock.advance(10 * second);
    await eventually(() => expect(clock.sleepers()).toBe(1));
    expect(performed.map(({ ids }) => ids)).toEqual([[1]]);
    owned.add('500000000000000009');
    worker.rediscover();
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1], [2]]);
  });

  it('returns the leased effects of an unfinished attempt when it stops, with the same nonce', async () => {
    const { clock, store, enqueue } = await createTestWorker({ outcome: 'done' });
    await enqueue();
    let attemptedNonce = '';
    const worker = new Worker({
      outbox: store.outbox,
      perform: ([effect]) => {
        attemptedNonce = effect?.nonce ?? '';
        return new Promise(() => {});
      },
      clock,
      log: createLog({ level: 'silent', secrets: [] }),
    });
    worker.start();
    await expect.poll(() => attemptedNonce).not.toBe('');
    const stopping = worker.stop();
    await eventually(() => expect(clock.sleepers()).toBeGreaterThan(0));
    await clock.advance(3 * second);
    await stopping;
    expect(await claimDue(store.outbox, clock.now(), clock.now() + minute, 10)).toMatchObject([
      { attempts: 2, nonce: attemptedNonce },
    ]);
  });
});
