import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { accountIdOf, type CommunityId } from '../../../src/core/ledger/account.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { deleteGuildData } from '../../../src/features/communities/departures.ts';
import type { PartyTables } from '../../../src/features/party/rules.ts';
import type { PrizeTables } from '../../../src/features/prizes/store.ts';
import type { RaffleTables } from '../../../src/features/raffles/store.ts';
import type { ReviewTables } from '../../../src/features/reviews/store.ts';
import type { ShopTables } from '../../../src/features/shop/store.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { seedRaffle } from '../../support/raffles.ts';
import { premiumFor, recordVote } from '../../support/record-vote.ts';
import { itemOf, orderOf } from '../../support/shop-store.ts';
import { isConsistent, openLedger } from '../../support/voting.ts';

const [server] = serverAndBot();
const start = Date.UTC(2026, 0, 5, 12);
const [operators, guild] = ['100000000000000001', '613425648685547541'];
const [member, other] = ['200000000000000001', '200000000000000002'];
const never = new AbortController().signal;

function listingOf(name: string, id: CommunityId, guildId: string): ListingContext {
  const rewards = {
    ...server?.rewards,
    streak: { every: 2, credits: 50, forgive: 0 },
    voterRole: { role: `7${guildId.slice(1)}`, forMs: 12 * hour },
    party: { goal: 1_000, per: 'week', credits: 25 },
  };
  const community = { guildId, id, timeZone: 'UTC', listings: [name] };
  return { ...server, name, kind: 'server', rewards, community } as ListingContext;
}

const operatorsListing = listingOf('own', firstCommunity, operators);

describeOnEveryDatabase('the data of a community', (newUrl) => {
  async function open() {
    const url = newUrl();
    const clock = manualClock(start);
    const store = await openLedger(url, storeClock(clock));
    await store.communityIds.addConfigured([operators]);
    const communityId = await addCommunity(store, guild);
    const guildListing = listingOf('hosted', communityId, guild);
    for (const [guildId, listing] of [
      [guild, 'hosted'],
      [operators, 'own'],
    ] as const) {
      const change = { guildId, authorId: '7', interactionId: guildId, at: start, basis: null, undoes: null };
      const values = [{ listing, path: 'link', after: { value: '{}', sealed: null } }];
      expect(await store.settings.save({ ...change, values })).toMatchObject({ status: 'saved' });
    }
    const vote = (listing: ListingContext, userId: string, at: number) => recordVote(store, listing, userId, at);
    async function countAll() {
      await store.counting.advance();
      await clock.advance(16 * minute);
      while (await store.counting.advance());
    }
    return { url, clock, store, communityId, guildListing, vote, countAll };
  }

  /** What is left of each table that mentions a value. */
  async function tablesWith(url: string, values: readonly string[]): Promise<readonly string[]> {
    const { db, run, close } = await openSnapshot<PartyTables & PrizeTables & RaffleTables & ReviewTables & ShopTables>(
      url,
    );
    const tables = [
      ...['balances', 'entries', 'deliveries', 'effects', 'planned_effects', 'grants', 'corrections'],
    ] as const;
    const others = ['parties', 'party_voters', 'orders', 'order_names', 'purchases', 'announcement_progress'] as const;
    const prizes = ['prize_settlements', 'prize_winners', 'raffles', 'raffle_winners'] as const;
    const found: string[] = [];
    for (const table of [...tables, ...others, ...prizes, 'vote_counts' as const, 'announced_reviews' as const]) {
      const rows = (await run(db.selectFrom(table).selectAll())) as readonly object[];
      const left = rows.filter((row) => {
        const text = JSON.stringify(table === 'deliveries' ? { ...row, listing: null } : row);
        return values.some((value) => text.includes(value));
      });
      if (left.length > 0) found.push(table);
    }
    await close();
    return found;
  }

  it('is deleted in steps that leave everything consistent, and repeats are still recognised', async () => {
    const { url, clock, store, communityId, guildListing, vote, countAll } = await open();
    await Promise.all(Array.from({ length: 230 }, (_, index) => vote(guildListing, member, start + index * 13 * hour)));
    const last = start + 230 * 13 * hour;
    await vote(guildListing, other, last);
    await vote(operatorsListing, member, last);
    await vote(operatorsListing, other, last);
    await clock.advance(last - start);
    await countAll();
    await vote(operatorsListing, other, last + day);
    const correction = { userId: member, communityId, credits: 5, reason: 'for a test', at: last };
    await store.recorder.correct(correction, 'key');
    const premium = premiumFor(member, { orderIds: ['order-1'], tier: 'Gold', at: last });
    const delivery = { receivedAt: last, family: 'premium', body: '{"orderId":"order-1"}' } as const;
    await store.recorder.record(delivery, { type: 'event', event: premium, listing: guildListing });
    const order = orderOf(itemOf({ id: 'vip', name: 'VIP', price: 20, role: '9' }), { communityId, userId: member });
    expect(await store.shop.purchase(order, last)).toMatchObject({ outcome: 'purchased' });
    const settlement = { communityId, per: 'week', by: 'votes', firstDay: 20_458 } as const;
    const winner = { userId: member, place: 1, score: 2, credits: 5, role: null };
    await store.prizes.decide(settlement, [winner], { announced: null, now: last });
    await seedRaffle(store, communityId, member, last);
    const cooldown = { name: 'hosted', cooldownMs: 12 * hour, nextVoteAt: last + day };
    await store.reminders.switchOn(accountIdOf(communityId, other), [cooldown], last);
    const names = [guild, 'hosted', `"${communityId}:`, `"${communityId} week`, `"community_id":${communityId}`];
    expect(await tablesWith(url, names)).toEqual(
      expect.arrayContaining([
        ...['balances', 'entries', 'grants', 'effects', 'corrections', 'parties', 'party_voters', 'purchases'],
        ...['orders', 'planned_effects', 'prize_settlements', 'prize_winners', 'raffles', 'raffle_winners'],
      ]),
    );

    const interrupted = new AbortController();
    const deleting = deleteGuildData(store.guildData, guild, interrupted.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    interrupted.abort();
    await deleting;
    expect(await isConsistent(url)).toBe(true);
    await deleteGuildData(store.guildData, guild, never);

    expect(await isConsistent(url)).toBe(true);
    expect(await tablesWith(url, names)).toEqual([]);
    expect(await store.ledgerIn(communityId).account(member)).toMatchObject({ credits: 0, votes: 0 });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ votes: 1 });
    const counts = await store.records.counts();
    expect(counts).toMatchObject({ users: 2, votes: 3 });
    await countAll();
    expect(await store.records.counts()).toEqual(counts);
    await vote(operatorsListing, '200000000000000003', last);
    expect(await store.records.counts()).toMatchObject({ users: 3, votes: 4 });
    const repeated = await vote(guildListing, member, start);
    expect(repeated).toMatchObject({ outcome: 'duplicate' });
    expect(await tablesWith(url, [member])).not.toContain('orders');
    expect(await tablesWith(url, ['order-1'])).toEqual([]);
  }, 60_000);

  it('is never deleted where listings of the operator are', async () => {
    const { url, store, vote } = await open();
    await vote(operatorsListing, member, start);
    await deleteGuildData(store.guildData, operators, never);
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ votes: 1 });
    expect(await tablesWith(url, [operators])).toEqual(expect.arrayContaining(['grants']));
  });
});
