import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announcementKind, isOf } from '../../src/core/outbox/effect-kind.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { claimDue } from '../support/claim-due.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';
import { channelQueue } from '../support/queues.ts';
import { voteFor } from '../support/record-vote.ts';
import { openLedger } from '../support/voting.ts';

const [server] = serverAndBot();
const start = Date.UTC(2026, 0, 1);
/** The insert of the effect fails, which is the last step of the transaction. */
const invalidChannel = { announceChannelId: undefined };

describeOnEveryDatabase('the store', (newUrl) => {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<Store> {
    // The time is frozen, but waiting for the lock of another store takes real time.
    const clock = storeClock(manualClock(start));
    const store = await openStore(url, clock, { thread });
    onTestFinished(() => store.close());
    return store;
  }

  const vote = (userId: string, at: number | null = start) => voteFor(server, userId, at);

  function record(store: Store, event: Vote, receivedAt = start, changes: object = {}) {
    const listing = { ...server, ...changes } as ListingContext;
    return store.recorder.record({ receivedAt, family: 'vote', body: '{}' }, { type: 'event', event, listing });
  }

  it('writes an event completely or not at all', async () => {
    const store = await open();
    await expect(record(store, vote('1'), start, invalidChannel)).rejects.toThrow(/queue|null|bound/i);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 0 });
    expect(await store.records.counts()).toMatchObject({ deliveries: { recorded: 0 }, effects: { waiting: 0 } });
  });

  it('records a quarantined delivery once if it is replayed twice at once, even with two processes', async () => {
    const url = newUrl();
    const stores = [await open(url), await open(url, { thread: true })] as const;
    const delivery = { receivedAt: start, family: 'vote', body: '{}' } as const;
    const unclear = { type: 'quarantine', kind: 'new', reason: 'not understood', listing: null, origin: [] } as const;
    const test = {
      type: 'test',
      test: { kind: 'server_vote', userId: '1' },
      listing: server as ListingContext,
    } as const;
    const { deliveryId } = await stores[0].recorder.record(delivery, unclear);
    const replayed = await Promise.all(
      stores.map(({ recorder }) => recorder.recordReplay(deliveryId, delivery, test, start)),
    );
    expect(replayed.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'test']);
    expect(await stores[0].records.counts()).toMatchObject({ effects: { waiting: 1 } });
    const late = await stores[1].recorder.recordReplay(deliveryId, delivery, unclear, start);
    expect(late.outcome).toBe('duplicate');
    expect(await stores[0].records.delivery(deliveryId)).toMatchObject({ outcome: 'test' });
  });

  describe('the owner', () => {
    const page = { limit: 9, before: null };
    const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

    it('finds deliveries by outcome, kind, listing, user and time', async () => {
      const store = await open();
      const { deliveryId: first } = await record(store, vote('1'));
      const { deliveryId: repeat } = await record(store, vote('1'), start + minute);
      const { deliveryId: second } = await record(store, vote('2'), start + 10 * minute);
      const { deliveryId: third } = await record(store, vote('3'), start + 20 * minute);
      const unclear = { type: 'quarantine', kind: 'surprise', reason: 'new', listing: null, origin: [] } as const;
      const bodies = ['{"userId":"1"}', '{"userId": 1}', '{"userId":11}', '{"userId":"21"}'];
      const quarantined: number[] = [];
      for (const body of bodies) {
        const delivery = { receivedAt: start + hour, family: 'vote', body } as const;
        quarantined.push((await store.recorder.record(delivery, unclear)).deliveryId);
      }
      const [text, number, longer, other] = quarantined;
      const find = async (filter: object) => ids(await store.records.deliveries({ ...page, ...filter }));
      expect(await find({ userId: '1' })).toEqual([number, text, repeat, first]);
      expect(await find({ userId: '1', outcome: 'duplicate' })).toEqual([repeat]);
      expect(await find({ kind: 'surprise', limit: 2, before: other })).toEqual([longer, number]);
      expect(await find({ listing: 'server', outcome: 'recorded' })).toEqual([third, second, first]);
      expect(await find({ since: start + minute, until: start + 20 * minute })).toEqual([second, repeat]);
      expect(await find({ since: start + day })).toEqual([]);
      expect(await find({ until: start })).toEqual([]);
      expect(await store.records.counts()).toMatchObject({ deliveries: { recorded: 3, duplicate: 1, quarantined: 4 } });
    });
  });

  describe('the outbox', () => {
    it('leases due effects to one claimant, together per queue, until the lease ends', async () => {
      const store = await open();
      for (let user = 1; user <= 12; user += 1) await record(store, vote(String(user)));
      const first = await claimDue(store.outbox, start, start + minute, 10);
      expect(first).toHaveLength(10);
      expect(new Set(first.map(({ nonce }) => nonce)).size).toBe(1);
      expect(first[0]).toMatchObject({
        attempts: 1,
        kind: 'announcement',
        queue: channelQueue(server?.announceChannelId ?? ''),
        content: { userId: '1', balance: 10 },
      });
      expect(await claimDue(store.outbox, start, start + minute, 10)).toHaveLength(2);
      expect(await claimDue(store.outbox, start, start + minute, 10)).toEqual([]);
      await record(store, vote('13'), start + minute);
      const again = await claimDue(store.outbox, start + minute, start + 2 * minute, 10);
      expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
      expect(again[0]).toMatchObject({ attempts: 2, nonce: first[0]?.nonce });
    });

    it('never leases an effect to two claimants at once', async () => {
      const url = newUrl();
      const stores = [await open(url), await open(url, { thread: true })];
      for (let user = 1; user <= 30; user += 1) await record(stores[0] as Store, vote(String(user)));
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          claimDue((stores[index % 2] as Store).outbox, start, start + minute, 5),
        ),
      );
      const ids = claims.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(30);
    });

    it('lists the queues with waiting effects in pages, each with the time when its next effect is due', async () => {
      const store = await open();
      const channels = Array.from({ length: 5 }, (_, index) => `50000000000000000${index}`);
      for (const [index, channelId] of channels.entries()) {
        for (const later of [minute, 0]) {
          await record(store, vote(`${index}${later}`), start + index + later, { announceChannelId: channelId });
        }
      }
      const { outbox } = store;
      await outbox.done(await outbox.claim(channelQueue(channels[1] ?? ''), start + hour, start + 2 * hour, 10), start);
      const waiting = [0, 2, 3, 4].map((index) => ({
        queue: channelQueue(channels[index] ?? ''),
        dueAt: start + index,
      }));
      const first = await outbox.queuesAfter('', 2, start);
      expect(first).toEqual(waiting.slice(0, 2));
      expect(await outbox.queuesAfter(first[1]?.queue ?? '', 2, start)).toEqual(waiting.slice(2));
      expect(await outbox.queuesAfter(channelQueue(channels[4] ?? ''), 2, start)).toEqual([]);
      expect(await outbox.nextDueAt(channelQueue(channels[2] ?? ''), start)).toBe(start + 2);
      expect(await outbox.nextDueAt(channelQueue(channels[1] ?? ''), start)).toBe(null);
    });

    it('stores the start of the first attempt with an unknown result', async () => {
      const store = await open();
      await record(store, vote('1'));
      const claim = async (at: number) => (await claimDue(store.outbox, at, at + minute, 10))[0];
      expect(await claim(start)).toMatchObject({ possiblySentSince: null });
      // As after a crash: the result of the attempt was not stored.
      const second = await claim(start + minute);
      expect(second).toMatchObject({ possiblySentSince: start, attempts: 2 });
      await store.outbox.retry(second ? [second] : [], start + hour, 'no answer');
      const third = await claim(start + hour);
      expect(third).toMatchObject({ possiblySentSince: start });
      await store.outbox.release(third ? [third] : [], start + 2 * hour, 'refused');
      expect(await claim(start + 2 * hour)).toMatchObject({ possiblySentSince: start, nonce: second?.nonce });
    });

    it('knows that a rejected effect was not sent, unless an earlier attempt may have sent it', async () => {
      const store = await open();
      const { outbox } = store;
      await record(store, vote('1'));
      const claim = (at: number) => claimDue(outbox, at, at + minute, 10);
      await outbox.bury(await claim(start), start, 'no permission');
      await outbox.requeue(1, start + hour);
      const afterRejection = await claim(start + hour);
      expect(afterRejection).toMatchObject([{ possiblySentSince: null }]);

      await outbox.retry(afterRejection, start + 2 * hour, 'no answer');
      await outbox.bury(await claim(start + 2 * hour), start + 2 * hour, 'no permission');
      await outbox.requeue(1, start + day);
      expect(await claim(start + day)).toMatchObject([{ possiblySentSince: start + hour }]);
    });

    it('stores that an effect given up without a response may have been sent', async () => {
      const store = await open();
      const { outbox } = store;
      await record(store, vote('1'));
      await outbox.giveUp(await claimDue(outbox, start, start + minute, 10), start, 'no answer for a week');
      await outbox.requeue(1, start + day);
      expect(await claimDue(outbox, start + day, start + day + minute, 10)).toMatchObject([
        { possiblySentSince: start },
      ]);
    });

    it('combines effects that were certainly not sent with others, unless they were split', async () => {
      const store = await open();
      for (const user of ['1', '2']) await record(store, vote(user));
      const claim = (at: number) => claimDue(store.outbox, at, at + minute, 10);
      await store.outbox.release(await claim(start), start + minute, 'no connection');
      await record(store, vote('3'), start + minute);
      const together = await claim(start + minute);
      expect(together.map((effect) => isOf(announcementKind, effect) && effect.content.userId)).toEqual([
        '1',
        '2',
        '3',
      ]);
      expect(together.map(({ possiblySentSince }) => possiblySentSince)).toEqual([null, null, null]);

      await store.outbox.split(together, 'refused together');
      const later = start + 2 * minute;
      await store.outbox.release(await claim(later), later, 'a pause');
      expect(await claim(later)).toHaveLength(1);
      expect(await claim(later)).toHaveLength(1);
    });

    it('has postponed effects due at once when it is woken', async () => {
      const store = await open();
      await record(store, vote('1'));
      const claim = (now: number) => claimDue(store.outbox, now, now + minute, 10);
      await store.outbox.retry(await claim(start), start + 2 * minute, 'Discord is down');
      expect(await store.outbox.queuesAfter('', 9, start)).toMatchObject([{ dueAt: start + 2 * minute }]);
      expect(await claim(start + minute)).toEqual([]);
      await store.outbox.wake(start + minute);
      expect(await claim(start + minute)).toHaveLength(1);
    });

    it('keeps leases when another process wakes the outbox, also at the second attempt', async () => {
      const url = newUrl();
      const [one, other] = [await open(url), await open(url)];
      await record(one, vote('1'));
      const claim = (store: Store, at: number) => claimDue(store.outbox, at, at + minute, 10);
      const claimed = await claim(one, start);
      await other.outbox.wake(start + 1);
      expect(await claim(other, start + 1)).toEqual([]);
      await one.outbox.release(claimed, start + 500, 'no connection');
      expect(await claim(one, start + 500)).toHaveLength(1);
      await other.outbox.wake(start + 501);
      expect(await claim(other, start + 501)).toEqual([]);
    });

    it('claims effects too far ahead: written, postponed or leased before the clock was set back', async () => {
      const store = await open();
      const { outbox } = store;
      const ahead = start + hour;
      await record(store, vote('1'), ahead);
      await outbox.retry(await claimDue(outbox, ahead, ahead + second, 10), ahead + 2 * minute, 'no answer');
      await record(store, vote('2'), ahead);
      const [leased] = await claimDue(outbox, ahead, ahead + 20 * second, 10);
      await record(store, vote('3'), ahead);
      const claimed = [
        ...(await claimDue(outbox, start, start + second, 10)),
        ...(await claimDue(outbox, start, start + second, 10)),
      ];
      claimed.push(...(await claimDue(outbox, start, start + second, 10)));
      expect(claimed.map(({ id }) => id).sort((a, b) => a - b)).toEqual([1, 2, 3]);
      // Whatever the result of the first attempt is, the same nonce makes it the same message.
      expect(claimed.find(({ id }) => id === leased?.id)).toMatchObject({
        nonce: leased?.nonce,
        possiblySentSince: ahead,
      });
    });

    it('ignores the result of a slow claimant if another has finished the effect', async () => {
      const url = newUrl();
      const [slow, quick] = [(await open(url)).outbox, await open(url)];
      await record(quick, vote('1'));
      const late = await claimDue(slow, start, start + minute, 10);
      await quick.outbox.done(await claimDue(quick.outbox, start + minute, start + hour, 10), start + minute);
      const finished = await quick.records.effect(1);
      await slow.retry(late, start + hour, 'no answer');
      await slow.release(late, start + hour, 'no connection');
      await slow.split(late, 'refused together');
      await slow.bury(late, start + hour, 'no permission');
      await slow.giveUp(late, start + hour, 'no answer');
      await slow.done(late, start + hour);
      expect(finished).toMatchObject({ state: 'done', finishedAt: start + minute });
      expect(await quick.records.effect(1)).toEqual(finished);
    });
  });

  it('counts lookup requests of all processes', async () => {
    const url = newUrl();
    const stores = [await open(url), await open(url, { thread: true })];
    const decisions = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (stores[index % 2] as Store).budgetStore.acquire('key', start + index, minute, 10),
      ),
    );
    expect(decisions.filter(({ granted }) => granted)).toHaveLength(10);
    expect(decisions.find(({ granted }) => !granted)).toMatchObject({ granted: false });
    expect(await (stores[1] as Store).budgetStore.spent('key', start - 1)).toBe(10);
    expect(await (stores[1] as Store).budgetStore.spent('key', start + minute)).toBe(0);
    expect(await (stores[0] as Store).budgetStore.acquire('other', start, minute, 10)).toEqual({ granted: true });
    expect(await (stores[0] as Store).budgetStore.acquire('key', start + day, minute, 10)).toEqual({ granted: true });
  });

  it('stores which commands are registered, by application', async () => {
    const url = newUrl();
    const { commandRegistry } = await open(url);
    const command = { id: '101', applicationId: '1', guildId: null, name: 'stats', definition: '{}' };
    await commandRegistry.save(command);
    await commandRegistry.save({ ...command, id: '102', guildId: '7' });
    await commandRegistry.save({ ...command, id: '103', applicationId: '2' });
    await commandRegistry.save({ ...command, name: 'renamed', definition: null });
    await commandRegistry.remove('102');
    await commandRegistry.remove('999');
    const again = (await open(url)).commandRegistry;
    expect(await again.list('1')).toEqual([{ ...command, name: 'renamed', definition: null }]);
    expect(await again.list('3')).toEqual([]);
    expect([await again.has('101'), await again.has('102'), await again.has('103')]).toEqual([true, false, true]);
  });

  it('counts lookup requests with future times as current, or moves them with a clock that was set back', async () => {
    const { budgetStore } = await open();
    const ahead = start + hour;
    for (const key of ['known', 'unknown']) {
      await budgetStore.acquire(key, ahead - 10 * second, minute, 2);
      await budgetStore.acquire(key, ahead, minute, 2);
    }
    const denied = { granted: false, retryAt: start + minute };
    expect(await budgetStore.acquire('unknown', start, minute, 2)).toEqual(denied);
    expect(await budgetStore.acquire('unknown', start + minute - 1, minute, 2)).toEqual(denied);
    expect(await budgetStore.acquire('unknown', start + minute, minute, 2)).toEqual({ granted: true });
    const moved = { granted: false, retryAt: start - 10 * second + minute };
    expect(await budgetStore.acquire('known', start + second, minute, 2, hour)).toEqual(moved);
    expect(await budgetStore.spent('known', start - minute)).toBe(2);
    expect(await budgetStore.acquire('known', start + minute, minute, 2)).toEqual({ granted: true });
  });

  it('stores revoked sessions for all processes and over a restart, until they expire', async () => {
    const url = newUrl();
    const clock = storeClock(manualClock(start));
    const [one, other] = [await openStore(url, clock, { thread: false }), await open(url)];
    const session = { id: 'a', expiresAt: start + hour, now: start };
    expect(await one.sessions.isRevoked('a')).toBe(false);
    await Promise.all([one.sessions.revoke(session), other.sessions.revoke(session)]);
    expect(await Promise.all([one, other].map(({ sessions }) => sessions.isRevoked('a')))).toEqual([true, true]);
    expect(await other.sessions.isRevoked('b')).toBe(false);
    await one.close();
    const again = await open(url);
    expect(await again.sessions.isRevoked('a')).toBe(true);
    await again.sessions.revoke({ id: 'b', expiresAt: start + 2 * hour, now: start + hour });
    expect(await again.sessions.isRevoked('a')).toBe(false);
    expect(await again.sessions.isRevoked('b')).toBe(true);
  });
});

describeOnEveryDatabase('the language of a member', (newUrl) => {
  it('is the one that was stored last', async () => {
    const { memberLocales, close } = await openStore(newUrl(), systemClock, { thread: false });
    onTestFinished(close);
    expect(await memberLocales.localeOf('1')).toBe(null);
    await memberLocales.setLocale('1', 'de');
    await memberLocales.setLocale('2', 'ja');
    await memberLocales.setLocale('1', 'fr');
    expect(await memberLocales.localeOf('1')).toBe('fr');
  });
});

const size = 4;
const slots = [0, 1, 2, 3];

describeOnEveryDatabase('leases', (newUrl) => {
  const open = async (url = newUrl()) => (await openLedger(url, systemClock)).leases;

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
