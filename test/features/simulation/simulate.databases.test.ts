import { day, hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { accountIdOf } from '../../../src/core/ledger/account.ts';
import { partyKey } from '../../../src/features/party/rules.ts';
import type { RuleChange } from '../../../src/features/simulation/feature.ts';
import type { Store } from '../../../src/features/store.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { premiumFor, recordVote } from '../../support/record-vote.ts';
import {
  castVote,
  guildId,
  type Installation,
  installation,
  isConsistent,
  monday,
  openLedger,
  rulesFile,
  runRewards,
} from '../../support/voting.ts';

const [mira, aiko, tomas] = ['1', '2', '3'];
const otherGuild = '700000000000000009';
/** Noon on a day of January 2026, which begins on a Thursday. */
const january = (date: number) => Date.UTC(2026, 0, date, 12);
/** Thirty days before the changes of the tests, which are made on 4 February. */
const since = monday;

const voters = ['1', '2', '3', '4', '5'];
const everyRule = {
  ...{ vote: 10, whenDenied: 3, multipliers: [{ factor: 1.5, days: ['saturday', 'sunday'] }] },
  streak: { every: 3, credits: 50, forgive: 4 },
  milestones: [
    { votes: 2, credits: 100 },
    { everyVotes: 4, credits: 5 },
    { votes: 3, per: 'week', credits: 8 },
    { votes: 5, per: 'month', credits: 9 },
  ],
  ...{ firstVote: 5, luck: [{ chance: 0.4, credits: 7, name: 'Jackpot' }] },
  ...{ allListings: 20, party: { goal: 12, per: 'week', credits: 25 } },
};

/** Three weeks of votes by five members, some denied, some with a number of credits of their own, all paid. */
async function castManyVotes(store: Store, community: Installation): Promise<void> {
  for (let number = 0; number < 21; number += 1) {
    for (const [index, userId] of voters.entries()) {
      if ((number * 7 + index * 3) % (index + 2) !== 0) continue;
      const at = monday + number * day + index * hour;
      const creditsAwarded = number % 5 === 1 ? 7 : number % 6 === 2 ? false : null;
      await castVote(store, community, userId, at, { creditsAwarded });
      if (number % 2 === 0) await castVote(store, community, userId, at + 60_000, { listing: 'pier' });
      // Within the cooldown.
      if (number % 4 === 0) await castVote(store, community, userId, at + 2 * hour);
    }
  }
  // The party pays by an effect, which nobody performs here.
  for (const [week, first] of [
    ['week 2026-W02', 20_458],
    ['week 2026-W03', 20_465],
    ['week 2026-W04', 20_472],
  ] as const) {
    await store.party.pay(
      { period: partyKey(firstCommunity, week), goal: 12, credits: 25, day: first },
      monday + 30 * day,
    );
  }
}

function simulate(
  store: Store,
  [before, after]: readonly [object, object],
  options: Partial<Pick<RuleChange, 'communityId' | 'since' | 'maxEntries' | 'signal'>> = {},
  guards: object = {},
) {
  const listingsWith = (rewards: object) => installation('sqlite:unused.db', rewards, { guards }).listings;
  const rules = { before: listingsWith(before), after: listingsWith(after) };
  const { signal } = new AbortController();
  return store.simulation.simulateCredits({
    communityId: firstCommunity,
    ...rules,
    since,
    now: since + 30 * day,
    maxEntries: 100,
    signal,
    ...options,
  });
}

describeOnEveryDatabase('what other rules would have paid', (newUrl) => {
  /** Mira votes on some days, before and after; Aiko once, for which the service says a number; Tomas only before. */
  async function january2026() {
    const url = newUrl();
    const community = installation(url, { vote: 10 });
    const store = await openLedger(url);
    for (const date of [2, 3, 4, 6, 7, 10]) await castVote(store, community, mira, january(date));
    await castVote(store, community, mira, january(20), { creditsAwarded: false });
    await castVote(store, community, aiko, january(10) + hour, { creditsAwarded: 40 });
    await castVote(store, community, tomas, january(4));
    return { url, community, store };
  }

  it('pays the votes of the last 30 days again, and writes nothing', async () => {
    const { url, store } = await january2026();
    // Three votes of Mira, and what the service said for Aiko's.
    const before = 3 * 10 + 40;
    // 6 and 7 January, the double one on Saturday 10 January, and the denied one; Aiko's is double as well.
    const votes = 12 + 12 + 24 + 3 + 80;
    const changed = { vote: 12, whenDenied: 3, multipliers: [{ factor: 2, days: ['saturday', 'sunday'] }] };
    expect(await simulate(store, [{ vote: 10 }, changed])).toEqual({ before, after: votes });
    expect(await store.ledgerIn(firstCommunity).account(mira)).toMatchObject({ credits: 60 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('finds what was really paid for all votes by the rules that were in force', async () => {
    const store = await openLedger(newUrl());
    await castManyVotes(store, installation('sqlite:unused.db', everyRule));
    const accounts = await Promise.all(voters.map((userId) => store.ledgerIn(firstCommunity).account(userId)));
    const paid = accounts.reduce((sum, { credits }) => sum + credits, 0);
    expect(paid).toBeGreaterThan(1_000);
    const all = { since: 0, maxEntries: 1_000 };
    expect(await simulate(store, [everyRule, {}], all)).toMatchObject({ before: paid });
  });

  it('counts earlier votes for streaks and milestones, whose rewards before do not count', async () => {
    const { store } = await january2026();
    const vote = { vote: 0 };
    const without = { before: 40, after: 40 };
    // The third vote was on 4 January, the fifth on 7 January.
    expect(await simulate(store, [vote, { ...vote, milestones: [{ votes: 3, credits: 500 }] }])).toEqual(without);
    expect(await simulate(store, [vote, { ...vote, milestones: [{ votes: 5, credits: 100 }] }])).toEqual({
      ...without,
      after: 140,
    });
    // From 2 to 6 January four days are counted, and one is missed. No other four follow each other like this.
    const streak = { every: 4, credits: 50, forgive: 1 };
    expect(await simulate(store, [vote, { ...vote, streak }])).toEqual({ ...without, after: 90 });
    // From 2 to 4 January: before.
    expect(await simulate(store, [vote, { ...vote, streak: { ...streak, every: 3, forgive: 0 } }])).toEqual(without);
  });

  it('has the bonuses of parties and of all listings as of the beginning of their days and months', async () => {
    const { community, store } = await january2026();
    // Hours too early to be paid, but in the month, and with the bonus of the day.
    await castVote(store, community, tomas, january(5) - 4 * hour);
    await castVote(store, community, tomas, january(5) - 3 * hour, { listing: 'pier' });
    await castVote(store, community, tomas, january(5) + 9 * hour);
    await castVote(store, community, mira, january(6) + hour, { listing: 'pier' });
    const vote = { vote: 1 };
    const before = 5 + 40;
    // Aiko's vote is the twelfth of the month, and reaches the goal: all three are paid.
    const party = { goal: 12, per: 'month', credits: 25 };
    expect(await simulate(store, [vote, { ...vote, party }])).toEqual({ before, after: before + 3 * 25 });
    // Mira's on 6 January.
    expect(await simulate(store, [vote, { ...vote, allListings: 20 }])).toEqual({ before, after: before + 20 });
  });

  it('gives the prizes of the weeks and months that were settled in that time', async () => {
    const { store } = await january2026();
    // Three votes of Mira, and what the service said for Aiko's.
    const votes = 3 + 40;
    const prizesOf = async (board: object, guards: object = {}) => {
      const places = [{ from: 1, credits: 100 }];
      const after = { vote: 1, prizes: [{ per: 'week', by: 'votes', places, ...board }] };
      const paid = await simulate(store, [{ vote: 1 }, after], { since: since - 12 * hour }, guards);
      expect(paid?.before).toBe(votes);
      return (paid?.after ?? 0) - votes;
    };
    // Mira has the most votes in the weeks to 4, 11 and 25 January; the first one is settled within the 30 days.
    expect(await prizesOf({})).toBe(300);
    expect(await prizesOf({ minVotes: 2 })).toBe(200);
    // The streaks of two members end on 4 January at the earliest, those of later weeks before their ends.
    expect(await prizesOf({ by: 'streak', places: [{ from: 1, to: 2, credits: 9 }] })).toBe(18);
    // Aiko has 40 of the month, and Mira six.
    const places = [
      { from: 1, credits: 7 },
      { from: 2, credits: 3 },
    ];
    expect(await prizesOf({ per: 'month', by: 'credits', places })).toBe(10);
    // Tomas and Aiko move up.
    const role = '700000000000000001';
    await store.roles.seeRoles(accountIdOf(firstCommunity, mira), [role]);
    expect(await prizesOf({}, { hiddenRoles: [role] })).toBe(200);
  });

  it('pays the winners of raffles of that time, as many as have voted in each', async () => {
    const { store } = await january2026();
    const raffle = { per: 'week', winners: 2, credits: 100 };
    const paidFor = async (rules: object, guards: object = {}) => {
      const after = { vote: 1, raffle: { ...raffle, ...rules } };
      const paid = await simulate(store, [{ vote: 1 }, after], { since: since - 12 * hour }, guards);
      return (paid?.after ?? 0) - (paid?.before ?? 0);
    };
    // Two members have voted in the weeks to 4 and 11 January, Mira alone in that to 25 January, and three in the month.
    expect(await paidFor({})).toBe(500);
    expect(await paidFor({ winners: 1 })).toBe(300);
    expect(await paidFor({ per: 'month', winners: 25 })).toBe(300);
    const role = '700000000000000001';
    await store.roles.seeRoles(accountIdOf(firstCommunity, mira), [role]);
    expect(await paidFor({}, { hiddenRoles: [role] })).toBe(200);
  });

  it('pays purchases again', async () => {
    const { community, store } = await january2026();
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    for (const at of [january(4), january(8)]) {
      const bought = premiumFor(aiko, { orderIds: [`order ${at}`], at });
      const body = JSON.stringify({ event: bought.kind, userId: aiko });
      await store.recorder.record(
        { receivedAt: at, family: 'premium', body },
        { type: 'event', listing, event: bought },
      );
    }
    expect(await simulate(store, [{ premium: 100 }, { premium: 250 }])).toEqual({ before: 70 + 100, after: 70 + 250 });
  });

  it('is nothing without votes in the last 30 days', async () => {
    const { community, store } = await january2026();
    const late = { communityId: await addCommunity(store, otherGuild) };
    expect(await simulate(store, [{}, { vote: 20 }], late)).toBe(null);
    const empty = await openLedger(newUrl());
    await castVote(empty, community, tomas, january(4));
    expect(await simulate(empty, [{}, { vote: 20 }])).toBe(null);
  });

  it('is nothing where it would take too long', async () => {
    const { store } = await january2026();
    expect(await simulate(store, [{}, {}], { signal: AbortSignal.abort() })).toBe(null);
    // Seven of Mira, one of Aiko, one of Tomas.
    expect(await simulate(store, [{}, {}], { maxEntries: 9 })).toEqual({ before: 70, after: 70 });
    expect(await simulate(store, [{}, {}], { maxEntries: 8 })).toBe(null);
  });

  it('reads only the members of the community', async () => {
    const { store } = await january2026();
    const [harbour] = installation(newUrl(), { vote: 10 }).listings;
    if (harbour === undefined) throw new Error('no listing');
    const communityId = await addCommunity(store, otherGuild);
    const bees = { ...harbour, community: { ...harbour.community, id: communityId } };
    await recordVote(store, bees, mira, january(8));
    expect(await simulate(store, [{}, { vote: 20 }])).toEqual({ before: 70, after: 100 });
    expect(await simulate(store, [{}, { vote: 20 }], { communityId })).toEqual({ before: 10, after: 20 });
  });
});

/** Noon in UTC, ten days ago: the command line goes by the time of the machine. */
const firstNoon = (Math.floor(Date.now() / day) - 10) * day + 12 * hour;

async function threeDays(url: string, rewards: object = { vote: 10 }) {
  const community = installation(url, rewards);
  const store = await openLedger(url, Date.now());
  for (const number of [0, 1, 2]) await castVote(store, community, '1', firstNoon + number * day + 11.5 * hour);
  await castVote(store, community, '2', firstNoon, { creditsAwarded: 40 });
  return { community, store };
}

/** What the rules of the file would have paid all members. */
async function credits(community: Installation, rules: object, ...args: readonly string[]) {
  const file = rulesFile(rules);
  const { code, stdout, stderr } = await runRewards(community, 'simulate', '--rules', file, '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).credits?.after;
}

describe('tallyhook rewards simulate', () => {
  it('reports what other rules would have paid, and changes nothing', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays(newSqliteUrl());
    // 23:30 UTC is the next day in Berlin, so the two votes of the first day are on different days.
    expect(await credits(community, { timeZone: 'Europe/Berlin', party: { goal: 2, per: 'day', credits: 5 } })).toBe(
      70,
    );
    const rules = rulesFile({ vote: 1, streak: { every: 2, credits: 500 } });
    const { stdout } = await runRewards(community, 'simulate', '--rules', rules);
    expect(stdout).toContain('the rules in force would have paid 70 credits, these rules 543 credits.');
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 30 });
    const url = newSqliteUrl();
    await openLedger(url);
    const empty = await runRewards(installation(url, {}), 'simulate', '--rules', rules);
    expect(empty.stdout).toContain('Nobody has voted in the last 30 days');
  });

  it('rejects wrong usage and wrong rules with a hint', { timeout: 120_000 }, async () => {
    const { community } = await threeDays(newSqliteUrl());
    const run = async (...args: readonly string[]) => await runRewards(community, ...args);
    expect(await run('simulate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("option '--rules <file>' not specified"),
    });
    expect(await run('simulat')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean simulate?') });
    const wrong = rulesFile({ vote: -1, streek: {}, guildId });
    expect(await run('simulate', '--rules', wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--rules vote is invalid[\s\S]*"streek"/),
    });
    const listing = await run('simulate', '--rules', rulesFile({}), '--listing', 'pear');
    expect(listing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no listing "pear"') });
  });
});
