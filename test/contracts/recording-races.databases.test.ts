import { systemClock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import {
  balanceDifferences,
  brokenLinks,
  orphanedRows,
  paymentDifferences,
} from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Premium, Vote } from '../../src/webhook/event.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';

const [listing] = serverAndBot();
if (listing === undefined) throw new Error('no listing');
const start = Date.now() - 48 * hour;
const rounds = 12;

/* Two processes record at the same moment what must not be paid twice. */
describeOnEveryDatabase('two processes', (newUrl) => {
  async function openTwo() {
    const url = newUrl();
    const [one, other] = [await openStore(url, systemClock), await openStore(url, systemClock)];
    onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => {}));
    return { url, one, other };
  }

  function vote(userId: string, at: number | null): Vote {
    const target = { kind: 'server', id: null } as const;
    return { family: 'vote', kind: 'server_vote', target, userId, at, creditsAwarded: null, denial: null };
  }

  function purchase(userId: string, orderIds: readonly string[]): Premium {
    const target = { kind: 'server', id: null } as const;
    const event = { family: 'premium', kind: 'premium_purchase', target, userId, orderIds } as const;
    return { ...event, isRecipient: true, giftedBy: null, tier: null, at: start, periodEnd: null, creditsAwarded: 100 };
  }

  function record(store: Store, event: Vote | Premium, receivedAt = start): Promise<RecordedDelivery> {
    if (listing === undefined) throw new Error('no listing');
    const delivery = { receivedAt, family: event.family, body: JSON.stringify(event) };
    return store.recorder.record(delivery, { type: 'event', event, listing });
  }

  async function expectSound(url: string): Promise<void> {
    const snapshot = await openSnapshot(url);
    expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await paymentDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await brokenLinks(snapshot)).toBe(0);
    expect(await orphanedRows(snapshot)).toMatchObject({ entries: 0, effects: 0 });
    await snapshot.close();
  }

  const paidIn = (results: readonly RecordedDelivery[]) => results.filter(({ credits }) => credits > 0).length;

  it.each([
    ['at the same time', [0, 0]],
    ['a second apart', [0, 1_000]],
    ['in the wrong order, almost a cooldown apart', [11 * hour + 50 * minute, 0]],
    ['without a timestamp', [null, null]],
    ['with and without a timestamp', [0, null]],
  ] as const)('pay for one of two votes of a member %s', async (_, offsets) => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds; round += 1) {
      const votes = offsets.map((offset) => vote(`1${round}`, offset === null ? null : start + offset));
      const results = await Promise.all([one, other].map((store, index) => record(store, votes[index] as Vote)));
      expect(paidIn(results)).toBe(1);
    }
    expect(await one.records.counts()).toMatchObject({ credits: rounds * 10, votes: rounds });
    await expectSound(url);
  });

  it('pay for a late vote beside an older one only if it is outside the cooldown', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds / 4; round += 1) {
      const userId = `2${round}`;
      await record(one, vote(userId, start + 20 * hour));
      await record(other, vote(userId, start - 20 * hour));
      const late = [start + hour, start + 2 * hour];
      const results = await Promise.all(
        [one, other].map((store, index) => record(store, vote(userId, late[index] as number))),
      );
      expect(paidIn(results)).toBe(1);
    }
    await expectSound(url);
  });

  it('pay for a purchase once that each has under another name of its order', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds; round += 1) {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${name}${round}`) as [string, string, string];
      await record(one, purchase('3', [a, b]));
      const results = await Promise.all([
        record(one, purchase('3', [b, c])),
        record(other, purchase('3', [a])),
        record(other, purchase('3', [c, a])),
      ]);
      expect(paidIn(results)).toBe(0);
      const fresh = `d${round}`;
      const pair = await Promise.all([
        record(one, purchase('3', [fresh])),
        record(other, purchase('3', [fresh, `e${round}`])),
      ]);
      expect(paidIn(pair)).toBe(1);
    }
    expect(await one.ledgerIn(firstCommunity).account('3')).toMatchObject({ credits: rounds * 200 });
    await expectSound(url);
  });

  it('record large batches of the same members in opposite orders, premium among them', async () => {
    const { url, one, other } = await openTwo();
    const userIds = Array.from({ length: 60 }, (_, index) => String(400 + index));
    const recordAll = (store: Store, ids: readonly string[], at: number) =>
      Promise.all(
        ids.flatMap((userId, index) => [
          record(store, vote(userId, at)),
          ...(index % 10 === 0 ? [record(store, purchase(userId, [`order ${userId}`]))] : []),
        ]),
      );
    for (let day = 0; day < 2; day += 1) {
      const at = start + day * 13 * hour;
      await Promise.all([recordAll(one, userIds, at), recordAll(other, userIds.toReversed(), at)]);
    }
    expect(await one.records.counts()).toMatchObject({ credits: 60 * 2 * 10 + 12 * 100, votes: 120 });
    await expectSound(url);
  });
});
