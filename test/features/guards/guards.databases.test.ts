import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { array, assert, asyncProperty, constantFrom, integer, record, subarray } from 'fast-check';
import { expect, it } from 'vitest';
import { accountIdOf, type CommunityId } from '../../../src/core/ledger/account.ts';
import { createReplay } from '../../../src/core/receiving/replay.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { createRefusedVotes } from '../../../src/features/guards/parts.ts';
import { findRobots } from '../../../src/features/guards/robots.ts';
import { guardsRule } from '../../../src/features/guards/rules.ts';
import type { Store } from '../../../src/features/store.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { isConsistent, openLedger } from '../../support/voting.ts';

const [server] = serverAndBot();
const start = Date.UTC(2026, 0, 5, 12);
const [member, other] = ['200000000000000001', '200000000000000002'];
const [guildA, guildB] = ['100000000000000001', '613425648685547541'];
const noGuards = { minAccountAgeMs: 0, membersOnly: false, blocked: [], hiddenRoles: [] };

function listingOf(name: string, id: CommunityId, guildId: string, guards: object = {}) {
  const community = { guildId, id, timeZone: 'UTC', listings: [name] };
  const rewards = { ...server.rewards, ...guardsRule.as({ ...noGuards, ...guards }) };
  return { ...server, name, rewards, community, voteSecrets: [] };
}

describeOnEveryDatabase('guards', (newUrl) => {
  async function open(url = newUrl()) {
    const clock = manualClock(start);
    const store = await openLedger(url, storeClock(clock));
    return { url, clock, store };
  }

  /** A vote of the service, as it is received. */
  async function vote({ recorder }: Pick<Store, 'recorder'>, listing: ListingContext, userId: string, at = start) {
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date(at).toISOString() });
    const target = { kind: 'server', id: null } as const;
    const event = {
      family: 'vote',
      kind: 'server_vote',
      target,
      userId,
      at,
      creditsAwarded: null,
      denial: null,
    } as const;
    return recorder.record({ receivedAt: at, family: 'vote', body }, { type: 'event', listing, event });
  }
  const balanceIn = ({ ledgerIn }: Pick<Store, 'ledgerIn'>, id: CommunityId, userId = member) =>
    ledgerIn(id).account(userId);

  it('let a refused vote be paid once, whatever several processes are asked at a time', async () => {
    const { url, clock, store } = await open();
    const second = await open(url);
    const listing = listingOf('lamp', firstCommunity, guildA, { blocked: [member] });
    const refused = await vote(store, listing, member);
    expect(refused).toMatchObject({ outcome: 'recorded', credits: 0, reason: 'blocked' });
    expect(await vote(second.store, listing, member)).toMatchObject({ outcome: 'duplicate' });
    expect(await balanceIn(store, firstCommunity)).toMatchObject({ credits: 0, votes: 0 });
    const log = createLog({ level: 'silent', secrets: [] });
    const community = { id: firstCommunity, listings: [listing] } as never;
    const paying = [store, second.store].map((each) => {
      const replay = createReplay({ listings: () => [listing], recorder: each.recorder, clock });
      return createRefusedVotes({ replay, store: each, log }, [community]);
    });
    const paid = await Promise.all(
      [...paying, ...paying, ...paying].map(({ pay }) => pay(refused.deliveryId, member, other)),
    );
    expect(paid.filter((each) => each !== null)).toEqual([{ credits: 10 }]);
    expect(await balanceIn(store, firstCommunity)).toMatchObject({ credits: 10, votes: 1 });
    expect(await paying[0]?.pay(refused.deliveryId, member, other)).toBeNull();
    expect(await vote(store, listing, member)).toMatchObject({ outcome: 'duplicate' });
    expect(await isConsistent(url)).toBe(true);
  });

  it('refuse a claim as if the vote were not there, and let nobody claim what was refused', async () => {
    const { store } = await open();
    const blocking = listingOf('lamp', firstCommunity, guildA, { blocked: [member] });
    const asking = listingOf('lamp', firstCommunity, guildA, { membersOnly: true });
    const claim = (listing: ListingContext, isMember: boolean, at = start) =>
      store.recorder.recordClaim({ userId: member, at, isMember }, listing, start);
    expect(await claim(blocking, true)).toEqual({ outcome: 'refused' });
    expect(await claim(asking, false)).toEqual({ outcome: 'refused' });
    expect(await balanceIn(store, firstCommunity)).toMatchObject({ credits: 0, votes: 0 });
    await vote(store, blocking, member, start + hour);
    expect((await claim(listingOf('lamp', firstCommunity, guildA), true, start + hour)).outcome).not.toBe('claimed');
    expect(await claim(asking, true, start - day)).toMatchObject({ outcome: 'claimed', credits: 10 });
  });

  it('of one community say nothing about another', async () => {
    const { store, clock } = await open();
    const [idOfA, idOfB] = [await addCommunity(store, guildA), await addCommunity(store, guildB)];
    const guards = { blocked: [member], membersOnly: true };
    const [ofA, ofB] = [listingOf('a', idOfA, guildA, guards), listingOf('b', idOfB, guildB)];
    const refused = await vote(store, ofA, member);
    const held = await vote(store, ofA, other);
    expect(await vote(store, ofB, member)).toMatchObject({ credits: 10, reason: null });
    expect(await balanceIn(store, idOfA)).toMatchObject({ credits: 0 });
    expect(await store.guards.unpaidOf(other, ['a'])).toMatchObject([{ id: held.deliveryId }]);
    expect(await store.guards.unpaidOf(member, ['a', 'b'])).toMatchObject([{ id: refused.deliveryId }]);
    expect(await store.guards.unpaidOf(member, ['b'])).toEqual([]);
    const log = createLog({ level: 'silent', secrets: [] });
    const replay = createReplay({ listings: () => [ofA, ofB], recorder: store.recorder, clock });
    const payAs = (id: CommunityId, ...listings: object[]) =>
      createRefusedVotes({ replay, store, log }, [{ id, listings } as never]).pay(refused.deliveryId, member, other);
    expect(await payAs(idOfB, ofB)).toBeNull();
    // Another guild may have a listing with that name today.
    expect(await payAs(idOfB, { ...ofB, name: 'a' })).toBeNull();
    expect(await payAs(idOfA, ofA)).toEqual({ credits: 10 });
  });

  it('leave the members of hidden roles out of every board, as if they were not there', async () => {
    const { store } = await open();
    // One is within the other.
    const roles = ['700000000000000001', '7000000000000000011'];
    const accounts = array(
      record({ score: integer({ min: 0, max: 4 }), roles: subarray(roles), digits: constantFrom(17, 18) }),
      { minLength: 1, maxLength: 12 },
    );
    let guilds = 0;
    await assert(
      asyncProperty(accounts, subarray(roles), async (all, hidden) => {
        guilds += 1;
        const id = await addCommunity(store, `3${String(guilds).padStart(17, '0')}`);
        const members = all.map((each, index) => ({
          ...each,
          userId: `2${String(index + 1).padStart(each.digits, '0')}`,
        }));
        for (const { userId, score, roles: seen } of members) {
          if (seen.length > 0) await store.roles.seeRoles(accountIdOf(id, userId), seen);
          const correction = { communityId: id, userId, credits: score, reason: 'test', at: start };
          if (score > 0) await store.recorder.correct(correction, `deposit ${userId}`);
        }
        const shown = members
          .filter((each) => each.score > 0 && !each.roles.some((role) => hidden.includes(role)))
          .map(({ userId, score }) => ({ userId, score }));
        const board = shown
          .map((each) => ({ ...each, rank: 1 + shown.filter(({ score }) => score > each.score).length }))
          .toSorted((a, b) => b.score - a.score || Number(BigInt(a.userId) - BigInt(b.userId)));
        const standings = store.standingsIn(id, 'UTC', hidden);
        const query = { period: 'all', by: 'credits', limit: 5 } as const;
        for (const { userId, score } of members) {
          const own = board.find((each) => each.userId === userId) ?? null;
          const page = await standings.leaderboard({ ...query, offset: 'own', userId }, start);
          const offset = own === null ? 0 : 5 * Math.floor(board.indexOf(own) / 5);
          expect(page).toMatchObject({ own, offset, total: board.length });
          expect(page.members).toEqual(board.slice(offset, offset + 5));
          expect(page.sum).toBe(board.reduce((sum, each) => sum + each.score, 0));
          // The members themselves still see what they have.
          expect(await standings.summary(userId, start)).toMatchObject({ credits: score, rank: own?.rank ?? null });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('leave them out of the top voters of a digest, too', async () => {
    const { store } = await open();
    const listing = listingOf('lamp', firstCommunity, guildA);
    const role = '700000000000000001';
    await vote(store, listing, member);
    await vote(store, listing, other);
    await store.roles.seeRoles(accountIdOf(firstCommunity, member), [role]);
    const hiding = [{ name: 'lamp', communityId: firstCommunity, hiddenRoles: [role] }];
    const summary = (await store.digests.votesOf({ from: start - hour, until: start + hour }, hiding)).get('lamp');
    expect(summary).toMatchObject({ votes: 2, voters: 2, credits: 20, top: [{ userId: other, votes: 1 }] });
  });

  it('find the accounts that vote like a clock, of one community and by listing', async () => {
    const { store } = await open();
    const id = await addCommunity(store, guildB);
    const [lamp, boat] = [listingOf('lamp', firstCommunity, guildA), listingOf('boat', firstCommunity, guildA)];
    const elsewhere = listingOf('elsewhere', id, guildB);
    const [person, robot, foreign] = ['200000000000000011', '200000000000000012', '200000000000000013'];
    for (let index = 0; index < 15; index += 1) {
      const at = start + index * 13 * hour;
      await vote(store, lamp, person, at + index * index * minute);
      await vote(store, lamp, robot, at + (index % 3) * 15 * second);
      // At its own times, so that the intervals of both listings together differ.
      await vote(store, boat, robot, at + 5 * minute);
      await vote(store, elsewhere, foreign, at);
    }
    const robotsOf = async (communityId: CommunityId) =>
      findRobots(await store.guards.votesOfFrequent(communityId, 14));
    const found = { userId: robot, votes: 15 };
    expect((await robotsOf(firstCommunity)).toSorted((a, b) => (a.listing < b.listing ? -1 : 1))).toEqual([
      { ...found, listing: 'boat', shortest: 13 * hour, longest: 13 * hour },
      { ...found, listing: 'lamp', shortest: 13 * hour - 30 * second, longest: 13 * hour + 15 * second },
    ]);
    expect((await robotsOf(id)).map(({ userId }) => userId)).toEqual([foreign]);
  });
});
