import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { type CommunityId, createPseudonym } from '../../../src/core/ledger/account.ts';
import { giftLimitRule } from '../../../src/features/gifts/gift.ts';
import { createGifts } from '../../../src/features/gifts/parts.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { accountOf, addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { isConsistent } from '../../support/voting.ts';

const limit = 100;
/** Wednesday 2026-03-25, 23:00 in Berlin, where a day of 23 hours follows on Sunday. */
const start = Date.UTC(2026, 2, 25, 22);

describeOnEveryDatabase('gifts', (newUrl) => {
  async function open(url = newUrl()): Promise<{ readonly url: string; readonly store: Store }> {
    const store = await openStore(url, systemClock);
    onTestFinished(() => store.close());
    return { url, store };
  }

  function giftsIn(store: Store, clock: { now: number }, id: CommunityId = firstCommunity) {
    const now = () => clock.now;
    const listings = [{ rewards: giftLimitRule.as(limit) }];
    const { log } = collectingLog();
    return createGifts({ store, log, clock: { ...systemClock, now } }, { id, timeZone: 'Europe/Berlin', listings });
  }

  let deposits = 0;
  async function deposit(store: Store, userId: string, credits: number, communityId = firstCommunity): Promise<void> {
    deposits += 1;
    const correction = { communityId, userId, credits, reason: 'deposit', at: start };
    await store.recorder.correct(correction, `deposit ${deposits}`);
  }

  const creditsOf = async (store: Store, userId: string, communityId = firstCommunity) =>
    (await store.ledgerIn(communityId).account(userId)).credits;

  let confirmations = 0;
  const giftOf = (giverId: string, receiverId: string, credits: number) => {
    confirmations += 1;
    return { confirmationId: `${confirmations}`, giverId, receiverId, credits };
  };

  it('move credits with an entry for both, whose reasons name the other, and events of both', async () => {
    const { url, store } = await open();
    await store.events.setAudience({ communityId: firstCommunity, guildId: '7', endpoints: [], isStreamed: true });
    await deposit(store, '1', 60);
    const gifts = giftsIn(store, { now: start });
    expect(await gifts.give(giftOf('1', '2', 25))).toEqual({
      ...{ outcome: 'given', balance: 35, left: 75, repeated: false },
    });
    expect((await store.records.entries(accountOf('1'), 1))[0]).toMatchObject({
      ...{ cause: 'gift', credits: -25, reason: 'to 2' },
    });
    // An account that did not exist.
    expect(await store.records.entries(accountOf('2'), 9)).toMatchObject([
      { cause: 'gift', credits: 25, reason: 'from 1' },
    ]);
    const summary = await store.events.streamAfter(0, { communityId: firstCommunity, limit: 9 });
    expect(
      summary.map(({ event: { type, data } }) => [type, data['userId'], data['credits'], data['balance']]),
    ).toEqual([
      ['credits.changed', '1', -25, 35],
      ['credits.changed', '2', 25, 25],
    ]);
    expect(summary.map(({ event: { data } }) => [data['cause'], data['author']])).toEqual([
      ['gift', '1'],
      ['gift', '1'],
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('are what a plain model says, over days, repeats, limits and empty accounts', async () => {
    const { url, store } = await open();
    const users = ['11', '12', '13'];
    const step = fc.record({
      giver: fc.constantFrom(...users),
      receiver: fc.constantFrom(...users),
      credits: fc.integer({ min: 1, max: 80 }),
      /** Confirms an earlier one again, with what it said. */
      repeats: fc.option(fc.nat(20), { freq: 3 }),
      hours: fc.constantFrom(0, 0, 0, 1, 5, 24),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        round += 1;
        const communityId = await addCommunity(store, `9${round}`);
        const clock = { now: start };
        const gifts = giftsIn(store, clock, communityId);
        const balances = new Map<string, number>();
        for (const userId of users) {
          await deposit(store, userId, 90, communityId);
          balances.set(userId, 90);
        }
        const made: { gift: ReturnType<typeof giftOf>; day: string; isGiven: boolean }[] = [];
        const dayOf = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone: 'Europe/Berlin' });
        for (const { giver, receiver, credits, repeats, hours } of steps) {
          clock.now += hours * hour;
          if (giver === receiver) continue;
          const earlier = made[repeats ?? -1];
          const gift = earlier?.gift ?? giftOf(giver, receiver, credits);
          const result = await gifts.give(gift);
          if (earlier?.isGiven) {
            expect(result).toMatchObject({ outcome: 'given', repeated: true });
            continue;
          }
          const today = made.filter((each) => each.isGiven && each.gift.giverId === gift.giverId);
          const given = today.filter(({ day }) => day === dayOf(clock.now));
          const sum = given.reduce((total, each) => total + each.gift.credits, 0);
          const balance = balances.get(gift.giverId) ?? 0;
          const rejection = sum + gift.credits > limit ? 'over_limit' : gift.credits > balance ? 'overdrawn' : null;
          expect(result).toMatchObject(
            rejection === null ? { outcome: 'given', repeated: false } : { outcome: 'rejected', rejection, balance },
          );
          if (earlier !== undefined) earlier.isGiven = rejection === null;
          if (earlier !== undefined) earlier.day = dayOf(clock.now);
          else made.push({ gift, day: dayOf(clock.now), isGiven: rejection === null });
          if (rejection !== null) continue;
          balances.set(gift.giverId, balance - gift.credits);
          balances.set(gift.receiverId, (balances.get(gift.receiverId) ?? 0) + gift.credits);
        }
        for (const userId of users) expect(await creditsOf(store, userId, communityId)).toBe(balances.get(userId));
      }),
      { numRuns: 15 },
    );
    expect(await isConsistent(url)).toBe(true);
  }, 120_000);

  it('keep limit, balance and confirmation when two processes make them at once, in both directions', async () => {
    const { url, store } = await open();
    const { store: other } = await open(url);
    const processes = [store, other].map((each) => giftsIn(each, { now: start }));
    const each = <Result>(make: (gifts: ReturnType<typeof createGifts>) => Promise<Result>) =>
      Promise.all([...processes, ...processes].map(make));
    for (let round = 0; round < 4; round += 1) {
      const [a, b] = [`31${round}`, `32${round}`];
      await deposit(store, a, 500);
      await deposit(store, b, 50);
      const once = giftOf(a, b, 40);
      const pressed = await each((gifts) => gifts.give(once));
      expect(pressed.filter((result) => result.outcome === 'given' && !result.repeated)).toHaveLength(1);
      expect(await creditsOf(store, a)).toBe(460);
      // 60 of the limit are left: for one of the four, while the other member gives everything back.
      const [limited, returned] = await Promise.all([
        each((gifts) => gifts.give(giftOf(a, b, 50))),
        each((gifts) => gifts.give(giftOf(b, a, 90))),
      ]);
      expect(limited.filter(({ outcome }) => outcome === 'given')).toHaveLength(1);
      expect(returned.filter(({ outcome }) => outcome === 'given')).toHaveLength(1);
      expect(await creditsOf(store, a)).toBe(500);
      expect(await creditsOf(store, b)).toBe(50);
    }
    expect(await isConsistent(url)).toBe(true);
  }, 60_000);

  it('stay in their community: its limit, its balances, its confirmations', async () => {
    const { store } = await open();
    const elsewhere = await addCommunity(store, '613425648685547549');
    await deposit(store, '1', 200);
    await deposit(store, '1', 100, elsewhere);
    const [here, there] = [giftsIn(store, { now: start }), giftsIn(store, { now: start }, elsewhere)];
    const gift = giftOf('1', '2', 100);
    expect(await here.give(gift)).toMatchObject({ outcome: 'given', left: 0 });
    expect(await there.allowanceOf('1')).toEqual({ balance: 100, left: 100 });
    // The id of a confirmation there says nothing here.
    expect(await there.give(gift)).toMatchObject({ outcome: 'given', repeated: false });
    expect(await creditsOf(store, '1')).toBe(100);
    expect(await creditsOf(store, '2', elsewhere)).toBe(100);
  });

  it('are of the member who confirmed them, who cannot be undone by another confirmation with the id', async () => {
    const { store } = await open();
    for (const userId of ['1', '3']) await deposit(store, userId, 50);
    const gifts = giftsIn(store, { now: start });
    const gift = giftOf('1', '2', 10);
    await gifts.give(gift);
    for (const forged of [{ giverId: '3' }, { receiverId: '4' }, { credits: 11 }])
      expect(await gifts.give({ ...gift, ...forged })).toEqual({ outcome: 'foreign' });
    expect(await creditsOf(store, '3')).toBe(50);
    expect(await store.records.entries(accountOf('4'), 9)).toEqual([]);
  });

  it('do not name a member who was forgotten, and a repeat of the confirmation gives nothing', async () => {
    const { url, store } = await open();
    for (const userId of ['200000000000000001', '200000000000000002']) await deposit(store, userId, 50);
    const gifts = giftsIn(store, { now: start });
    const [forgotten, other] = ['200000000000000001', '200000000000000002'];
    const made = giftOf(forgotten, other, 10);
    await gifts.give(made);
    await gifts.give(giftOf(other, forgotten, 5));
    const keepVotesMs = hour;
    await forgetMember(store.memberData, forgotten, { pseudonym: createPseudonym(), now: start, keepVotesMs });
    const entries = await store.records.entries(accountOf(other), 9);
    expect(entries.filter(({ cause }) => cause === 'gift').map(({ credits, reason }) => [credits, reason])).toEqual([
      [-5, null],
      [10, null],
    ]);
    expect(JSON.stringify(await store.memberData.export(other))).not.toContain(forgotten);
    await deposit(store, forgotten, 50);
    expect(await gifts.give(made)).toEqual({ outcome: 'foreign' });
    expect(await creditsOf(store, forgotten)).toBe(50);
    expect(await isConsistent(url)).toBe(true);
  });
});
