import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { accountIdOf, createPseudonym } from '../../../src/core/ledger/account.ts';
import { isOf } from '../../../src/core/outbox/effect-kind.ts';
import { createReversals } from '../../../src/features/corrections/store.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import { prizesWonKind, settlementKind } from '../../../src/features/prizes/effects.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { takeDue } from '../../support/due-effects.ts';
import { announceChannel } from '../../support/listings.ts';
import { channelQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';
import { isConsistent } from '../../support/voting.ts';
import { holdersOf, openWorld, type PrizeWorld, prizesIn, role } from './settling.ts';

/** A Monday. */
const monday = Date.UTC(2026, 10, 2);
const week = 7 * day;
const firstWeek = { communityId: firstCommunity, per: 'week', by: 'votes', firstDay: monday / day } as const;
const weekly = (places: readonly object[], others: object = {}) => ({ per: 'week', by: 'votes', places, ...others });

async function votes(world: PrizeWorld, userId: string, times: readonly number[]): Promise<void> {
  for (const at of times) await recordVote(world.store, world.listing(), userId, at);
}

/** So many votes of a member, 13 hours apart. */
const votesFrom = (at: number, count: number) => Array.from({ length: count }, (_, index) => at + index * 13 * hour);

describeOnEveryDatabase('prizes', (newUrl) => {
  it('are paid an hour after the end of a period that had no vote when they were configured, and after each next one', async () => {
    const world = await openWorld(newUrl(), monday + 3 * day, { prizes: [weekly([{ from: 1, credits: 100 }])] });
    await world.plan();
    await votes(world, '1', votesFrom(monday + 4 * day, 2));
    await world.goTo(monday + week + hour - 1);
    expect(await world.settle()).toEqual([]);
    // A vote of the week that arrives in the hour after it.
    await recordVote(world.store, world.listing(), '2', monday + week - minute, { receivedAt: world.now() });
    await world.goTo(monday + week + hour);
    expect(await world.settle()).toEqual(['week votes 2026-11-02']);
    expect(await prizesIn(world.url)).toEqual({ 1: [100] });
    await votes(world, '2', [monday + week + 20 * hour]);
    await world.goTo(monday + 3 * week + 5 * hour);
    expect(await world.settle()).toEqual(['week votes 2026-11-09', 'week votes 2026-11-16']);
    expect(await prizesIn(world.url)).toEqual({ 1: [100], 2: [100] });
    expect(await isConsistent(world.url)).toBe(true);
  });

  it('go to those with the most votes, credits and days, as an obvious model says, whenever the votes arrive', async () => {
    const places = [
      { from: 1, credits: 1_000 },
      { from: 2, to: 3, credits: 200 },
      { from: 5, credits: 7 },
    ];
    // The weeks around the end of summer time in Berlin.
    const first = Date.UTC(2026, 9, 19) - 2 * hour;
    const vote = fc.record({ member: fc.integer({ min: 1, max: 6 }), slot: fc.integer({ min: 0, max: 25 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(vote, { maxLength: 60 }),
        fc.constantFrom('votes' as const, 'credits' as const, 'streak' as const),
        fc.constantFrom(1, 3),
        fc.boolean(),
        async (cast, by, minVotes, isDown) => {
          const rules = { places, minVotes };
          const multipliers = [{ factor: 3, days: ['wednesday'] }];
          const world = await openWorld(newUrl(), first, {
            ...{ prizes: [{ per: 'week', by, ...rules }], timeZone: 'Europe/Berlin', rewards: { multipliers } },
          });
          await world.plan();
          const all = distinct(cast).map(({ member, slot }) => ({
            userId: String(member),
            at: first + slot * 13 * hour,
          }));
          for (const { userId, at } of all) await recordVote(world.store, world.listing(), userId, at);
          for (const end of isDown ? [2] : [1, 2]) {
            await world.goTo(first + end * week + 3 * hour);
            await world.settle();
          }
          expect(await prizesIn(world.url)).toEqual(expectedPrizes(all, by, rules));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are settled once by several processes at once, of a community with hundreds of winners', async () => {
    const url = newUrl();
    const prizes = [weekly([{ from: 1, to: 500, credits: 3, role }])];
    const worlds = await Promise.all([1, 2, 3].map(() => openWorld(url, monday, { prizes })));
    const [world] = worlds;
    if (world === undefined) throw new Error('no process');
    const members = Array.from({ length: 120 }, (_, index) => String(1_000 + index));
    for (const userId of members) await votes(world, userId, [monday + hour]);
    await world.plan();
    for (const each of worlds) await each.goTo(monday + week + hour);
    const [settlement] = (await takeDue(world.store, world.now())).filter((effect) => isOf(settlementKind, effect));
    if (settlement === undefined || !isOf(settlementKind, settlement)) throw new Error('no settlement');
    await Promise.all(worlds.map(({ handler }) => handler(settlement)));
    await world.handler(settlement);
    expect(await prizesIn(url)).toEqual(Object.fromEntries(members.map((userId) => [userId, [3]])));
    expect(await holdersOf(world.store, members, world.now())).toEqual(members);
    expect(await announced(world)).toMatchObject([{ per: 'week', by: 'votes', more: 110 }]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('continue where an attempt ended', async () => {
    const prizes = [weekly([{ from: 1, to: 500, credits: 3 }])];
    const world = await openWorld(newUrl(), monday, { prizes });
    const members = Array.from({ length: 40 }, (_, index) => String(1_000 + index));
    for (const userId of members) await votes(world, userId, [monday + hour]);
    await world.plan();
    await world.goTo(monday + week + hour);
    const winners = members.map((userId) => ({ userId, place: 1, score: 1, credits: 3, role: null }));
    await world.store.prizes.decide(firstWeek, winners, { announced: null, now: world.now() });
    expect(await world.store.prizes.pay(firstWeek, null, world.now())).toBe(true);
    // What is decided is not decided again by votes that arrive now.
    await votes(world, '999', [monday + 2 * hour, monday + 20 * hour]);
    await world.settle();
    expect(await prizesIn(world.url)).toEqual(Object.fromEntries(members.map((userId) => [userId, [3]])));
  });

  it('hold a role until the next settlement, also of a period without votes and without prizes', async () => {
    const prizes = [weekly([{ from: 1, to: 2, credits: 0, role }])];
    const world = await openWorld(newUrl(), monday, { prizes });
    const everyone = ['1', '2', '3'];
    const holders = () => holdersOf(world.store, everyone, world.now());
    await world.plan();
    for (const [userId, count] of [
      ['1', 3],
      ['2', 2],
      ['3', 1],
    ] as const) {
      await votes(world, userId, votesFrom(monday, count));
    }
    await world.goTo(monday + week + hour);
    await world.settle();
    expect(await holders()).toEqual(['1', '2']);
    await votes(world, '3', votesFrom(monday + week + 2 * hour, 2));
    await votes(world, '2', votesFrom(monday + week + 2 * hour, 1));
    await world.goTo(monday + 2 * week + hour);
    expect(await holders()).toEqual(['1', '2']);
    await world.settle();
    expect(await holders()).toEqual(['2', '3']);
    await world.goTo(monday + 3 * week + hour);
    await world.settle();
    expect(await holders()).toEqual([]);
    await votes(world, '1', [monday + 3 * week + 2 * hour]);
    await world.goTo(monday + 4 * week + hour);
    await world.settle();
    expect(await holders()).toEqual(['1']);
    world.configure({ prizes: [] });
    await world.goTo(monday + 5 * week + hour);
    await world.settle();
    expect(await holders()).toEqual([]);
    // Nothing is planned any more, until there are prizes again.
    await world.goTo(monday + 9 * week);
    expect(await world.settle()).toEqual([]);
    // Only a role was won.
    expect(await prizesIn(world.url)).toEqual({});
  });

  it('are not for members who were forgotten before they were paid, nor for reversed votes', async () => {
    const prizes = [
      weekly([
        { from: 1, credits: 100 },
        { from: 2, to: 10, credits: 5 },
      ]),
    ];
    const world = await openWorld(newUrl(), monday, { prizes });
    const { store, clock } = world;
    const forgetting = { pseudonym: createPseudonym(), now: world.now(), keepVotesMs: day };
    await world.plan();
    await votes(world, '1', votesFrom(monday, 4));
    await votes(world, '2', votesFrom(monday + week - 26 * hour, 2));
    await votes(world, '3', votesFrom(monday, 1));
    await votes(world, '4', votesFrom(monday + 12 * hour, 3));
    await forgetMember(store.memberData, '1', forgetting);
    const reversals = createReversals({
      store,
      listingsOf: () => [world.listing()],
      clock,
      log: createLog({ level: 'silent', secrets: [] }),
    });
    await reversals.reverse({ listing: 'harbour', from: monday + 12 * hour, until: monday + 2 * day });
    await world.goTo(monday + week + hour);
    expect(await world.settle()).toEqual(['week votes 2026-11-02']);
    expect(await prizesIn(world.url)).toEqual({ 2: [100], 3: [5] });
    // Of the next week, one winner is forgotten after the decision, before and while the others are paid.
    const next = { ...firstWeek, firstDay: firstWeek.firstDay + 7 };
    const winners = ['1', '3', '2'].map((userId) => ({ userId, place: 1, score: 1, credits: 5, role: null }));
    await store.prizes.decide(next, winners, { announced: null, now: world.now() });
    await Promise.all([
      forgetMember(store.memberData, '3', { ...forgetting, pseudonym: createPseudonym() }),
      store.prizes.pay(next, null, world.now()),
    ]);
    await store.prizes.pay(next, null, world.now());
    expect((await prizesIn(world.url))['2']).toEqual([100, 5]);
    expect((await prizesIn(world.url))['3']).toBe(undefined);
    // Forgotten while the winners were decided.
    expect((await prizesIn(world.url))['1']).toBe(undefined);
    expect(await isConsistent(world.url)).toBe(true);
  });

  it('are not for members of hidden roles, whose places the next ones take', async () => {
    const prizes = [weekly([{ from: 1, credits: 100 }])];
    const world = await openWorld(newUrl(), monday, { prizes, guards: { hiddenRoles: [role] } });
    await world.plan();
    await votes(world, '1', votesFrom(monday, 3));
    await votes(world, '2', votesFrom(monday, 2));
    await world.store.roles.seeRoles(accountIdOf(firstCommunity, '1'), [role]);
    await world.goTo(monday + week + hour);
    await world.settle();
    expect(await prizesIn(world.url)).toEqual({ 2: [100] });
  });

  it('follow a time zone that was changed', async () => {
    const prizes = [weekly([{ from: 1, credits: 100 }])];
    const world = await openWorld(newUrl(), monday, { prizes });
    await world.plan();
    await votes(world, '1', [monday + week + 2 * hour]);
    // The week ends ten hours later there.
    world.configure({ prizes, timeZone: 'Pacific/Honolulu' });
    await world.goTo(monday + week + 10 * hour);
    await world.settle();
    expect(await prizesIn(world.url)).toEqual({});
    await world.goTo(monday + week + 11 * hour);
    expect(await world.settle()).toEqual(['week votes 2026-11-02']);
    expect(await prizesIn(world.url)).toEqual({ 1: [100] });
  });

  /** The announcements of prizes that wait. */
  async function announced({ store, now }: PrizeWorld) {
    const found = [];
    for (;;) {
      const effects = await store.outbox.claim(channelQueue(announceChannel), now(), now() + minute, 1);
      if (effects.length === 0) return found;
      found.push(...effects.flatMap((each) => ('content' in each && isOf(prizesWonKind, each) ? each.content : [])));
      await store.outbox.done(effects, now());
    }
  }
});

interface Cast {
  readonly userId: string;
  readonly at: number;
}

function distinct<Each extends { readonly member: number; readonly slot: number }>(all: readonly Each[]): Each[] {
  return [...new Map(all.map((each) => [`${each.member} ${each.slot}`, each])).values()];
}

const date = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
const dateOf = (at: number) => date.format(at);

/** By dates of Berlin as texts: the two weeks from 19 October, one after the other. */
function expectedPrizes(
  all: readonly Cast[],
  by: 'votes' | 'credits' | 'streak',
  { places, minVotes }: { places: readonly { from: number; to?: number; credits: number }[]; minVotes: number },
): Record<string, number[]> {
  const won: Record<string, number[]> = {};
  for (const sunday of ['2026-10-25', '2026-11-01']) {
    const dates = Array.from({ length: 7 }, (_, index) => dateBefore(sunday, index));
    const members = [...new Set(all.map(({ userId }) => userId))].map((userId) => {
      const own = all.filter((vote) => vote.userId === userId);
      const ofWeek = own.filter(({ at }) => dates.includes(dateOf(at)));
      let streak = 0;
      while (own.some(({ at }) => dateOf(at) === dateBefore(sunday, streak))) streak += 1;
      const isWednesday = ({ at }: Cast) => dateOf(at) === dates[4];
      const credits = ofWeek.reduce((sum, vote) => sum + (isWednesday(vote) ? 30 : 10), 0);
      const score = { votes: ofWeek.length, credits, streak }[by];
      return { userId, score, votes: ofWeek.length };
    });
    const ranked = members.filter(({ score, votes: cast }) => score > 0 && cast >= minVotes);
    for (const { userId, score } of ranked) {
      const place = 1 + ranked.filter((other) => other.score > score).length;
      for (const { from, to = from, credits } of places) {
        if (from <= place && place <= to) (won[userId] ??= []).push(credits);
      }
    }
  }
  return won;
}

function dateBefore(text: string, days: number): string {
  return new Date(Date.parse(`${text}T12:00:00Z`) - days * day).toISOString().slice(0, 10);
}
