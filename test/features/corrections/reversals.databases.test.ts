import { day, hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { createReversals } from '../../../src/features/corrections/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { castVote, guildId, installation, isConsistent, monday, openLedger } from '../../support/voting.ts';

const [voter, anchor] = ['700', '701'];
const rules = {
  vote: 10,
  streak: { every: 2, credits: 50 },
  milestones: [{ votes: 3, credits: 100, role: anchor }],
  voterRole: { role: voter, for: '12h' },
};
const today = monday + 3 * day;
const log = createLog({ level: 'silent', secrets: [] });

describeOnEveryDatabase('the reversal of votes between two times', (newUrl) => {
  async function open() {
    const url = newUrl();
    const store = await openLedger(url, today);
    const program = installation(url, rules);
    const clock = manualClock(today);
    const reversals = createReversals({ store, listingsOf: () => program.listings, clock, log });
    const cast = (userId: string, at: number, listing: 'harbour' | 'pier' = 'harbour') =>
      castVote(store, program, userId, at, { listing });
    const range = { listing: 'harbour', from: today - day, until: today + hour };
    return { url, store, reversals, cast, range, account: store.ledgerIn(firstCommunity).account };
  }

  it('takes back what they have earned, and leaves other votes alone', async () => {
    const { url, store, reversals, cast, range, account } = await open();
    for (const at of [monday + day, today - hour]) await cast('1', at);
    await cast('1', today, 'pier');
    await cast('2', today);
    await cast('3', monday);
    expect(await account('1')).toMatchObject({ credits: 130, votes: 3 });
    const planned = { members: 2, votes: 2, credits: 20 };
    expect(await reversals.preview(range)).toEqual(planned);
    expect(await account('1')).toMatchObject({ credits: 130, votes: 3 });
    expect(await reversals.reverse(range)).toEqual({ members: 2, votes: 2, credits: 120, spent: 0 });
    expect(await account('1')).toMatchObject({ credits: 20, votes: 2 });
    expect(await account('2')).toMatchObject({ credits: 0, votes: 0 });
    expect(await account('3')).toMatchObject({ credits: 10, votes: 1 });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('1', ['harbour'])).toBe(monday + day);
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('2', ['harbour'])).toBeNull();
    const standings = store.standingsIn(firstCommunity, 'UTC');
    const board = { period: 'week', by: 'credits', limit: 5, offset: 0, userId: null } as const;
    expect((await standings.leaderboard(board, today)).members).toMatchObject([
      { userId: '1', score: 20 },
      { userId: '3', score: 10 },
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes back the streak, and pays it and a milestone again when they are reached again', async () => {
    const { url, reversals, cast, range, account } = await open();
    for (const at of [today - 2 * day, today - day, today]) await cast('1', at);
    expect(await account('1')).toMatchObject({ credits: 180, votes: 3 });
    expect(await reversals.reverse(range)).toMatchObject({ members: 1, votes: 2, credits: 170 });
    expect(await account('1')).toMatchObject({ credits: 10, votes: 1 });
    for (const at of [today + day, today + 2 * day]) await cast('1', at);
    expect(await account('1')).toMatchObject({ credits: 180, votes: 3 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('changes nothing the second time, also with repeats of the deliveries', async () => {
    const { url, reversals, cast, range, account } = await open();
    await cast('1', today - day);
    await cast('1', today);
    await reversals.reverse(range);
    const before = await account('1');
    expect(await reversals.preview(range)).toEqual({ members: 0, votes: 0, credits: 0 });
    expect(await reversals.reverse(range)).toEqual({ members: 0, votes: 0, credits: 0, spent: 0 });
    expect((await cast('1', today)).outcome).toBe('duplicate');
    expect(await account('1')).toEqual(before);
    const both = await Promise.all([reversals.reverse(range), reversals.reverse(range)]);
    expect(both.map(({ votes }) => votes)).toEqual([0, 0]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes no balance below zero', async () => {
    const { url, store, reversals, cast, range, account } = await open();
    await cast('1', today);
    await store.recorder.correct(
      { userId: '1', communityId: firstCommunity, credits: -7, reason: 'shop', at: today },
      'key',
    );
    expect(await reversals.reverse(range)).toEqual({ members: 1, votes: 1, credits: 3, spent: 7 });
    expect(await account('1')).toMatchObject({ credits: 0, votes: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('ends the roles that the votes have given, or shortens them', async () => {
    const { store, reversals, cast, range } = await open();
    await cast('1', today - 2 * hour, 'pier');
    await cast('1', today);
    for (const at of [today - 26 * hour, today - 13 * hour, today]) await cast('2', at);
    const grants = async (userId: string) =>
      (await store.records.grants(userId)).map(({ role, until, guildId: guild }) => [role, until, guild]);
    expect(await grants('1')).toEqual([[voter, today + 12 * hour, guildId]]);
    expect(await grants('2')).toContainEqual([anchor, null, guildId]);
    await reversals.reverse(range);
    expect(await grants('2')).toContainEqual([anchor, today, guildId]);
    expect(await grants('1')).toEqual([[voter, today + 10 * hour, guildId]]);
    await reversals.reverse({ ...range, listing: 'pier' });
    expect(await grants('1')).toEqual([[voter, today, guildId]]);
  });

  it('goes on where it was interrupted', async () => {
    const { reversals, cast, range, account } = await open();
    await Promise.all(Array.from({ length: 45 }, (_, index) => cast(String(index + 1), today)));
    const controller = new AbortController();
    const interrupted = reversals.reverse(range, controller.signal);
    setImmediate(() => controller.abort());
    await expect(interrupted).rejects.toThrow('aborted');
    const rest = await reversals.reverse(range);
    expect(rest.votes).toBeGreaterThan(0);
    expect(await account('45')).toMatchObject({ credits: 0, votes: 0 });
    expect(await reversals.preview(range)).toMatchObject({ votes: 0 });
  });
});
