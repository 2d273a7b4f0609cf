import { expect } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import { day, hour } from '../../src/platform/durations.ts';
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

export const milestoneRole = '700000000000000002';
export const rules = {
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
export async function castVotes(store: Store, community: Installation, first: number, days: number): Promise<void> {
  for (let number = first; number < first + days; number += 1) {
    for (const userId of userIds.filter((id) => number % Number(id) === 0)) {
      await castVote(store, community, userId, monday + number * day);
      if (number % 2 === 0) await castVote(store, community, userId, monday + number * day, { listing: 'pier' });
    }
  }
}

/** By cause: entries and credits that were paid, and that the rules would have paid from the first vote on. */
export async function comparison(
  community: Installation,
): Promise<Record<string, { paid: unknown; simulated: unknown }>> {
  const { stdout } = await runRewards(community, 'simulate', '--rules', rulesFile(rules), '--json');
  const { causes } = JSON.parse(stdout).summary;
  return Object.fromEntries(
    causes.map(({ cause, ...sums }: { cause: string; paid: unknown; simulated: unknown }) => [cause, sums]),
  );
}

export async function backfill(community: Installation, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runRewards(community, 'backfill', '--json', ...args);
  const problems = stderr.split('\n').filter((line) => !line.includes(' members'));
  expect({ code, problems }).toEqual({ code: 0, problems: [''] });
  return JSON.parse(stdout);
}

/** Pays what the rules would have paid from the first vote on, and nothing twice: neither again nor for later votes. */
export async function expectBackfill(url: string): Promise<void> {
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
}
