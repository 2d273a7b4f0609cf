import { describe, expect, it } from 'vitest';
import { partyKey } from '../../src/features/party/rules.ts';
import type { Store } from '../../src/features/store.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { describeOnEveryDatabase } from '../contracts/databases.ts';
import { addCommunity, firstCommunity } from '../support/communities.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { recordVote } from '../support/record-vote.ts';
import {
  castVote,
  guildId,
  type Installation,
  installation,
  monday,
  openLedger,
  rulesFile,
  runRewards,
} from '../support/voting.ts';

const everyRule = {
  vote: 10,
  whenDenied: 3,
  multipliers: [{ factor: 1.5, days: ['saturday', 'sunday'] }],
  streak: { every: 3, credits: 50, forgive: 4 },
  milestones: [
    { votes: 2, credits: 100 },
    { everyVotes: 4, credits: 5 },
  ],
  allListings: 20,
  party: { goal: 12, per: 'week', credits: 25 },
};

/** Three weeks of votes by five members, some denied, some with a number of credits of their own. */
async function castVotes(store: Store, community: Installation): Promise<void> {
  for (let number = 0; number < 21; number += 1) {
    for (const [index, userId] of ['1', '2', '3', '4', '5'].entries()) {
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

function simulationTests(newUrl: () => string): void {
  it('finds no difference to the rules that were in force', { timeout: 120_000 }, async () => {
    const url = newUrl();
    const community = installation(url, everyRule);
    await castVotes(await openLedger(url), community);
    const { code, stdout } = await runRewards(community, 'simulate', '--rules', rulesFile(everyRule), '--json');
    expect(code).toBe(0);
    const { members, summary } = JSON.parse(stdout);
    expect(members).toHaveLength(5);
    for (const member of members) expect(member).toMatchObject({ simulated: member.paid, difference: 0 });
    for (const { paid, simulated } of summary.causes) expect(simulated).toEqual(paid);
    expect(summary.causes.map(({ cause }: { cause: string }) => cause).toSorted()).toEqual([
      'allListings',
      'denied',
      'milestone',
      'party',
      'streak',
      'vote',
    ]);
    expect(summary.total.paid).toBeGreaterThan(1_000);
  });
}

describe('tallyhook rewards simulate', () => {
  describeOnEveryDatabase('the simulation', simulationTests);

  async function threeDays(rewards: object = { vote: 10 }) {
    const url = newSqliteUrl();
    const community = installation(url, rewards);
    const store = await openLedger(url);
    for (const number of [0, 1, 2]) await castVote(store, community, '1', monday + number * day + 11.5 * hour);
    await castVote(store, community, '2', monday, { creditsAwarded: 40 });
    return { url, community, store };
  }

  async function totals(community: Installation, rules: object, ...args: readonly string[]) {
    const { code, stdout, stderr } = await runRewards(
      community,
      'simulate',
      '--rules',
      rulesFile(rules),
      '--json',
      ...args,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { members } = JSON.parse(stdout);
    return members.map(({ simulated }: { simulated: number }) => simulated);
  }

  it('reports what other rules would have paid, and changes nothing', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays();
    expect(await totals(community, {})).toEqual([30, 40]);
    expect(await totals(community, { vote: 2, streak: { every: 3, credits: 50 } })).toEqual([56, 40]);
    expect(await totals(community, { milestones: [{ votes: 2, credits: 100 }] })).toEqual([130, 40]);
    expect(await totals(community, { multipliers: [{ factor: 2 }] })).toEqual([60, 80]);
    expect(await totals(community, { party: { goal: 2, per: 'day', credits: 5 } })).toEqual([35, 45]);
    // 23:30 UTC is the next day in Berlin, so the two votes of Monday are on different days.
    expect(await totals(community, { timeZone: 'Europe/Berlin', party: { goal: 2, per: 'day', credits: 5 } })).toEqual([
      30, 40,
    ]);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 30 });
  });

  it('knows the listings and rules of /setup, of one community at a time', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays();
    const linkedGuild = '613425648685547599';
    const change = (listing: string, path: string, value: unknown) => ({
      ...{ listing, path },
      after: { value: JSON.stringify(value), sealed: null },
    });
    await store.settings.save({
      ...{ guildId: linkedGuild, authorId: '7', interactionId: '1', at: monday, basis: null, undoes: null },
      values: [change('linked', 'link', { kind: 'server', id: linkedGuild }), change('linked', 'rewards.vote', 7)],
    });
    const rules = rulesFile({ multipliers: [{ factor: 2 }] });
    const several = await runRewards(community, 'simulate', '--rules', rules);
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/several communities.*harbour, pier, linked/),
    });
    expect(await totals(community, { multipliers: [{ factor: 2 }] }, '--listing', 'harbour')).toEqual([60, 80]);
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    const own = { id: await addCommunity(store, linkedGuild), guildId: linkedGuild, listings: ['linked'] };
    const linked = { ...listing, name: 'linked', community: { ...listing.community, ...own } };
    await recordVote(store, linked, '3', monday);
    expect(await totals(community, { multipliers: [{ factor: 2 }] }, '--listing', 'linked')).toEqual([14]);
  });

  it('applies rules to one listing only', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays();
    await castVote(store, community, '1', monday, { listing: 'pier' });
    const double = { multipliers: [{ factor: 2 }] };
    expect(await totals(community, double, '--listing', 'pier')).toEqual([30 + 20, 40]);
    expect(await totals(community, double, '--listing', 'harbour')).toEqual([60 + 10, 80]);
  });

  it('prints a report for people, and CSV', { timeout: 120_000 }, async () => {
    const { community } = await threeDays();
    const rules = rulesFile({ vote: 1, streak: { every: 2, credits: 500 } });
    const report = await runRewards(community, 'simulate', '--rules', rules);
    expect(report.stdout).toMatch(/^4 counted votes of 2 members/);
    expect(report.stdout).toMatch(/^streak +0 +500 +\+500$/m);
    expect(report.stdout).toMatch(/^total +70 +543 +\+473$/m);
    expect(report.stdout).toMatch(/^1 +30 +503 +\+473$/m);
    const csv = await runRewards(community, 'simulate', '--rules', rules, '--csv');
    expect(csv.stdout).toBe('userId,paid,simulated,difference\r\n1,30,503,473\r\n2,40,40,0\r\n');
    expect(csv.stderr).toContain('total');
  });

  it('rejects wrong usage and wrong rules with a hint', { timeout: 120_000 }, async () => {
    const { community } = await threeDays();
    const run = async (...args: readonly string[]) => await runRewards(community, ...args);
    expect(await run('simulate')).toMatchObject({ code: 2, stderr: expect.stringContaining('--rules is missing') });
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
