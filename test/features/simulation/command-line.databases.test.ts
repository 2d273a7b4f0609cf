import { day, hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { recordVote } from '../../support/record-vote.ts';
import {
  castVote,
  guildId,
  type Installation,
  installation,
  openLedger,
  rulesFile,
  runRewards,
} from '../../support/voting.ts';

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

function simulationTests(newUrl: () => string): void {
  it('reports what other rules would have paid, and changes nothing', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays(newUrl());
    expect(await credits(community, {})).toBe(30 + 40);
    expect(await credits(community, { vote: 2, streak: { every: 3, credits: 50 } })).toBe(56 + 40);
    expect(await credits(community, { party: { goal: 2, per: 'day', credits: 5 } })).toBe(35 + 45);
    // 23:30 UTC is the next day in Berlin, so the two votes of the first day are on different days.
    expect(await credits(community, { timeZone: 'Europe/Berlin', party: { goal: 2, per: 'day', credits: 5 } })).toBe(
      70,
    );
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 30 });
  });
}

describe('tallyhook rewards simulate', () => {
  describeOnEveryDatabase('the simulation', simulationTests);

  it('knows the listings and rules of /setup, of one community at a time', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays(newSqliteUrl());
    const linkedGuild = '613425648685547599';
    const change = (listing: string, path: string, value: unknown) => ({
      ...{ listing, path },
      after: { value: JSON.stringify(value), sealed: null },
    });
    await store.settings.save({
      ...{ guildId: linkedGuild, authorId: '7', interactionId: '1', at: firstNoon, basis: null, undoes: null },
      values: [change('linked', 'link', { kind: 'server', id: linkedGuild }), change('linked', 'rewards.vote', 7)],
    });
    const double = { multipliers: [{ factor: 2 }] };
    const several = await runRewards(community, 'simulate', '--rules', rulesFile(double));
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/several communities.*harbour, pier, linked/),
    });
    expect(await credits(community, double, '--listing', 'harbour')).toBe(60 + 80);
    expect(await credits(community, double, '--listing', 'linked')).toBe(undefined);
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    const own = { id: await addCommunity(store, linkedGuild), guildId: linkedGuild, listings: ['linked'] };
    const linked = { ...listing, name: 'linked', community: { ...listing.community, ...own } };
    await recordVote(store, linked, '3', firstNoon);
    expect(await credits(community, double, '--listing', 'linked')).toBe(14);
  });

  it('applies rules to one listing only', { timeout: 120_000 }, async () => {
    const { community, store } = await threeDays(newSqliteUrl());
    await castVote(store, community, '1', firstNoon, { listing: 'pier' });
    const double = { multipliers: [{ factor: 2 }] };
    expect(await credits(community, double, '--listing', 'pier')).toBe(30 + 20 + 40);
    expect(await credits(community, double, '--listing', 'harbour')).toBe(60 + 10 + 80);
  });

  it('prints a sentence for people', { timeout: 120_000 }, async () => {
    const { community } = await threeDays(newSqliteUrl());
    const rules = rulesFile({ vote: 1, streak: { every: 2, credits: 500 } });
    const { stdout } = await runRewards(community, 'simulate', '--rules', rules);
    expect(stdout).toContain('the rules in force would have paid 70 credits, these rules 543 credits.');
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
