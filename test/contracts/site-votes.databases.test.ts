import { day, hour, minute } from '@tallyhook/platform/durations';
import { expect, it } from 'vitest';
import type { Added } from '../../src/core/added-value.ts';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import type { Claim } from '../../src/core/tally/recorder.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import { confirmRule } from '../../src/features/confirmations/store.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import type { Store } from '../../src/features/store.ts';
import type { Vote, VoteAtSite } from '../../src/webhook/event.ts';
import { claimDue } from '../support/claim-due.ts';
import { accountOf, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { takeDue } from '../support/due-effects.ts';
import { serverAndBot } from '../support/listings.ts';
import { directMessageQueue } from '../support/queues.ts';
import { recordVote } from '../support/record-vote.ts';
import { waitingEffects } from '../support/shop-store.ts';
import { openLedger } from '../support/voting.ts';

const [, bot] = serverAndBot();
const start = Date.UTC(2026, 0, 1);
const member = '200000000000000001';
const atSite: VoteAtSite = { id: null, weight: 1, nextVoteAt: null };

function listingWith(
  changes: Partial<ListingContext['rewards']> | Added = {},
  retryHorizonMs = 35 * minute,
): ListingContext {
  const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 12 * hour, site: { retryHorizonMs } };
  return { ...bot, name: 'topgg', rewards: { ...plainRewards(base), ...changes } };
}

function voteAt(at: number | null, ofSite: Partial<VoteAtSite> = {}): Vote {
  return {
    ...{ family: 'vote', kind: 'bot_vote', target: { kind: 'bot', id: null }, userId: member, at },
    ...{ creditsAwarded: null, denial: null, atSite: { ...atSite, ...ofSite } },
  };
}

describeOnEveryDatabase('a vote on another site', (newUrl) => {
  async function open(listing = listingWith()) {
    const store = await openLedger(newUrl(), start);
    const { recorder } = store;
    const shown = ({ outcome, credits, reason }: RecordedDelivery) =>
      [outcome, credits, reason].filter((each) => each !== null).join(' ');
    const deliveryAt = (receivedAt: number) => ({ receivedAt, family: 'vote', body: '{}' }) as const;
    const record = async (event: Vote, receivedAt = event.at ?? start) =>
      shown(await recorder.record(deliveryAt(receivedAt), { type: 'event', event, listing }));
    const replay = async (id: number, event: Vote) =>
      shown(await recorder.recordReplay(id, deliveryAt(start), { type: 'event', event, listing }, start));
    const claim = (at: number, changes: Partial<Claim> = {}) =>
      recorder.recordClaim({ userId: member, at, ...changes }, listing, start + 13 * hour);
    const importVotes = async (times: readonly number[]) => {
      const importId = await store.imports.start({ name: 'top.gg', communityId: firstCommunity }, start);
      const target = { importId, communityId: firstCommunity, reason: 'imported', listings: [listing] };
      const items = times.map((at) => {
        return { userId: member, key: `vote ${at}`, credits: 0, vote: { listing: listing.name, at, isTotal: false } };
      });
      const outcomes = await store.imports.apply(target, items, start);
      return { target, outcomes: outcomes.map(({ outcome }) => outcome) };
    };
    return { store, record, replay, claim, importVotes, account: () => store.ledgerIn(firstCommunity).account(member) };
  }

  it('is known by the ID of the site or by its time, whichever is known', async () => {
    const { record, account } = await open();
    expect(await record(voteAt(start, { id: '1' }))).toBe('recorded 10');
    expect(await record(voteAt(start, { id: '1' }))).toBe('duplicate 0');
    expect(await record(voteAt(start, { id: '2' }))).toBe('duplicate 0');
    expect(await record(voteAt(start + 1, { id: '1' }))).toBe('duplicate 0');
    expect(await record(voteAt(start))).toBe('duplicate 0');
    // A duplicate adds no keys: a later vote with one of them would be lost.
    expect(await record(voteAt(start + 1))).toBe('recorded 10');
    // Found in the site's history, which has no IDs, before it is delivered.
    expect(await record(voteAt(start + 12 * hour))).toBe('recorded 10');
    expect(await record(voteAt(start + 12 * hour, { id: '3' }))).toBe('duplicate 0');
    expect(await account()).toMatchObject({ credits: 30, votes: 3 });
  });

  it('is recorded once in a batch', async () => {
    const { record } = await open();
    const together = await Promise.all([
      record(voteAt(start, { id: '1' })),
      record(voteAt(start + 1, { id: '1' })),
      record(voteAt(start)),
    ]);
    expect(together.toSorted()).toEqual(['duplicate 0', 'duplicate 0', 'recorded 10']);
  });

  it('with an ID and no time is known by the ID, and not paid within the cooldown', async () => {
    const { record } = await open();
    expect(await record(voteAt(null, { id: 'a' }), start)).toBe('recorded 10');
    expect(await record(voteAt(null, { id: 'a' }), start + 20 * hour)).toBe('duplicate 0');
    expect(await record(voteAt(null, { id: 'b' }), start + hour)).toBe('recorded 0 within_cooldown');
    expect(await record(voteAt(null, { id: 'c' }), start + 12 * hour)).toBe('recorded 10');
  });

  it('with a time is paid whenever the site has accepted it (T3)', async () => {
    const { record } = await open();
    for (const hours of [0, 4, 6, 5]) expect(await record(voteAt(start + hours * hour))).toBe('recorded 10');
  });

  it('is not paid if one has a time and the other has none, within the cooldown, in both orders (T13)', async () => {
    const timedFirst = await open();
    expect(await timedFirst.record(voteAt(start))).toBe('recorded 10');
    expect(await timedFirst.record(voteAt(null), start + 20 * minute)).toBe('recorded 0 within_cooldown');
    const untimedFirst = await open();
    expect(await untimedFirst.record(voteAt(null), start + 20 * minute)).toBe('recorded 10');
    expect(await untimedFirst.record(voteAt(start))).toBe('recorded 0 within_cooldown');
    expect(await untimedFirst.record(voteAt(start + 8 * hour))).toBe('recorded 0 within_cooldown');
    expect(await untimedFirst.record(voteAt(start + 12 * hour))).toBe('recorded 10');
  });

  it('without time and ID is one vote with its retries, and the next one is paid after a late retry (T1, T2)', async () => {
    const { record } = await open();
    // Voted at the start, and delivered with a late retry.
    expect(await record(voteAt(null), start + 17 * minute)).toBe('recorded 10');
    for (const at of [18 * minute, 34 * minute, 11 * hour])
      expect(await record(voteAt(null), start + at)).toBe('duplicate 0');
    expect(await record(voteAt(null), start + 12 * hour)).toBe('recorded 10');
  });

  it('without time and ID is one vote with its retries also if the cooldown is shorter than they last', async () => {
    const { record } = await open(listingWith({}, 12 * hour - minute));
    expect(await record(voteAt(null), start)).toBe('recorded 10');
    expect(await record(voteAt(null), start + 12 * hour - 10 * minute)).toBe('duplicate 0');
  });

  it('that was claimed pays nothing when it is delivered late', async () => {
    const { record, claim, account } = await open();
    expect(await claim(start)).toMatchObject({ outcome: 'claimed', credits: 10 });
    expect(await record(voteAt(start, { id: '1' }), start + 14 * hour)).toBe('duplicate 0');
    expect(await claim(start)).toMatchObject({ outcome: 'recorded' });
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('that was claimed while its site was to confirm it holds no later one back', async () => {
    const { record, replay, claim, account } = await open(listingWith(confirmRule.as(true)));
    const [vote, next] = [voteAt(start, { id: '1' }), voteAt(start + 12 * hour, { id: '2' })];
    expect(await record(vote)).toMatch(/^recorded 0 /);
    expect(await claim(start)).toMatchObject({ outcome: 'claimed' });
    expect(await record(vote)).toBe('duplicate 0');
    expect(await replay(1, vote)).toBe('duplicate 0');
    expect(await record(next)).toMatch(/^recorded 0 /);
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('that waits for its site holds no later one back either when another vote has started the cooldown meanwhile', async () => {
    const { record, replay, claim } = await open(listingWith(confirmRule.as(true)));
    expect(await record(voteAt(start, { id: '1' }))).toMatch(/^recorded 0 /);
    expect(await claim(start - 6 * hour)).toMatchObject({ outcome: 'claimed' });
    await replay(1, { ...voteAt(start, { id: '1' }), at: null });
    expect(await record(voteAt(start + 12 * hour, { id: '2' }))).toMatch(/^recorded 0 /);
  });

  it('that was imported is a duplicate when it is delivered later, until the import is undone', async () => {
    const { store, record, importVotes, account } = await open();
    const imported = await importVotes([start, start + 12 * hour]);
    expect(imported.outcomes).toEqual(['credited', 'credited']);
    expect(await record(voteAt(start, { id: '1' }))).toBe('duplicate 0');
    expect(await record(voteAt(start + 12 * hour))).toBe('duplicate 0');
    expect(await record(voteAt(start + 3 * hour))).toBe('recorded 10');
    expect(await account()).toMatchObject({ credits: 10, votes: 3 });
    await store.imports.undoMember(imported.target, accountOf(member), start + day);
    expect(await record(voteAt(start, { id: '1' }))).toBe('recorded 10');
    expect(await record(voteAt(start, { id: '1' }))).toBe('duplicate 0');
    expect(await account()).toMatchObject({ credits: 20, votes: 2 });
  });

  it('that was delivered is not imported, nor is its key lost when the import is undone', async () => {
    const { store, record, importVotes, account } = await open();
    await record(voteAt(start, { id: '1' }));
    const { outcomes, target } = await importVotes([start, start + day]);
    expect(outcomes).toEqual(['within_cooldown', 'credited']);
    await store.imports.undoMember(target, accountOf(member), start + 2 * day);
    expect(await record(voteAt(start))).toBe('duplicate 0');
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it.each([1_001, 5 * minute, -5 * minute])(
    'whose API states its time %i ms off is one vote with its delivery, whichever comes first',
    async (offMs) => {
      const { record, claim, importVotes, account } = await open();
      await claim(start);
      await importVotes([start + day]);
      expect(await record(voteAt(start + offMs, { id: '1' }))).toBe('recorded 0 within_cooldown');
      expect(await record(voteAt(start + day + offMs, { id: '2' }))).toBe('recorded 0 within_cooldown');
      expect(await account()).toMatchObject({ credits: 10, votes: 2 });
      expect(await record(voteAt(start + 4 * hour))).toBe('recorded 10');
      expect(await claim(start + 4 * hour + offMs)).toMatchObject({ outcome: 'recorded' });
      expect(await account()).toMatchObject({ credits: 20, votes: 3 });
    },
  );

  it('has its claim and its delivery as one also if the cooldown is hardly longer than they may differ', async () => {
    const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 6 * minute };
    const { record, claim } = await open({ ...listingWith(), rewards: plainRewards(base) });
    expect(await claim(start)).toMatchObject({ outcome: 'claimed' });
    expect(await record(voteAt(start + 2 * minute))).toBe('recorded 0 within_cooldown');
    expect(await record(voteAt(start + 6 * minute))).toBe('recorded 10');
    expect(await claim(start + 8 * minute)).toMatchObject({ outcome: 'recorded' });
  });

  it('is multiplied by its weight, if the rules say so, and counts once', async () => {
    const plain = await open();
    expect(await plain.record(voteAt(start, { weight: 2 }))).toBe('recorded 10');
    const { record, account } = await open(
      listingWith({ weight: true, milestones: [{ votes: 2, repeats: 'once', credits: 5, role: null }] }),
    );
    expect(await record(voteAt(start, { weight: 2 }))).toBe('recorded 20 10 × 2');
    expect(await record(voteAt(start + 12 * hour, { weight: 1.55 }))).toBe('recorded 20 10 × 1.55');
    expect(await account()).toMatchObject({ votes: 2 });
  });

  it('has its next time stored only if that is not the end of the cooldown', async () => {
    const { store, record } = await open();
    const lastVote = () =>
      store.reminders.lastVote(member, { name: 'topgg', cooldownMs: 12 * hour, communityId: firstCommunity });
    const stated = { listing: 'topgg', votedAt: start, nextVoteAt: start + 6 * hour };
    await record(voteAt(start, { nextVoteAt: stated.nextVoteAt }));
    expect(await lastVote()).toEqual({ at: start, nextVoteAt: stated.nextVoteAt });
    await record(voteAt(start + 6 * hour, { nextVoteAt: start + 18 * hour }));
    expect(await store.nextVotes.ofMember(member)).toEqual([stated]);
    expect(await lastVote()).toEqual({ at: start + 6 * hour, nextVoteAt: start + 18 * hour });
  });

  it('that no delivery has brought has the weight and the next time that the site says, and is announced if it is to be', async () => {
    const listing = { ...listingWith({ weight: true }), announceChannelId: '700000000000000001' };
    const { store, claim } = await open(listing);
    const ofSite = { weight: 2, nextVoteAt: start + 7 * hour };
    expect(await claim(start, { atSite: ofSite })).toMatchObject({ credits: 20 });
    const stated = { listing: 'topgg', votedAt: start, nextVoteAt: start + 7 * hour };
    expect(await store.nextVotes.ofMember(member)).toEqual([stated]);
    const later = start + 12 * hour;
    await claim(later, { atSite: { weight: 1.55, nextVoteAt: later + hour }, isAnnounced: true });
    const effects = await claimDue(store.outbox, start + day, start + 2 * day, 10);
    expect(effects).toMatchObject([
      {
        kind: 'announcement',
        deliveryId: null,
        content: { userId: member, credits: 15, calculation: '10 × 1.55', at: later, nextVoteAt: later + hour },
      },
    ]);
  });

  it('has its next time stored, of the latest vote, until the member is forgotten', async () => {
    const { store, record } = await open();
    await record(voteAt(start + hour, { nextVoteAt: start + 7 * hour }));
    await record(voteAt(start, { nextVoteAt: start + 12 * hour }));
    const next = { listing: 'topgg', votedAt: start + hour, nextVoteAt: start + 7 * hour };
    expect(await store.nextVotes.ofMember(member)).toEqual([next]);
    await record(voteAt(start + 8 * hour));
    expect(await store.nextVotes.ofMember(member)).toEqual([next]);
    await forgetMember(store.memberData, member, { pseudonym: createPseudonym(), now: start, keepVotesMs: hour });
    expect(await store.nextVotes.ofMember(member)).toEqual([]);
  });
});

const votedAt = Date.UTC(2026, 0, 5, 12);
const [server, ownBot] = serverAndBot();
const names = ['server', 'server-2'];
const community = { ...server.community, sameTarget: [names] };
const rewards = { ...server.rewards, allListings: 20 };
/** One server that was linked twice, and a bot. */
const first: ListingContext = { ...server, community, rewards };
const second: ListingContext = { ...first, name: 'server-2' };
const botListing: ListingContext = { ...ownBot, community, rewards };

describeOnEveryDatabase('listings with one target', (newUrl) => {
  const open = () => openLedger(newUrl(), votedAt);

  const vote = (store: Store, listing: ListingContext, at: number | null, receivedAt = at ?? votedAt) =>
    recordVote(store, listing, '1', at, { receivedAt });

  const claim = (store: Store, listing: ListingContext, at: number) =>
    store.recorder.recordClaim({ userId: '1', at }, listing, at + minute);
  const account = (store: Store) => store.ledgerIn(firstCommunity).account('1');

  it('pay a vote once, whether it is delivered for one and claimed for another, or the other way round', async () => {
    const store = await open();
    expect(await vote(store, first, votedAt)).toMatchObject({ credits: 10 });
    expect(await claim(store, second, votedAt)).toMatchObject({ outcome: 'recorded', at: votedAt, cause: 'vote' });
    expect(await claim(store, second, votedAt + minute)).toMatchObject({ outcome: 'recorded' });
    expect(await claim(store, second, votedAt + 12 * hour)).toMatchObject({ outcome: 'claimed' });
    expect(await claim(store, first, votedAt + 12 * hour)).toMatchObject({ outcome: 'recorded', cause: 'claim' });
    expect(await vote(store, first, votedAt + 12 * hour)).toMatchObject({ credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 20, votes: 2 });
  });

  it('pay a vote once that is delivered for both, with or without its time', async () => {
    const store = await open();
    await vote(store, first, votedAt);
    expect(await vote(store, second, votedAt)).toMatchObject({ outcome: 'duplicate', credits: 0 });
    expect(await vote(store, second, votedAt + hour)).toMatchObject({ reason: 'within_cooldown', credits: 0 });
    await vote(store, first, null, votedAt + 24 * hour);
    expect(await vote(store, second, null, votedAt + 25 * hour)).toMatchObject({ outcome: 'duplicate', credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 20, votes: 2 });
  });

  it('pay nothing for the vote of a member who was forgotten meanwhile', async () => {
    const store = await open();
    await vote(store, first, votedAt);
    const keepVotesMs = 12 * hour;
    await forgetMember(store.memberData, '1', { pseudonym: createPseudonym(), now: votedAt + minute, keepVotesMs });
    expect(await claim(store, second, votedAt)).toEqual({ outcome: 'forgotten' });
    expect(await vote(store, second, votedAt)).toMatchObject({ credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 0 });
  });

  it('are one listing for the bonus of all listings', async () => {
    const store = await open();
    expect(await vote(store, second, votedAt)).toMatchObject({ credits: 10 });
    expect(await vote(store, botListing, votedAt + minute)).toMatchObject({ credits: 30 });
  });

  it('are reminded of once, also where both were planned', async () => {
    const store = await open();
    const listing = { name: 'server', names, cooldownMs: 12 * hour };
    const planned = names.map((name) => ({ name, cooldownMs: 12 * hour, nextVoteAt: votedAt + 12 * hour }));
    await store.reminders.switchOn(accountOf('1'), planned, votedAt);
    await store.outbox.enqueuePlanned(votedAt + 12 * hour, 9);
    const waiting = async () => (await waitingEffects(store)).filter(({ kind }) => kind === 'directMessage');
    expect(await waiting()).toHaveLength(2);
    const [first] = await store.outbox.claim(directMessageQueue('1'), votedAt + 12 * hour, votedAt + 13 * hour, 9);
    if (first === undefined) throw new Error('nothing is due');
    const now = votedAt + 12 * hour;
    await store.reminders.share(
      accountOf('1'),
      first.id,
      { listing: 'server', dueAt: now },
      { names, until: now, now },
    );
    expect((await waiting()).map(({ id }) => id)).toEqual([first.id]);
    await store.outbox.done([first], votedAt + 12 * hour);

    // A vote for one of them plans one reminder, and withdraws a message for the other.
    await vote(store, second, votedAt + 31 * hour);
    expect(await takeDue(store, votedAt + 44 * hour)).toMatchObject([
      { content: { message: { listing: 'server', dueAt: votedAt + 43 * hour } } },
    ]);
    const sent = { userId: '1', listing: 'server', dueAt: votedAt + 12 * hour };
    expect(await store.reminders.isCurrent(sent, { ...listing, communityId: firstCommunity })).toBe(false);
  });
});
