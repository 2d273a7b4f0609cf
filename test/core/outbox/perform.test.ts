import { day, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announcementKind, type ClaimedEffect, planKey, roleKind } from '../../../src/core/outbox/effect-kind.ts';
import { backoff, createPerform, handle, handleTogether } from '../../../src/core/outbox/perform.ts';
import { QueueRotation } from '../../../src/core/outbox/queue-rotation.ts';
import { createDiscovery } from '../../../src/core/outbox/worker.ts';
import { firstCommunity } from '../../support/communities.ts';
import { rolesQueue } from '../../support/queues.ts';
import { createTestWorker, start } from './test-worker.ts';

const row = {
  ...{ id: 1, deliveryId: null, queue: rolesQueue('4'), attempts: 1, createdAt: 0 },
  ...{ nonce: 'nonce', possiblySentSince: null },
};
const content = { guildId: '4', userId: '1', role: '9' };
const role: ClaimedEffect = { ...row, kind: 'role', content };
const announcement = handleTogether(announcementKind, async () => ({ outcome: 'done' }));

describe('a claimed effect', () => {
  it('is buried with the reason if it cannot be read, or has no handler', async () => {
    const perform = createPerform([announcement]);
    expect(await perform([{ ...row, kind: 'unreadable', reason: 'unknown kind "medal"' }])).toEqual({
      outcome: 'bury',
      reason: 'unknown kind "medal"',
    });
    expect(await perform([role])).toMatchObject({ outcome: 'bury', reason: expect.stringContaining('"role"') });
  });

  it('is retried alone if its handler throws', async () => {
    const perform = createPerform([
      announcement,
      handle(roleKind, () => Promise.reject(new Error('the database is locked'))),
    ]);
    expect(await perform([role])).toEqual({
      outcome: 'later',
      reason: 'unexpected error: the database is locked',
      scope: 'effects',
    });
  });
});

describe('the worker with effects of several kinds', () => {
  const stored = { kind: 'role', queue: rolesQueue('4'), content, deliveryId: null, createdAt: start } as const;

  it('finds the queue of a planned effect at once, however many other queues wait', async () => {
    const { clock, store } = await createTestWorker({ outcome: 'done' });
    const waiting = Array.from({ length: 150 }, (_, index) => {
      const guildId = String(1_000 + index);
      return { ...stored, queue: rolesQueue(guildId), content: { ...content, guildId } };
    });
    await store.outbox.enqueue([
      ...waiting,
      { ...stored, plan: { key: planKey(firstCommunity, 'role', '4'), dueAt: start } },
    ]);
    const rotation = new QueueRotation(clock);
    await createDiscovery({ outbox: store.outbox, rotation, clock, newEffectsPollMs: null }).run();
    expect(rotation.next()).toBe('roles 1 4');
  });

  it('buries an effect of an unknown kind, and continues with the others of its queue', async () => {
    const { store, worker, counts, performWith } = await createTestWorker({ outcome: 'done' });
    await store.outbox.enqueue([{ ...stored, kind: 'medal' } as never, stored]);
    performWith(createPerform([announcement, handle(roleKind, async () => ({ outcome: 'done' }))]));
    worker.start();
    await eventually(async () => expect(await counts()).toEqual({ waiting: 0, done: 1, buried: 1 }));
    expect(await store.records.effect(1)).toMatchObject({ kind: 'medal', reason: expect.stringContaining('medal') });
  });
});

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the backoff', () => {
  it('retries a young effect within 8 s, so that it is sent within 15 s of the end of a short outage', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 0, max: 15 * minute - 1 }), random, (attempts, age, value) => {
        const delay = backoff({ attempts, age }, value);
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(8 * second);
      }),
    );
  });

  it('grows with the number of attempts, and is randomized', () => {
    expect(backoff({ attempts: 1, age: 0 }, 0)).toBe(500);
    expect(backoff({ attempts: 3, age: 0 }, 0)).toBe(2_000);
    expect(backoff({ attempts: 3, age: 0 }, 0.999)).toBeGreaterThan(3_900);
    expect(backoff({ attempts: 50, age: day }, 0.999)).toBeGreaterThan(minute);
  });

  it('gives up after seven days', () => {
    expect(backoff({ attempts: 1, age: 7 * day }, 0)).not.toBe('bury');
    expect(backoff({ attempts: 1, age: 7 * day + 1 }, 0)).toBe('bury');
  });
});
