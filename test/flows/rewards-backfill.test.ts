import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { listingsWithCommunity } from '../../src/app/listings.ts';
import { day, hour } from '../../src/platform/durations.ts';
import type { Store } from '../../src/store/store.ts';
import { withoutSecrets } from '../../src/webhook/listing.ts';
import { describeOnEveryDatabase } from '../contracts/databases.ts';
import { homeAccount } from '../support/home-account.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { recordVote } from '../support/record-vote.ts';
import { launcher } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  castVote,
  type Installation,
  installation,
  isConsistent,
  monday,
  openLedger,
  rulesFile,
  runRewards,
} from '../support/voting.ts';

const milestoneRole = '700000000000000002';
const rules = {
  vote: 10,
  streak: { every: 3, credits: 50, forgive: 1 },
  milestones: [
    { votes: 2, credits: 100, role: milestoneRole },
    { everyVotes: 4, credits: 5 },
  ],
  allListings: 20,
  party: { goal: 12, per: 'week', credits: 25 },
};

const userIds = ['1', '2', '3'];

/** Votes of a number of days from a day on: user 1 daily, 2 every other day, 3 every third. */
async function castVotes(store: Store, community: Installation, first: number, days: number): Promise<void> {
  for (let number = first; number < first + days; number += 1) {
    for (const userId of userIds.filter((id) => number % Number(id) === 0)) {
      await castVote(store, community, userId, monday + number * day);
      if (number % 2 === 0) await castVote(store, community, userId, monday + number * day, { listing: 'pier' });
    }
  }
}

/** By cause: entries and credits that were paid, and that the rules would have paid from the first vote on. */
async function comparison(community: Installation): Promise<Record<string, { paid: unknown; simulated: unknown }>> {
  const { stdout } = await runRewards(community, 'simulate', '--rules', rulesFile(rules), '--json');
  const { causes } = JSON.parse(stdout).summary;
  return Object.fromEntries(
    causes.map(({ cause, ...sums }: { cause: string; paid: unknown; simulated: unknown }) => [cause, sums]),
  );
}

async function backfill(community: Installation, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runRewards(community, 'backfill', '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

function backfillTests(newUrl: () => string): void {
  it('pays what the rules would have paid from the first vote on, once', { timeout: 60_000 }, async () => {
    const url = newUrl();
    const before = installation(url, { vote: 10 });
    const community = installation(url, rules);
    const store = await openLedger(url, monday + 200 * day);
    // Half a year without rules, in which no multiple of the steps begins at the start of a window.
    await castVotes(store, before, 0, 23);
    await castVotes(store, before, 150, 24);
    // Some days with the rules: a first milestone of every fourth vote, streaks, and bonuses.
    await castVotes(store, community, 174, 8);

    const planned = await backfill(community, '--dry-run');
    expect(planned).toMatchObject({ paid: false, members: 3, roles: 0 });
    const earlier = await comparison(community);
    expect(earlier['milestone']?.paid).not.toEqual(earlier['milestone']?.simulated);

    expect(await backfill(community, '--yes')).toEqual({ ...planned, paid: true });
    const { party: _, ...afterwards } = await comparison(community);
    for (const { paid, simulated } of Object.values(afterwards)) expect(paid).toEqual(simulated);
    expect(await isConsistent(url)).toBe(true);
    expect(await backfill(community, '--yes')).toMatchObject({ paid: false, members: 0, causes: [] });

    // Later votes, and one that arrives late, are paid once.
    // Another vote of a day whose bonus is paid: just outside of the cooldown, but on the same calendar day.
    await castVote(store, community, '1', monday + 170 * day - 11.97 * hour);
    await castVotes(store, community, 182, 30);
    await castVote(store, community, '3', monday + 181 * day);
    await castVote(store, community, '3', monday + 181 * day, { listing: 'pier' });
    const { party: _party, ...others } = await comparison(community);
    for (const { paid, simulated } of Object.values(others)) expect(paid).toEqual(simulated);
    expect(await isConsistent(url)).toBe(true);
  });

  it('pays parties that have ended, and a late vote for one, once', { timeout: 60_000 }, async () => {
    const url = newUrl();
    const store = await openLedger(url, monday + 200 * day);
    const community = installation(url, rules);
    await castVotes(store, installation(url, { vote: 10 }), 0, 21);
    await backfill(community, '--yes');
    const paid = await comparison(community);
    expect(paid['party']?.paid).toEqual(paid['party']?.simulated);
    expect(paid['party']?.paid).toMatchObject({ entries: 9 });
    // Of one who was paid, and of one who did not vote in that week.
    const week = { period: 'week 2026-W02', goal: 12, credits: 25, day: 20_458 };
    await castVote(store, community, '1', monday + 13 * hour);
    await castVote(store, community, '9', monday + hour);
    await store.rewards.payParty(week, monday + 200 * day);
    expect(await store.ledger.account('9')).toMatchObject({ credits: 10 + 25 });
    expect((await comparison(community))['party']?.paid).toMatchObject({ entries: 10 });
    expect(await backfill(community, '--yes')).toMatchObject({ paid: false, members: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('grants the roles of milestones', { timeout: 60_000 }, async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, { milestones: [{ votes: 2, role: milestoneRole }] });
    await castVotes(store, installation(url, {}), 0, 4);
    expect(await backfill(community, '--yes')).toMatchObject({ paid: true, members: 3, roles: 3, causes: [] });
    expect(await store.rewards.isGranted({ userId: '1', role: milestoneRole }, monday)).toBe(true);
    const effects = await store.records.effects({ state: 'waiting', before: null, limit: 10 });
    expect(effects.map(({ kind }) => kind)).toEqual(['role', 'role', 'role']);
    expect(await backfill(community, '--yes')).toMatchObject({ members: 0, roles: 0 });
  });
}

describe('tallyhook rewards backfill', () => {
  describeOnEveryDatabase('the backfill', backfillTests);

  it('pays each community of the file by its own votes, into its own accounts', { timeout: 30_000 }, async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(url);
    const [first, second] = ['1000', '2000'];
    const install = (own: object) => {
      const listings = [first, second].map((guildId) => ({
        ...harbour,
        name: `in-${guildId}`,
        id: guildId,
        guildId,
        rewards: own,
      }));
      const environment = { ...environmentWith(listings), DATABASE_URL: url };
      return { environment, listings: listingsWithCommunity(loadConfig(environment).listings, first) };
    };
    await store.installation.home(first, [first, second]);
    const vote = (name: string, userId: string, number: number) => {
      const listing = install({}).listings.find((each) => each.name === name);
      if (listing === undefined) throw new Error('no listing');
      return recordVote(store, withoutSecrets(listing), userId, monday + number * day);
    };
    // A vote for each community reaches nothing; two for one do, there alone.
    await vote('in-1000', '1', 0);
    await vote('in-2000', '1', 0);
    await vote('in-2000', '2', 0);
    await vote('in-2000', '2', 1);
    const { environment } = install({ milestones: [{ votes: 2, credits: 100 }] });
    const { code, stdout } = await runRewards({ environment }, 'backfill', '--json', '--yes');
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      ...{ code: 0, paid: true, members: 1, roles: 0 },
      causes: [{ cause: 'milestone', entries: 1, credits: 100 }],
    });
    expect((await store.ledgerIn(second).account('2')).credits).toBe(120);
    expect(await store.ledger.account('2')).toMatchObject({ credits: 0, votes: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('writes the reason into the entries', { timeout: 30_000 }, async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(url);
    await castVotes(store, installation(url, { vote: 10 }), 0, 3);
    await backfill(installation(url, rules), '--yes');
    const entries = await store.records.entries(homeAccount('1'), 10);
    expect(entries.filter(({ cause }) => cause !== 'vote').map(({ cause, reason }) => [cause, reason])).toEqual(
      expect.arrayContaining([
        ['streak', '3 days on 2026-01-07, before the rules'],
        ['milestone', '2 votes, before the rules'],
        ['allListings', '2026-01-05, before the rules'],
      ]),
    );
  });

  it('pays nothing without a confirmation', { timeout: 30_000 }, async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(url);
    await castVotes(store, installation(url, { vote: 10 }), 0, 3);
    const community = installation(url, rules);
    expect(await runRewards(community, 'backfill')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/3 members would receive .*[\s\S]*Use --yes/),
    });
    expect(await store.ledger.account('1')).toMatchObject({ credits: 50 });
  });

  it('is complete after it was killed again and again', { timeout: 120_000 }, async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(url);
    const before = installation(url, { vote: 10 });
    const community = installation(url, { ...rules, party: undefined });
    const members = Array.from({ length: 400 }, (_, index) => String(1_000 + index));
    await Promise.all(
      members.flatMap((userId) =>
        [0, 1, 2, 3].map((number) => castVote(store, before, userId, monday + number * day + hour)),
      ),
    );
    const sums = [];
    for (let round = 0; round < 20; round += 1) {
      const env = { PATH: process.env['PATH'] ?? '', ...community.environment };
      const child = spawn(process.execPath, [launcher, 'rewards', 'backfill', '--yes'], { env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // Until it pays, which takes longer on a busy machine.
      const paidBefore = (await store.records.counts()).credits;
      while (child.exitCode === null && (await store.records.counts()).credits === paidBefore) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      sums.push((await store.records.counts()).credits);
      if (sums.at(-1) === sums.at(-2)) break;
    }
    expect(new Set(sums).size).toBeGreaterThan(2);
    await backfill(community, '--yes');
    // Four votes, a streak, two milestones.
    expect((await store.records.counts()).credits).toBe(400 * (4 * 10 + 50 + 100 + 5));
    expect(await isConsistent(url)).toBe(true);
  });
});
