import { systemClock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { partyRules } from '../../../src/features/party/rules.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { recordVote } from '../../support/record-vote.ts';
import { isConsistent } from '../../support/voting.ts';

const [plain] = serverAndBot();
const guildId = '613425648685547541';
const voterRole = '700000000000000001';
const start = Date.UTC(2026, 0, 5, 12);
const rounds = 8;

const listing: ListingContext = {
  ...plain,
  community: { ...plain.community, guildId },
  rewards: {
    ...plain.rewards,
    multipliers: [{ factor: 2, days: null, from: start, until: null, role: null }],
    streak: { every: 2, credits: 50, forgive: 0 },
    milestones: [{ votes: 2, repeats: 'once', credits: 100, role: null }],
    voterRole: { role: voterRole, forMs: 12 * hour },
    ...partyRules.as({ goal: 3, per: 'week', credits: 25 }),
  },
};

describeOnEveryDatabase('claims', (newUrl) => {
  async function openTwo() {
    const url = newUrl();
    const [one, other] = [await openStore(url, systemClock), await openStore(url, systemClock)];
    onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => {}));
    return { url, one, other };
  }

  const claim = (store: Store, userId: string, at: number, of = listing) =>
    store.recorder.recordClaim({ userId, at }, of, at + minute);

  const vote = (
    store: Store,
    userId: string,
    at: number | null,
    changes: Partial<Vote> & { receivedAt?: number } = {},
  ) => recordVote(store, listing, userId, at, { receivedAt: at ?? start, ...changes });

  it('earn what the vote would have earned, as an entry without a delivery', async () => {
    const { url, one } = await openTwo();
    await vote(one, '1', start);
    const at = start + 24 * hour;
    expect(await claim(one, '1', at)).toEqual({ outcome: 'claimed', credits: 20 + 50 + 100, balance: 190 });
    const entries = await one.records.entries(accountOf('1'), 10);
    expect(entries.toReversed().map(({ cause, credits, at, deliveryId }) => [cause, credits, at, deliveryId])).toEqual([
      ['vote', 20, start, 1],
      ['claim', 20, at, null],
      ['streak', 50, at, null],
      ['milestone', 100, at, null],
    ]);
    expect(await one.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 190, votes: 2 });
    expect(await one.ledgerIn(firstCommunity).lastVoteAt('1', 'server')).toBe(at);
    expect(await one.roles.isGranted({ guildId, userId: '1', role: voterRole }, at + 12 * hour - 1)).toBe(true);
    // The third vote of the week reaches the goal of the party.
    expect(await claim(one, '2', at)).toMatchObject({ outcome: 'claimed' });
    const effects = await one.records.effects({ state: 'waiting', limit: 20, before: null });
    expect(effects.some(({ kind, deliveryId }) => kind === 'partyReward' && deliveryId === null)).toBe(true);
    expect(await isConsistent(url)).toBe(true);
  });

  it('leave nothing to pay for a delivery that arrives later, whatever its time', async () => {
    const { url, one, other } = await openTwo();
    await claim(one, '1', start);
    for (const at of [start, start + 1_000, start - 2 * minute]) {
      expect(await vote(other, '1', at)).toMatchObject({ credits: 0, reason: 'within_cooldown' });
      expect(await vote(one, '1', at)).toMatchObject({ credits: 0, outcome: 'duplicate' });
    }
    expect(await vote(other, '1', null, { receivedAt: start + hour })).toMatchObject({ credits: 0 });
    expect(await one.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 20, votes: 1 });
    // The next vote counts.
    expect(await vote(other, '1', start + 12 * hour)).toMatchObject({ reason: '10 × 2' });
    expect(await isConsistent(url)).toBe(true);
  });

  it('pay nothing for a vote that the ledger has, and say which', async () => {
    const { one } = await openTwo();
    await vote(one, '1', start);
    const paid = { outcome: 'recorded', at: start, cause: 'vote', credits: 20, reason: '10 × 2' };
    expect(await claim(one, '1', start)).toEqual(paid);
    expect(await claim(one, '1', start + 11 * hour)).toEqual(paid);
    await vote(one, '2', start, { creditsAwarded: false, denial: 'Ad blocker detected' });
    const denied = { cause: 'denied', credits: 0, reason: 'Ad blocker detected' };
    expect(await claim(one, '2', start)).toEqual({ outcome: 'recorded', at: start, ...denied });
    await claim(one, '3', start);
    expect(await claim(one, '3', start + 1_000)).toMatchObject({ outcome: 'recorded', cause: 'claim', at: start });
    expect(await one.records.counts()).toMatchObject({ users: 3, votes: 3 });
  });

  it('are paid once if two processes record them at once', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds; round += 1) {
      const results = await Promise.all([one, other, one].map((store) => claim(store, `1${round}`, start, plain)));
      expect(results.filter(({ outcome }) => outcome === 'claimed')).toHaveLength(1);
    }
    expect(await one.records.counts()).toMatchObject({ credits: rounds * 10, votes: rounds });
    expect(await isConsistent(url)).toBe(true);
  });

  it('and a delivery of the same vote at once pay one of both', async () => {
    const { url, one, other } = await openTwo();
    const onlyVotes = { ...listing, rewards: plain.rewards };
    for (let round = 0; round < rounds; round += 1) {
      const userId = `1${round}`;
      const [claimed, recorded] = await Promise.all([
        claim(one, userId, start, onlyVotes),
        recordVote(other, onlyVotes, userId, round % 2 === 0 ? start + 1_000 : null, { receivedAt: start + 1_000 }),
      ]);
      const paid = (claimed.outcome === 'claimed' ? 1 : 0) + (recorded.credits > 0 ? 1 : 0);
      expect(paid).toBe(1);
    }
    expect(await one.records.counts()).toMatchObject({ credits: rounds * 10, votes: rounds });
    expect(await isConsistent(url)).toBe(true);
  });
});
