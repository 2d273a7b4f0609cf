import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hour, second } from '@tallyhook/platform/durations';
import type { OffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { LocalDiscord } from 'local-discord';
import { handlerKinds } from '../../../src/core/outbox/handler-events.ts';
import { openStore } from '../../../src/features/store.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { settings } from '../../support/settings.ts';

/** What each shopper has at first (credits). */
export const deposit = 1_000;
/** The votes of a month that are a party, fewer than new voters of a round; and what its voters get (credits). */
export const party = { goal: 12, credits: 25 };
/** How long a vote blocks the next one, and how long voters of the bot have its role: less than between two starts. */
export const cooldownMs = 20 * second;

const firstId = 200_000_000_000_000_000n;
/** The Discord id of the member with this number. */
export const memberId = (number: number) => String(firstId + BigInt(number));

/** The owner of the guild. */
export const manager = memberId(0);
export const regulars = [1, 2, 3, 4].map(memberId);
export const patrons = [5, 6, 7].map(memberId);
export const shoppers = [8, 9, 10].map(memberId);
/** The number of the first of the voters, of whom each votes once. */
export const firstVoter = 100;

/** A server and a bot of one guild with everything that can have effects, and the local Discord with its members. */
export interface Community {
  readonly discord: LocalDiscord;
  /** Settings of the programs. */
  readonly environment: Record<string, string>;
}

/** @param reminded who has reminders */
export async function createCommunity(
  databaseUrl: string,
  directory: string,
  { clock, voters, reminded }: { clock: OffsetClock; voters: number; reminded: readonly string[] },
): Promise<Community> {
  const numbers = [...Array(11).keys(), ...Array.from({ length: voters }, (_, index) => firstVoter + index)];
  const people = numbers.map((number) => ({ id: memberId(number), username: `member${number}` }));
  const discord = await localDiscord({ rateLimits: false, people, clock, stopwatch: clock });
  const file = join(directory, 'listings.json');
  writeFileSync(file, JSON.stringify({ listings: listingsOf(discord) }), { mode: 0o600 });
  const {
    LOOKUP_SERVER_KEY: _,
    VOTE_WEBHOOK_SECRET: _vote,
    PREMIUM_WEBHOOK_SECRET: _premium,
    ...shared
  } = settings(discord);
  const store = await openStore(databaseUrl, clock, { thread: false });
  const now = clock.now();
  for (const userId of reminded) await store.reminders.switchOn(accountOf(userId), [], now);
  for (const userId of shoppers) {
    const correction = { communityId: firstCommunity, userId, credits: deposit, reason: 'deposit', at: now };
    await store.recorder.correct(correction, `deposit ${userId}`);
  }
  // Every program knows from the start that there are handlers.
  await store.handlers.renew(handlerKinds, now);
  await store.close();
  const environment = { ...shared, DATABASE_URL: databaseUrl, CACHE_URL: 'memory:', TALLYHOOK_CONFIG: file };
  return { discord, environment };
}

/** Votes for the server are announced each, those for the bot in digests. */
function listingsOf({ guildId, channels, roles }: LocalDiscord): object[] {
  const rewards = {
    vote: 10,
    premium: 100,
    multipliers: [{ factor: 1.5, days: ['monday', 'tuesday', 'saturday'] }],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 3, credits: 100, role: roles.regular },
      { votes: 8, credits: 7, role: roles.veteran },
      { everyVotes: 4, credits: 3 },
    ],
    milestoneRoles: 'highest',
    premiumRoles: { '*': roles.premium },
    allListings: 20,
    party: { ...party, per: 'month' },
  };
  const shop = [
    { id: 'vip', name: 'VIP', price: 11, role: roles.vip, for: '7d' },
    { id: 'key', name: 'Game key', price: 7, codes: Array.from({ length: 1_000 }, (_, index) => `code ${index}`) },
    { id: 'last', name: 'Last keys', price: 5, codes: ['last 1', 'last 2'] },
    { id: 'shout', name: 'Shout-out', price: 3, manual: true },
  ];
  const shared = { guildId, timeZone: 'Europe/Berlin', cooldownHours: cooldownMs / hour, voteSecrets: [voteSecret] };
  return [
    {
      ...{ ...shared, name: 'harbour', kind: 'server', lookupKey: 'key-for-tests', rewards, shop },
      ...{ premiumSecrets: [premiumSecret], ownerChannelId: channels.premium },
      ...{ announceChannelId: channels.announcements, premiumChannelId: channels.announcements },
    },
    {
      ...{ ...shared, name: 'pier', kind: 'bot', announceChannelId: channels.general },
      rewards: { ...rewards, voterRole: { role: roles.voter, for: `${cooldownMs / second}s` } },
      announcements: { mode: 'digest', every: '5m' },
    },
  ];
}
