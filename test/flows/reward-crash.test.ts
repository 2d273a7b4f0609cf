import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { listingsWithCommunity } from '../../src/app/listings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { createCalendar } from '../../src/rewards/calendar.ts';
import { decideVote } from '../../src/rewards/decide-vote.ts';
import { emptyHistory } from '../../src/rewards/history.ts';
import { creditsOf } from '../../src/rewards/reward.ts';
import type { LocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { balanceDifferences, brokenLinks, paymentDifferences } from '../../src/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/store/snapshots/open-snapshot.ts';
import { openStore } from '../../src/store/store.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { homeAccount } from '../support/home-account.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { createSender, type OutgoingDelivery } from '../support/sender.ts';
import { settings } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 6);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const days = 12;
const connections = 8;
const partyGoal = 40;

interface CastVote extends OutgoingDelivery {
  readonly userId: string;
  readonly listing: 'server' | 'bot';
  readonly at: number;
}

/** A listing file in which every rule applies to votes. */
function writeRewards(discord: LocalDiscord, directory: string): string {
  const { voter, regular, veteran, premium } = discord.roles;
  const rewards = {
    vote: 10,
    premium: 100,
    multipliers: [{ factor: 1.5, days: ['monday', 'tuesday', 'saturday'] }],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 5, credits: 100, role: regular },
      { votes: 15, credits: 7, role: veteran },
      { everyVotes: 4, credits: 3 },
    ],
    milestoneRoles: 'highest',
    voterRole: { role: voter, for: '12h' },
    premiumRoles: { '*': premium },
    allListings: 20,
    party: { goal: partyGoal, per: 'month', credits: 25 },
  };
  const listing = (name: 'server' | 'bot') => ({
    ...{ name, kind: name, guildId: discord.guildId, timeZone: 'Europe/Berlin', rewards },
    ...{ voteSecrets: [voteSecret], premiumSecrets: [premiumSecret] },
    ...(name === 'server' ? { lookupKey: 'server-key-for-tests' } : {}),
  });
  const path = join(directory, 'listings.json');
  writeFileSync(path, JSON.stringify({ listings: [listing('server'), listing('bot')] }), { mode: 0o600 });
  return path;
}

/** All votes of all members, in random order. */
function votesOf(discord: LocalDiscord, firstAt: number, random: () => number): CastVote[] {
  const votes = discord.members.flatMap(({ id: userId }) =>
    Array.from({ length: days }, (_, number) => number)
      // One day in four is missed.
      .filter(() => random() > 0.25)
      .flatMap((number) =>
        (['server', 'bot'] as const).map((listing, index) => {
          const at = firstAt + number * day + index * hour;
          const payload = { event: `${listing}_vote`, userId, timestamp: new Date(at).toISOString() };
          return { userId, listing, at, family: 'vote' as const, body: JSON.stringify(payload) };
        }),
      ),
  );
  return votes
    .map((vote) => ({ vote, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ vote }) => vote);
}

/** What the rules pay for all votes of a member, without the party. */
function expectedCredits(votes: readonly CastVote[], environment: Record<string, string>): number {
  const listings = new Map(listingsWithCommunity(loadConfig(environment).listings).map((each) => [each.name, each]));
  const calendar = createCalendar('Europe/Berlin');
  let history = emptyHistory;
  let credits = 0;
  for (const { listing: name, at, userId } of votes.toSorted((a, b) => a.at - b.at)) {
    const listing = listings.get(name);
    if (listing === undefined) throw new Error('unknown listing');
    const target = { kind: name, id: null };
    const kind = `${name}_vote` as const;
    const decision = decideVote(
      history,
      { family: 'vote', kind, target, userId, at, creditsAwarded: null, denial: null },
      {
        ...{ listing: name, rewards: listing.rewards, communityListings: ['server', 'bot'], calendar, at },
        ...{ withinCooldown: false, roles: new Set(), outageDays: new Set() },
      },
    );
    history = decision.history;
    credits += creditsOf(decision.entries);
  }
  return credits;
}

interface TestDatabase {
  readonly url: string;
  readonly processes: number;
  run(sql: string): void;
}

async function survivesKills(directory: string, database: TestDatabase): Promise<void> {
  const random = createPrng(seed);
  const discord = await localDiscord({ rateLimits: false });
  const { LOOKUP_SERVER_KEY: _, VOTE_WEBHOOK_SECRET: __, PREMIUM_WEBHOOK_SECRET: ___, ...common } = settings(discord);
  const environment = { ...common, TALLYHOOK_CONFIG: writeRewards(discord, directory), DATABASE_URL: database.url };
  const { send } = createSender(connections);
  // Twelve days within one month, so that there is one party.
  const now = new Date();
  const firstAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 3, 12);
  const votes = votesOf(discord, firstAt, random);
  const waiting = [...votes];

  for (let round = 1; round <= rounds || waiting.length > 0; round += 1) {
    const running = Array.from({ length: database.processes }, () => startProgram(['start'], environment, directory));
    const urls = await Promise.all(running.map(({ url }) => url()));
    const isLast = round > rounds;
    const perRound = isLast ? waiting.length : Math.ceil(votes.length / rounds);
    const taken = waiting.splice(0, perRound);
    let started = 0;
    const sending = Array.from({ length: connections }, async () => {
      for (let vote = taken[started++]; vote !== undefined; vote = taken[started++]) {
        const response = await send(urls[Math.floor(random() * urls.length)] ?? '', vote);
        // Not acknowledged: the service sends it again.
        if (response?.status !== 200) waiting.push(vote);
      }
    });
    const kill = () => {
      for (const { process } of running) process.kill('SIGKILL');
    };
    if (!isLast) void wait(400 * random()).then(kill);
    await Promise.all(sending);
    kill();
    await Promise.all(running.map(({ ended }) => ended));
  }

  database.run("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
  database.run('DELETE FROM leases');
  database.run('DELETE FROM lease_holders');
  const last = startProgram(['start'], environment, directory);
  await last.url();
  const store = await openStore(database.url, systemClock);
  onTestFinished(() => store.close());
  await vi.waitFor(
    async () => expect((await store.records.counts()).effects).toMatchObject({ waiting: 0, buried: 0 }),
    {
      timeout: 60_000,
      interval: 200,
    },
  );

  let partyRewards = 0;
  for (const { id: userId } of discord.members) {
    const ofMember = votes.filter((vote) => vote.userId === userId);
    const entries = await store.records.entries(homeAccount(userId), 1_000);
    const party = entries.filter(({ cause }) => cause === 'party');
    partyRewards += party.length;
    expect(party.length, `party of ${userId}, seed ${seed}`).toBeLessThanOrEqual(1);
    const { credits } = await store.ledger.account(userId);
    expect(credits - 25 * party.length, `credits of ${userId}, seed ${seed}`).toBe(
      expectedCredits(ofMember, environment),
    );
    const { regular, veteran } = discord.roles;
    const expected = ofMember.length >= 15 ? [veteran] : ofMember.length >= 5 ? [regular] : [];
    const milestoneRoles = discord.rolesOf(userId).filter((role) => role === regular || role === veteran);
    expect(milestoneRoles, `roles of ${userId}, seed ${seed}`).toEqual(expected);
  }
  expect(votes.length).toBeGreaterThan(partyGoal);
  expect(partyRewards).toBeGreaterThan(1);
  last.process.kill('SIGTERM');
  expect(await last.ended).toBe(0);
  const snapshot = await openSnapshot(database.url);
  expect(await balanceDifferences(snapshot)).toMatchObject({ count: 0 });
  expect(await paymentDifferences(snapshot)).toMatchObject({ count: 0 });
  expect(await brokenLinks(snapshot)).toBe(0);
  await snapshot.close();
}

it(`pays every reward once and gives the right roles after ${rounds} kills (seed ${seed})`, {
  timeout: 90_000 + rounds * 5_000,
}, async () => {
  const directory = tempDir();
  const file = join(directory, 'tally.db');
  await survivesKills(directory, {
    url: `sqlite:${file}`,
    processes: 1,
    run(sql) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    },
  });
});

describeOnPostgres('two programs on PostgreSQL', (server) => {
  it(`pay every reward once and give the right roles after ${rounds} kills (seed ${seed})`, {
    timeout: 90_000 + rounds * 10_000,
  }, async () => {
    const url = server().newDatabase();
    await survivesKills(tempDir(), { url, processes: 2, run: (sql) => server().runSql(sql, url) });
  });
});
