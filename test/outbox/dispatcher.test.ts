import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDispatcher } from '../../src/outbox/dispatcher.ts';
import type { AttemptResult, Effect } from '../../src/outbox/effect.ts';
import { day, hour, minute, second } from '../../src/platform/durations.ts';
import { createLog } from '../../src/platform/log.ts';
import { openStore } from '../../src/store/store.ts';
import { serverAndBot } from '../support/listings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const start = Date.UTC(2026, 0, 1);

/** A dispatcher over a real outbox whose attempts end as `attempts` says, the last one for all that follow. */
async function dispatching(...attempts: AttemptResult[]) {
  const clock = manualClock(start);
  const path = join(tempDir(), 'tally.db');
  const store = await openStore(`sqlite:${path}`, clock, { thread: false });
  let during = () => {};
  const performed: { at: number; ids: number[]; nonce: string | undefined }[] = [];
  const perform = async (effects: readonly Effect[]): Promise<AttemptResult> => {
    during();
    performed.push({ at: clock.now() - start, ids: effects.map(({ id }) => id), nonce: effects[0]?.nonce });
    return attempts.length > 1 ? (attempts.shift() as AttemptResult) : (attempts[0] as AttemptResult);
  };
  const log = createLog({ level: 'silent', secrets: [] });
  let reachable = true;
  let looks = 0;
  const isReachable = async () => {
    looks += 1;
    return reachable;
  };
  const dispatcher = createDispatcher({ outbox: store.outbox, perform, isReachable, clock, log });
  onTestFinished(async () => {
    await dispatcher.stop();
    await store.close();
  });
  const [listing] = serverAndBot();
  if (listing === undefined) throw new Error('no listing');
  const enqueue = (channelId?: string, receivedAt = clock.now()) =>
    store.recorder.record(
      { receivedAt, family: 'vote', body: '{}' },
      {
        type: 'test',
        test: { kind: 'server_vote', userId: '1' },
        listing: { ...listing, ...(channelId && { announceChannelId: channelId }) },
      },
    );
  const counts = async () => (await store.records.counts()).effects;
  /** Until it has done what there is to do, and sleeps; the clock stands still meanwhile. */
  const settle = async () => {
    do await wait(5);
    while (clock.sleepers() === 0);
  };
  /** Waits until so many attempts were made, however slow the disk is. */
  const attempted = (count: number) => vi.waitFor(() => expect(performed).toHaveLength(count), 5_000);
  const whilePerforming = (run: () => void) => {
    during = run;
  };
  const outside = {
    reachable(isSo: boolean) {
      reachable = isSo;
    },
    looks: () => looks,
  };
  return { path, clock, store, dispatcher, performed, enqueue, counts, settle, attempted, whilePerforming, outside };
}

/** The same with an effect of eight days ago and one of now, which were tried together once. */
async function oldAndFresh(...attempts: AttemptResult[]) {
  const stage = await dispatching(...attempts);
  await stage.enqueue();
  await stage.clock.advance(8 * day);
  await stage.enqueue();
  stage.dispatcher.start();
  await stage.attempted(1);
  await stage.settle();
  return stage;
}

describe('the dispatcher', () => {
  it('does what waits when it starts, and what comes when it is nudged', async () => {
    const { dispatcher, enqueue, counts, attempted } = await dispatching({ outcome: 'done' });
    await enqueue();
    dispatcher.start();
    await attempted(1);
    await enqueue();
    dispatcher.nudge();
    await attempted(2);
    await vi.waitFor(async () => expect(await counts()).toEqual({ waiting: 0, done: 2, buried: 0 }));
  });

  it('notices within two seconds what another process has written', async () => {
    const { clock, dispatcher, enqueue, settle, attempted } = await dispatching({ outcome: 'done' });
    dispatcher.start();
    await settle();
    await enqueue();
    await clock.advance(2 * second);
    await attempted(1);
  });

  it('tries again later as the same message, and holds everything off while nothing can succeed', async () => {
    const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
    const { clock, dispatcher, performed, enqueue, counts, settle, attempted } = await dispatching(down, {
      outcome: 'done',
    });
    await enqueue();
    dispatcher.start();
    await attempted(1);
    await enqueue('500000000000000009');
    dispatcher.nudge();
    await settle();
    expect(performed).toHaveLength(1);
    await clock.advance(8 * second);
    await settle();
    await clock.advance(2 * second);
    await attempted(3);
    expect(performed.filter(({ nonce }) => nonce === performed[0]?.nonce)).toHaveLength(2);
    await vi.waitFor(async () => expect(await counts()).toMatchObject({ done: 2 }));
  });

  it('holds off also when votes arrive during the very attempt that fails', async () => {
    const { dispatcher, performed, enqueue, settle, whilePerforming } = await dispatching({
      outcome: 'later',
      reason: 'Discord is down',
      scope: 'global',
    });
    await enqueue();
    await enqueue('500000000000000009');
    whilePerforming(() => dispatcher.nudge());
    dispatcher.start();
    await settle();
    expect(performed).toHaveLength(1);
  });

  it('does at once what waited when it is told that Discord is back', async () => {
    const { store, dispatcher, enqueue, counts, attempted } = await dispatching(
      { outcome: 'later', reason: 'Discord is down', scope: 'global', retryAfterMs: hour },
      { outcome: 'done' },
    );
    await enqueue();
    dispatcher.start();
    await vi.waitFor(async () => expect(await store.outbox.nextDueAt()).toBeGreaterThan(start + minute));
    await dispatcher.wake();
    await attempted(2);
    await vi.waitFor(async () => expect(await counts()).toMatchObject({ done: 1 }));
  });

  it('sends alone what was refused together, and buries only the one at fault', async () => {
    const { dispatcher, performed, enqueue, counts, attempted } = await dispatching(
      { outcome: 'split', reason: 'invalid' },
      { outcome: 'bury', reason: 'invalid' },
      { outcome: 'done' },
    );
    for (let count = 0; count < 3; count += 1) await enqueue();
    dispatcher.start();
    await attempted(4);
    expect(performed.map(({ ids }) => ids.length)).toEqual([3, 1, 1, 1]);
    await vi.waitFor(async () => expect(await counts()).toEqual({ waiting: 0, done: 2, buried: 1 }));
  });

  it('does not let one channel hold up another', async () => {
    const { dispatcher, performed, enqueue, attempted } = await dispatching(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: hour },
      { outcome: 'done' },
    );
    await enqueue('500000000000000008');
    await enqueue('500000000000000009');
    dispatcher.start();
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1], [2]]);
  });

  it('sees while a channel rests also what waited long for its commit', async () => {
    const { clock, dispatcher, performed, enqueue, settle, attempted } = await dispatching(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: hour, notSent: true },
      { outcome: 'done' },
    );
    await enqueue('500000000000000008');
    dispatcher.start();
    await attempted(1);
    await settle();
    await enqueue('500000000000000009', clock.now() - 4 * second);
    dispatcher.nudge();
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1], [2]]);
  });

  it('gives up nothing for its age because Discord asks for a pause', async () => {
    const { clock, performed, counts, attempted } = await oldAndFresh(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: second, notSent: true },
      { outcome: 'done' },
    );
    expect(await counts()).toEqual({ waiting: 2, done: 0, buried: 0 });
    await clock.advance(2 * second);
    await attempted(2);
    expect(performed[1]?.ids).toEqual([1, 2]);
  });

  it('gives up only what is too old itself, and none of what goes with it', async () => {
    const { clock, performed, counts, attempted } = await oldAndFresh(
      { outcome: 'later', reason: 'Discord is down', scope: 'global' },
      { outcome: 'done' },
    );
    expect(await counts()).toEqual({ waiting: 1, done: 0, buried: 1 });
    await clock.advance(8 * second);
    await attempted(2);
    expect(performed.map(({ ids }) => ids)).toEqual([[1, 2], [2]]);
  });

  it('remembers of what it gives up whether it may be done', async () => {
    const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
    for (const attempt of [down, { ...down, notSent: true } as const]) {
      const { clock, store, dispatcher, enqueue, counts } = await dispatching(attempt);
      await enqueue();
      await clock.advance(8 * day);
      dispatcher.start();
      await vi.waitFor(async () => expect(await counts()).toMatchObject({ buried: 1 }));
      await dispatcher.stop();
      await store.ownerActions.requeueEffect(1, clock.now() + day);
      const [again] = await store.outbox.claim(clock.now() + day, clock.now() + 2 * day, 10);
      expect(again?.possiblySentSince).toBe('notSent' in attempt ? null : start + 8 * day);
    }
  });

  it('lets a channel rest as a whole, and then sends in tens what gathered meanwhile', async () => {
    const { clock, dispatcher, performed, enqueue, settle, attempted } = await dispatching(
      { outcome: 'later', reason: 'slow down', scope: 'effects', retryAfterMs: minute, notSent: true },
      { outcome: 'done' },
    );
    await enqueue();
    dispatcher.start();
    await attempted(1);
    for (let count = 0; count < 24; count += 1) await enqueue();
    dispatcher.nudge();
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

    it('back by an hour, does what waits when it is nudged', async () => {
      const { clock, dispatcher, enqueue, settle, attempted } = await dispatching({ outcome: 'done' });
      dispatcher.start();
      await settle();
      await enqueue();
      clock.set(-hour);
      dispatcher.nudge();
      await attempted(1);
    });

    it.each([-hour, -minute])('back by %i ms, tries again what was put off for a moment', async (step) => {
      const { clock, dispatcher, enqueue, settle, attempted } = await dispatching(retry, { outcome: 'done' });
      await enqueue();
      dispatcher.start();
      await attempted(1);
      await settle();
      clock.set(step);
      await clock.advance(2 * second);
      await attempted(2);
    });

    it('back by an hour, lets a channel rest for as long as Discord asks, and sees what is for others', async () => {
      const { clock, dispatcher, performed, enqueue, settle, attempted } = await dispatching(
        { ...retry, retryAfterMs: minute, notSent: true },
        { outcome: 'done' },
      );
      await enqueue();
      dispatcher.start();
      await attempted(1);
      await settle();
      clock.set(-hour);
      await enqueue('500000000000000009');
      dispatcher.nudge();
      await attempted(2);
      await settle();
      await clock.advance(minute - second);
      await settle();
      expect(performed).toHaveLength(2);
      await clock.advance(2 * second);
      await attempted(3);
    });

    it('forward by an hour, looks as often as before whether Discord is back', async () => {
      const down = { outcome: 'later', reason: 'Discord is down', scope: 'global' } as const;
      const { clock, dispatcher, enqueue, settle, attempted, outside } = await dispatching(down, { outcome: 'done' });
      outside.reachable(false);
      await enqueue();
      dispatcher.start();
      await attempted(1);
      await settle();
      clock.set(hour);
      for (let seconds = 0; seconds < 60; seconds += 1) {
        await clock.advance(second);
        await settle();
      }
      expect(outside.looks()).toBeGreaterThan(60 / 8);
    });
  });

  it('meets an outage with questions, so that it leaves one message whose fate nobody knows', async () => {
    const down = { outcome: 'later', reason: 'Discord answered 500', scope: 'global' } as const;
    const { clock, dispatcher, performed, enqueue, settle, attempted, outside } = await dispatching(down, {
      outcome: 'done',
    });
    outside.reachable(false);
    await enqueue();
    dispatcher.start();
    await attempted(1);
    for (let steps = 0; steps < 30; steps += 1) {
      await enqueue();
      dispatcher.nudge();
      await clock.advance(2 * minute);
      await settle();
    }
    expect(performed).toHaveLength(1);
    expect(outside.looks()).toBeGreaterThan(20);

    outside.reachable(true);
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

  it('looks within 8 s whether a young outage is over, by the policy of the effects', async () => {
    const { clock, dispatcher, enqueue, settle, attempted, outside } = await dispatching(
      { outcome: 'later', reason: 'Discord is down', scope: 'global', notSent: true },
      { outcome: 'done' },
    );
    outside.reachable(false);
    await enqueue();
    dispatcher.start();
    await attempted(1);
    for (let steps = 0; steps < 20; steps += 1) {
      await clock.advance(8 * second);
      await settle();
    }
    outside.reachable(true);
    await clock.advance(8 * second);
    await attempted(2);
  });

  it('takes up what a crash left in a lease, as the same message', async () => {
    const { clock, store, dispatcher, performed, enqueue, settle } = await dispatching({ outcome: 'done' });
    await enqueue();
    const [leased] = await store.outbox.claim(start, start + minute, 10);
    dispatcher.start();
    await clock.advance(30 * second);
    await settle();
    expect(performed).toHaveLength(0);
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(2 * second);
      await settle();
    }
    expect(performed).toMatchObject([{ nonce: leased?.nonce }]);
  });

  it('writes down what it did before it does anything else, however long the database is locked', async () => {
    const { path, clock, dispatcher, performed, enqueue, counts, settle, whilePerforming } = await dispatching({
      outcome: 'done',
    });
    await enqueue();
    const other = new DatabaseSync(path);
    whilePerforming(() => void (other.isTransaction || other.exec('BEGIN IMMEDIATE')));
    dispatcher.start();
    for (let minutes = 0; minutes < 10; minutes += 1) {
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

  it('gives back what is still under way when it stops, so that the next start does it at once, as the same message', async () => {
    const { clock, store, enqueue } = await dispatching({ outcome: 'done' });
    await enqueue();
    let begun = '';
    const dispatcher = createDispatcher({
      outbox: store.outbox,
      perform: ([effect]) => {
        begun = effect?.nonce ?? '';
        return new Promise(() => {});
      },
      clock,
      log: createLog({ level: 'silent', secrets: [] }),
    });
    dispatcher.start();
    await expect.poll(() => begun).not.toBe('');
    const stopping = dispatcher.stop();
    await wait(30);
    await clock.advance(3 * second);
    await stopping;
    expect(await store.outbox.claim(clock.now(), clock.now() + minute, 10)).toMatchObject([
      { attempts: 2, nonce: begun },
    ]);
  });
});
