import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { accountOf, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { takeDue } from '../support/due-effects.ts';
import { serverAndBot } from '../support/listings.ts';
import { directMessageQueue } from '../support/queues.ts';
import { waitingEffects } from '../support/shop-store.ts';

const start = Date.UTC(2026, 0, 5, 12);
const [server, bot] = serverAndBot();
if (server === undefined || bot === undefined) throw new Error('no listing');
const names = ['server', 'server-2'];
const community = { ...server.community, sameTarget: [names] };
const rewards = { ...server.rewards, allListings: 20 };
/** One server that was linked twice, and a bot. */
const first: ListingContext = { ...server, community, rewards };
const second: ListingContext = { ...first, name: 'server-2' };
const botListing: ListingContext = { ...bot, community, rewards };

describeOnEveryDatabase('listings with one target', (newUrl) => {
  async function open(): Promise<Store> {
    const store = await openStore(newUrl(), storeClock(manualClock(start)), { thread: false });
    onTestFinished(() => store.close());
    return store;
  }

  function vote(store: Store, listing: ListingContext, at: number | null, receivedAt = at ?? start) {
    const kind = listing.kind === 'server' ? 'server_vote' : 'bot_vote';
    const target = { kind: listing.kind, id: null };
    const event = { family: 'vote', kind, target, userId: '1', at, creditsAwarded: null, denial: null } as const;
    return store.recorder.record({ receivedAt, family: 'vote', body: '{}' }, { type: 'event', event, listing });
  }

  const claim = (store: Store, listing: ListingContext, at: number) =>
    store.recorder.recordClaim({ userId: '1', at }, listing, at + minute);
  const account = (store: Store) => store.ledgerIn(firstCommunity).account('1');

  it('pay a vote once, whether it is delivered for one and claimed for another, or the other way round', async () => {
    const store = await open();
    expect(await vote(store, first, start)).toMatchObject({ credits: 10 });
    expect(await claim(store, second, start)).toMatchObject({ outcome: 'recorded', at: start, cause: 'vote' });
    expect(await claim(store, second, start + minute)).toMatchObject({ outcome: 'recorded' });
    expect(await claim(store, second, start + 12 * hour)).toMatchObject({ outcome: 'claimed' });
    expect(await claim(store, first, start + 12 * hour)).toMatchObject({ outcome: 'recorded', cause: 'claim' });
    expect(await vote(store, first, start + 12 * hour)).toMatchObject({ credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 20, votes: 2 });
  });

  it('pay a vote once that is delivered for both, with or without its time', async () => {
    const store = await open();
    await vote(store, first, start);
    expect(await vote(store, second, start)).toMatchObject({ outcome: 'duplicate', credits: 0 });
    expect(await vote(store, second, start + hour)).toMatchObject({ reason: 'within_cooldown', credits: 0 });
    await vote(store, first, null, start + 24 * hour);
    expect(await vote(store, second, null, start + 25 * hour)).toMatchObject({ outcome: 'duplicate', credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 20, votes: 2 });
  });

  it('pay nothing for the vote of a member who was forgotten meanwhile', async () => {
    const store = await open();
    await vote(store, first, start);
    const keepVotesMs = 12 * hour;
    await forgetMember(store.memberData, '1', { pseudonym: createPseudonym(), now: start + minute, keepVotesMs });
    expect(await claim(store, second, start)).toEqual({ outcome: 'forgotten' });
    expect(await vote(store, second, start)).toMatchObject({ credits: 0 });
    expect(await account(store)).toMatchObject({ credits: 0 });
  });

  it('are one listing for the bonus of all listings', async () => {
    const store = await open();
    expect(await vote(store, second, start)).toMatchObject({ credits: 10 });
    expect(await vote(store, botListing, start + minute)).toMatchObject({ credits: 30 });
  });

  it('are reminded of once, also where both were planned', async () => {
    const store = await open();
    const listing = { name: 'server', names, cooldownMs: 12 * hour };
    const planned = names.map((name) => ({ name, cooldownMs: 12 * hour, nextVoteAt: start + 12 * hour }));
    await store.reminders.switchOn(accountOf('1'), planned, start);
    await store.outbox.enqueuePlanned(start + 12 * hour, 9);
    const waiting = async () => (await waitingEffects(store)).filter(({ kind }) => kind === 'directMessage');
    expect(await waiting()).toHaveLength(2);
    const [first] = await store.outbox.claim(directMessageQueue('1'), start + 12 * hour, start + 13 * hour, 9);
    if (first === undefined) throw new Error('nothing is due');
    await store.reminders.dropOthers(accountOf('1'), names, first.id, start + 12 * hour);
    expect((await waiting()).map(({ id }) => id)).toEqual([first.id]);
    await store.outbox.done([first], start + 12 * hour);

    // A vote for one of them plans one reminder, and withdraws a message for the other.
    await vote(store, second, start + 31 * hour);
    expect(await takeDue(store, start + 44 * hour)).toMatchObject([
      { content: { message: { listing: 'server', dueAt: start + 43 * hour } } },
    ]);
    const sent = { userId: '1', listing: 'server', dueAt: start + 12 * hour };
    expect(await store.reminders.isCurrent(sent, { ...listing, communityId: firstCommunity })).toBe(false);
  });
});
