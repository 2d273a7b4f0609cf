import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { expect, it } from 'vitest';
import { accountIdOf, createPseudonym } from '../../../src/core/ledger/account.ts';
import { createReversals } from '../../../src/features/corrections/store.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import { checkRaffle } from '../../../src/features/raffles/published.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { recordVote } from '../../support/record-vote.ts';
import { isConsistent } from '../../support/voting.ts';
import { openWorld, type RaffleWorld, recompute, wonIn } from './drawing.ts';

/** A Monday. */
const monday = Date.UTC(2026, 10, 2);
const week = 7 * day;
const end = monday + week;
const weekly = { per: 'week', winners: 3, credits: 300 };

/** So many votes of a member, 13 hours apart. */
async function vote(world: RaffleWorld, userId: string, from: number, count = 1, community = 0): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await recordVote(world.store, world.listing(community), userId, from + n * 13 * hour, { receivedAt: world.now() });
  }
}

/** The tickets of each member in the newest file, who knows the pseudonym by the command. */
async function ticketsOf(world: RaffleWorld, userIds: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const { tickets } = JSON.parse((await world.published()) ?? '{}');
  const byName = new Map(tickets.map((each: { member: string; tickets: number }) => [each.member, each.tickets]));
  const found: Record<string, number> = {};
  for (const userId of userIds) {
    const { last } = await world.statusOf(userId);
    const listed = byName.get(last?.name);
    expect(last?.tickets).toBe(listed ?? 0);
    if (typeof listed === 'number') found[userId] = listed;
  }
  expect(Object.keys(found)).toHaveLength(tickets.length);
  return found;
}

describeOnEveryDatabase('a raffle', (newUrl) => {
  it('is drawn an hour after its end, from what was announced at its beginning, and can be computed again', async () => {
    const rules = { ...weekly, ticketsPerVote: 2, maxTickets: 6 };
    const world = await openWorld(newUrl(), monday + hour, { raffle: rules });
    await world.open();
    expect(await world.announced()).toEqual(['raffleOpened']);
    const opened = await world.store.raffles.ofPeriod(world.community().id, 'week 2026-W45');
    await world.goTo(end - minute);
    await vote(world, '1', monday + 2 * hour, 5);
    await vote(world, '2', monday + 2 * hour, 2);
    for (const userId of ['3', '4', '5']) await vote(world, userId, monday + day);
    await world.open();
    // A vote of the week that arrives in the hour after it, of a member who has voted in the next week already, too.
    await world.goTo(end + hour - 1);
    await vote(world, '6', end - minute);
    await vote(world, '5', end + minute);
    await vote(world, '5', end - 13 * hour);
    expect(await world.draw()).toBe(0);
    expect(await world.published()).toBe(null);
    await world.goTo(end + hour);
    // The other community has a raffle, too.
    expect(await world.draw()).toBe(2);
    // Too late, and of the next week.
    await vote(world, '7', end - minute);
    const file = (await world.published()) ?? '';
    expect(checkRaffle(file).problems).toEqual([]);
    const { winners, commitment } = recompute(file);
    expect(commitment).toBe(opened?.commitment);
    expect(JSON.parse(file)).toMatchObject({
      ...{ id: opened?.raffleId, period: 'week 2026-W45', places: 3, credits: 300, maxTickets: 6, winners },
      ...{
        startsAt: '2026-11-02T00:00:00.000Z',
        endsAt: '2026-11-09T00:00:00.000Z',
        openedAt: '2026-11-02T01:00:00.000Z',
      },
    });
    const members = ['1', '2', '3', '4', '5', '6', '7'];
    expect(await ticketsOf(world, members)).toEqual({ 1: 6, 2: 4, 3: 2, 4: 2, 5: 4, 6: 2 });
    const { last } = await world.statusOf('1');
    expect(await wonIn(world.url)).toEqual(Object.fromEntries((last?.winners ?? []).map((userId) => [userId, [300]])));
    const names = await Promise.all((last?.winners ?? []).map(async (id) => (await world.statusOf(id)).last?.name));
    expect(names).toEqual(winners);
    expect(await world.announced()).toEqual(['raffleDrawn']);
    expect(await isConsistent(world.url)).toBe(true);
  });

  it('pays what no leaderboard of a week or month counts, and which members see with its period', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: { ...weekly, winners: 1 } });
    await world.open();
    await vote(world, '1', monday);
    await world.goTo(end + hour);
    await world.draw();
    const { id, timeZone } = world.community();
    const standings = world.store.standingsIn(id, timeZone, []);
    const board = { by: 'credits', limit: 10, offset: 0, userId: '1' } as const;
    const scoreIn = async (period: 'week' | 'month' | 'all') =>
      (await standings.leaderboard({ ...board, period }, world.now())).own?.score;
    expect([await scoreIn('month'), await scoreIn('all')]).toEqual([10, 310]);
    expect((await standings.standing('1', world.now())).entries.slice(0, 1)).toMatchObject([
      { cause: 'raffle', credits: 300, reason: 'week 2026-W45' },
    ]);
  });

  it('is drawn once by several processes at once, and by attempts that are repeated', async () => {
    const url = newUrl();
    const worlds = await Promise.all(
      [1, 2, 3].map(() => openWorld(url, monday, { raffle: { ...weekly, winners: 25 } })),
    );
    const [world] = worlds;
    if (world === undefined) throw new Error('no process');
    await Promise.all(worlds.map((each) => each.open()));
    expect(await world.announced()).toEqual(['raffleOpened']);
    const members = Array.from({ length: 40 }, (_, index) => String(1_000 + index));
    for (const userId of members) await vote(world, userId, monday);
    for (const each of worlds) await each.goTo(end + hour);
    const effects = await world.due();
    expect(effects).toHaveLength(2);
    for (const effect of effects) {
      await Promise.all(worlds.map(({ handler }) => handler(effect)));
      const file = await world.published();
      await world.handler(effect);
      expect(await world.published()).toBe(file);
    }
    const won = Object.values(await wonIn(url));
    expect(won).toHaveLength(25);
    expect(won.every((credits) => credits.join() === '300')).toBe(true);
    expect(await world.announced()).toEqual(['raffleDrawn']);
    expect(await isConsistent(url)).toBe(true);
  });

  it('leaves out votes that were reversed, members with a hidden role, and those who were forgotten', async () => {
    const world = await openWorld(newUrl(), monday, {
      raffle: { ...weekly, winners: 25 },
      guards: { hiddenRoles: ['7'] },
    });
    const { store, clock } = world;
    const { id } = world.community();
    await world.open();
    await world.goTo(end - minute);
    await vote(world, '1', monday, 2);
    await vote(world, '2', monday + 12 * hour, 4);
    for (const userId of ['3', '4', '5']) await vote(world, userId, monday, 3);
    await store.roles.seeRoles(accountIdOf(id, '3'), ['7', '8']);
    await store.roles.seeRoles(accountIdOf(id, '4'), ['77']);
    expect([(await world.statusOf('3')).current?.tickets, (await world.statusOf('4')).current?.tickets]).toEqual([
      0, 3,
    ]);
    // In the next week, too, when their votes are those of entries.
    await world.goTo(end + hour);
    for (const userId of ['2', '3', '5']) await vote(world, userId, end + minute);
    await forgetMember(store.memberData, '5', { pseudonym: createPseudonym(), now: world.now(), keepVotesMs: day });
    const reversals = createReversals({
      ...{ store, clock, listingsOf: () => [world.listing()] },
      log: createLog({ level: 'silent', secrets: [] }),
    });
    await reversals.reverse({ listing: 'listing-0', from: monday + 12 * hour, until: monday + 38 * hour });
    await world.draw();
    expect(await ticketsOf(world, ['1', '2', '3', '4', '5'])).toEqual({ 1: 1, 2: 2, 4: 1 });
    expect(Object.keys(await wonIn(world.url)).toSorted()).toEqual(['1', '2', '4']);
  });

  it('is drawn again without a winner who is forgotten meanwhile, and forgets winners later', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: { ...weekly, winners: 2 } });
    const { store } = world;
    const forget = (userId: string) =>
      forgetMember(store.memberData, userId, { pseudonym: createPseudonym(), now: world.now(), keepVotesMs: day });
    await world.open();
    for (const userId of ['1', '2']) await vote(world, userId, monday);
    await world.goTo(end + hour);
    const raffle = await store.raffles.ofPeriod(world.community().id, 'week 2026-W45');
    if (raffle === null) throw new Error('no raffle');
    const { communityId, raffleId } = raffle;
    await forget('1');
    const stale = { communityId, raffleId, winners: ['2', '1'], ticketsHash: '', file: 'stale' };
    expect(await store.raffles.draw(stale, null, world.now())).toBe('changed');
    expect(await wonIn(world.url)).toEqual({});
    await world.draw();
    expect(await wonIn(world.url)).toEqual({ 2: [300] });
    await forget('2');
    expect((await world.statusOf('3')).last?.winners).toEqual([]);
    expect(JSON.parse((await world.published()) ?? '').winners).toHaveLength(1);
    expect(await isConsistent(world.url)).toBe(true);
  });

  it('is that of one community, although another has one of the same period', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: weekly });
    const { store } = world;
    await world.open();
    await vote(world, '1', monday, 1, 0);
    await vote(world, '2', monday, 1, 1);
    const [first, second] = [world.community(0).id, world.community(1).id];
    const [raffle, other] = await Promise.all([first, second].map((id) => store.raffles.ofPeriod(id, 'week 2026-W45')));
    if (!raffle || !other) throw new Error('no raffle');
    expect(raffle.raffleId).not.toBe(other.raffleId);
    expect(raffle.memberKey).not.toBe(other.memberKey);
    await world.goTo(end + hour);
    // The key of one with the raffle of the other.
    const mixed = { communityId: first, raffleId: other.raffleId };
    expect(await store.raffles.find(mixed)).toBe(null);
    await store.raffles.cancel(mixed);
    await store.raffles.draw({ ...mixed, winners: ['1'], ticketsHash: '', file: '' }, null, world.now());
    expect(await wonIn(world.url)).toEqual({});
    expect(await world.draw()).toBe(2);
    expect([await wonIn(world.url, 0), await wonIn(world.url, 1)]).toEqual([{ 1: [300] }, { 2: [300] }]);
    expect((await world.statusOf('1', 1)).last).toMatchObject({ winners: ['2'], tickets: 0 });
    expect((await world.statusOf('2', 1)).last).toMatchObject({ winners: ['2'], tickets: 1 });
  });

  it('keeps the terms with which it has begun, and is cancelled if there are none any more at its end', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: { ...weekly, winners: 1 } });
    await world.open();
    for (const userId of ['1', '2', '3']) await vote(world, userId, monday);
    world.configure({ raffle: { ...weekly, winners: 2, credits: 5 } });
    await world.open();
    expect((await world.statusOf('1')).current?.rules).toMatchObject({ winners: 1, credits: 300 });
    await world.goTo(end);
    await world.open();
    for (const userId of ['1', '2', '3']) await vote(world, userId, end);
    await world.goTo(end + hour);
    await world.draw();
    expect(Object.values(await wonIn(world.url))).toEqual([[300]]);
    world.configure({});
    await world.goTo(end + week + hour);
    expect(await world.draw()).toBe(2);
    expect(Object.values(await wonIn(world.url))).toEqual([[300]]);
    // The period is over: it cannot be won after all.
    world.configure({ raffle: weekly });
    await world.open();
    expect(await world.draw()).toBe(0);
    const { id } = world.community();
    expect(await world.store.raffles.ofPeriod(id, 'week 2026-W46')).toMatchObject({ state: 'cancelled' });
    expect(await world.store.raffles.ofPeriod(id, 'week 2026-W47')).toMatchObject({
      state: 'open',
      openedAt: world.now(),
    });
  });

  it('has a period that was open when it could be announced, and is not drawn before its end', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: weekly });
    await world.open();
    await vote(world, '1', monday);
    await world.goTo(end + hour);
    const effects = await world.due();
    // The clock is set back.
    const early = await openWorld(world.url, end - hour, { raffle: weekly });
    for (const effect of effects) expect(await early.handler(effect)).toMatchObject({ outcome: 'later' });
    expect(await world.published()).toBe(null);
    // Nobody could have seen the digest of a seed for the weeks in which nothing ran.
    await world.goTo(end + 3 * week);
    await world.open();
    const periods = ['week 2026-W46', 'week 2026-W48', 'week 2026-W49'].map((period) =>
      world.store.raffles.ofPeriod(world.community().id, period),
    );
    expect((await Promise.all(periods)).map((each) => each?.state)).toEqual([undefined, undefined, 'open']);
  });

  it('lets nobody assign pseudonyms to members once the next one is drawn, and is deleted after a year', async () => {
    const world = await openWorld(newUrl(), monday, { raffle: weekly });
    const { store } = world;
    const { id } = world.community();
    const period = (name: string) => store.raffles.ofPeriod(id, name);
    for (const start of [monday, end]) {
      await world.goTo(start);
      await world.open();
      await vote(world, '1', start);
    }
    await world.goTo(end + hour);
    await world.draw();
    const first = await period('week 2026-W45');
    expect(first?.memberKey).toEqual(expect.any(String));
    await world.goTo(end + week + hour);
    await world.draw();
    expect((await period('week 2026-W45'))?.memberKey).toBe(null);
    expect((await period('week 2026-W46'))?.memberKey).toEqual(expect.any(String));
    const lastWeek = monday + 53 * week;
    await world.goTo(lastWeek);
    await world.open();
    await world.goTo(lastWeek + week + hour);
    expect(await store.raffles.published(first?.raffleId ?? '')).toMatchObject({ state: 'drawn' });
    await world.draw();
    expect(await store.raffles.published(first?.raffleId ?? '')).toBe(null);
    expect(await period('week 2026-W46')).not.toBe(null);
  });
});
