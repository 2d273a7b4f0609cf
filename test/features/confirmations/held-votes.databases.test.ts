import { day, hour, minute } from '@tallyhook/platform/durations';
import { expect, it } from 'vitest';
import { plainRewards } from '../../../src/core/rewards/rules.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { type ConfirmationTables, reasons } from '../../../src/features/confirmations/store.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { openLedger } from '../../support/voting.ts';

const [, bot] = serverAndBot();
const start = Date.UTC(2026, 0, 1);
const member = '200000000000000001';

describeOnEveryDatabase('a vote that its site is to confirm', (newUrl) => {
  async function open() {
    const url = newUrl();
    const store = await openLedger(url, start);
    const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 12 * hour, site: { retryHorizonMs: 0 } };
    const listing = { ...bot, name: 'lamp', rewards: { ...plainRewards(base), confirm: true as const } };
    const eventOf = (userId: string, at: number | null = null, id: string | null = null): Vote => ({
      ...{ family: 'vote', kind: 'bot_vote', target: { kind: 'bot', id: null }, userId, at },
      ...{ creditsAwarded: null, denial: null, atSite: { id, weight: 1, nextVoteAt: null } },
    });
    const deliver = (receivedAt: number, userId = member, at: number | null = null, voteId: string | null = null) =>
      store.recorder.record(
        { receivedAt, family: 'vote', body: '{}' },
        { type: 'event', event: eventOf(userId, at, voteId), listing },
      );
    const replay = (id: number, receivedAt: number, how: { readonly isDue?: true } = {}, at: number | null = null) =>
      store.recorder.recordReplay(
        id,
        { receivedAt, family: 'vote', body: '{}', ...how },
        { type: 'event', event: eventOf(member, at), listing },
        receivedAt + minute,
      );
    return { url, store, deliver, replay, account: () => store.ledgerIn(firstCommunity).account(member) };
  }

  it('is stored with one effect, and repeated until it is confirmed', async () => {
    const { store, deliver, account } = await open();
    const [first, ...others] = await Promise.all([
      deliver(start),
      deliver(start + 1),
      deliver(start + 2, '1'.repeat(18)),
    ]);
    expect(first).toMatchObject({ outcome: 'recorded', credits: 0, isAnnounced: false });
    expect(others.map(({ outcome }) => outcome)).toEqual(['duplicate', 'recorded']);
    expect((await deliver(start + minute)).outcome).toBe('duplicate');
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
    const effects = await store.records.effects({ state: 'waiting', limit: 10, before: null });
    expect(effects.map(({ kind }) => kind)).toEqual(['confirmation', 'confirmation']);
  });

  it('is also held when it is replayed because its time is reached', async () => {
    const { store, replay, account } = await open();
    const quarantined = { kind: 'bot_vote', reason: 'ahead of time', listing: 'lamp', origin: [] };
    const delivery = { receivedAt: start, family: 'vote', body: '{}' } as const;
    const { deliveryId } = await store.recorder.record(delivery, { type: 'quarantine', ...quarantined });
    expect(await replay(deliveryId, start, { isDue: true })).toMatchObject({ credits: 0, reason: reasons.waiting });
    expect(await store.records.delivery(deliveryId)).toMatchObject({ outcome: 'quarantined', reason: reasons.waiting });
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
    expect(await store.records.effects({ state: 'waiting', limit: 10, before: null })).toHaveLength(1);
    expect(await replay(deliveryId, start)).toMatchObject({ outcome: 'recorded', credits: 10, deliveryId });
  });

  it('is paid once when it is confirmed, at the time of its delivery', async () => {
    const { store, deliver, replay, account } = await open();
    const { deliveryId } = await deliver(start);
    expect(await replay(deliveryId, start)).toMatchObject({ outcome: 'recorded', credits: 10, deliveryId });
    expect((await replay(deliveryId, start)).outcome).toBe('duplicate');
    expect((await deliver(start + minute)).outcome).toBe('duplicate');
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt(member, ['lamp'])).toBe(start);
    expect((await deliver(start + 12 * hour)).outcome).toBe('recorded');
  });

  it('waits beside other votes of its member, and each is repeated and released by itself', async () => {
    const { store, deliver, replay, account } = await open();
    const next = start + 13 * hour;
    const [first, second, timed, named] = await Promise.all([
      deliver(start),
      deliver(next),
      deliver(next + 1, member, next - 4 * hour),
      deliver(next + 2, member, null, 'vote-4'),
    ]);
    expect([first, second, timed, named].map(({ outcome }) => outcome)).toEqual(Array(4).fill('recorded'));
    const repeats = [deliver(start + hour), deliver(next + hour), deliver(next, member, next - 4 * hour)];
    for (const repeat of [...repeats, deliver(next + day, member, null, 'vote-4')])
      expect(await repeat).toMatchObject({ outcome: 'duplicate' });
    await replay(second.deliveryId, next);
    await store.confirmations.leave({ listing: 'lamp', userId: member }, timed.deliveryId, 'refused');
    expect(await deliver(start + 2 * hour)).toMatchObject({ outcome: 'duplicate' });
    expect(await deliver(next + 2 * hour)).toMatchObject({ outcome: 'duplicate' });
    await replay(first.deliveryId, start);
    expect(await account()).toMatchObject({ credits: 20, votes: 2 });
    const left = await store.confirmations.waiting({ listing: 'lamp', userId: member });
    expect(left.map(({ deliveryId }) => deliveryId)).toEqual([named.deliveryId]);
  });

  it('is left to the owner at once if more of its member wait than a site can have accepted', async () => {
    const { store, deliver, replay } = await open();
    const outcomes: string[] = [];
    for (let hours = 0; hours < 9; hours += 1) {
      const at = start + hours * hour;
      outcomes.push((await deliver(start + day, member, at)).outcome);
    }
    expect(outcomes).toEqual([...Array<string>(8).fill('recorded'), 'quarantined']);
    expect(await store.records.effects({ state: 'waiting', limit: 20, before: null })).toHaveLength(8);
    expect(await replay(9, start + day, {}, start + 8 * hour)).toMatchObject({ outcome: 'recorded', credits: 10 });
  });

  it('is forgotten with its member', async () => {
    const { store, deliver } = await open();
    const { deliveryId } = await deliver(start);
    await forgetMember(store.memberData, member, { pseudonym: 'forgotten1', now: start, keepVotesMs: 0 });
    expect(JSON.stringify(await store.records.delivery(deliveryId))).not.toContain(member);
    expect((await deliver(start + minute)).outcome).toBe('recorded');
  });

  it('leaves nothing of a forgotten member, also when its delivery is repeated', async () => {
    const { url, store, deliver, replay } = await open();
    const { deliveryId } = await deliver(start);
    await replay(deliveryId, start);
    await forgetMember(store.memberData, member, { pseudonym: 'forgotten1', now: start, keepVotesMs: day });
    expect((await deliver(start + minute)).outcome).toBe('duplicate');
    const snapshot = await openSnapshot<ConfirmationTables>(url);
    const rows = await snapshot.run(snapshot.db.selectFrom('confirmations').selectAll());
    await snapshot.close();
    expect(JSON.stringify(rows)).not.toContain(member);
  });
});
