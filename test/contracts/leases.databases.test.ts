import { systemClock } from '@tallyhook/platform/clock';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';

const size = 4;
const slots = [0, 1, 2, 3];

describeOnEveryDatabase('leases', (newUrl) => {
  async function open(url = newUrl()): Promise<LeaseStore> {
    const store = await openStore(url, systemClock, { thread: false });
    onTestFinished(() => store.close());
    return store.leases;
  }

  it('gives each slot to one holder until it is given back', async () => {
    const leases = await open();
    await leases.join('channels', 'a', size);
    await leases.join('channels', 'b', size);
    expect(await leases.take('channels', 'a', { size, slots, limit: 3 })).toEqual([0, 1, 2]);
    expect(await leases.take('channels', 'b', { size, slots, limit: 3 })).toEqual([3]);
    await leases.release('channels', 'a', [1]);
    // Only the holder can give a slot back.
    await leases.release('channels', 'b', [0]);
    expect(await leases.take('channels', 'b', { size, slots, limit: 3 })).toEqual([1]);
    expect(await leases.renew('channels', 'a')).toEqual({
      size,
      holders: expect.arrayContaining([
        { id: 'a', beat: 1 },
        { id: 'b', beat: 0 },
      ]),
      leases: expect.arrayContaining([
        { slot: 0, size, holder: 'a' },
        { slot: 1, size, holder: 'b' },
        { slot: 2, size, holder: 'a' },
        { slot: 3, size, holder: 'b' },
      ]),
    });
  });

  it('gives each slot to one of several processes that ask at the same time', async () => {
    const url = newUrl();
    const stores = [await open(url), await open(url), await open(url)];
    const taken = await Promise.all(
      stores.map(async (leases, index) => {
        await leases.join('channels', `${index}`, size);
        return leases.take('channels', `${index}`, { size, slots, limit: 2 });
      }),
    );
    expect(taken.flat().toSorted((a, b) => a - b)).toEqual(slots);
  });

  it('removes a holder with its leases only if it has not renewed meanwhile', async () => {
    const leases = await open();
    await leases.join('channels', 'a', size);
    await leases.join('channels', 'b', size);
    await leases.take('channels', 'a', { size, slots, limit: 4 });
    await leases.renew('channels', 'a');
    await leases.remove('a', 0);
    expect(await leases.take('channels', 'b', { size, slots, limit: 4 })).toEqual([]);
    await leases.remove('a', 1);
    expect(await leases.take('channels', 'b', { size, slots, limit: 4 })).toEqual(slots);
    expect(await leases.renew('channels', 'a')).toBe(null);
    expect(await leases.take('channels', 'a', { size, slots, limit: 4 })).toEqual([]);
  });

  it('changes the number of slots only after all of the old number were given back', async () => {
    const leases = await open();
    await leases.join('shards', 'a', 2);
    await leases.take('shards', 'a', { size: 2, slots: [0], limit: 1 });
    // The number of the first process holds as long as there is one.
    await leases.join('shards', 'b', 8);
    expect(await leases.renew('shards', 'b')).toMatchObject({ size: 2 });
    await leases.resize('shards', 4);
    expect(await leases.take('shards', 'b', { size: 4, slots, limit: 4 })).toEqual([]);
    expect(await leases.take('shards', 'b', { size: 2, slots: [1], limit: 4 })).toEqual([]);
    await leases.release('shards', 'a', [0]);
    expect(await leases.take('shards', 'b', { size: 4, slots, limit: 4 })).toEqual(slots);
    await leases.remove('a', null);
    await leases.remove('b', null);
    await leases.join('shards', 'c', 1);
    expect(await leases.renew('shards', 'c')).toMatchObject({ size: 1, leases: [] });
  });
});
