import { second } from '@tallyhook/platform/durations';
import type { LocalDiscord } from 'local-discord';
import { expect } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { memberOf } from '../../../src/core/ledger/account.ts';
import { createCalendar } from '../../../src/core/rewards/calendar.ts';
import { decideVote } from '../../../src/core/rewards/decide-vote.ts';
import { emptyHistory } from '../../../src/core/rewards/history.ts';
import { creditsOf } from '../../../src/core/rewards/reward.ts';
import {
  balanceDifferences,
  brokenLinks,
  orphanedRows,
  paymentDifferences,
} from '../../../src/core/store/snapshots/audit.ts';
import { openSnapshot, type Snapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { listingsWithCommunity } from '../../../src/features/communities/listings.ts';
import { daysOfPeriod, type PartyTables } from '../../../src/features/party/rules.ts';
import type { ShopTables } from '../../../src/features/shop/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { accountOf, communityIdsOf } from '../../support/communities.ts';
import { deposit, party, shoppers as shopperIds } from './community.ts';
import type { Delivery, ListingService } from './deliveries.ts';
import { digestedVotes } from './moments.ts';
import type { HandlerCall } from './programs.ts';
import type { Shoppers } from './shoppers.ts';

/** What has happened, as the test has seen it from outside. */
export interface Seen {
  readonly databaseUrl: string;
  readonly discord: LocalDiscord;
  readonly environment: Record<string, string>;
  readonly service: ListingService;
  readonly shoppers: Shoppers;
  /** Whose vote is followed by a reminder. */
  readonly reminded: readonly string[];
  /** How many reports of purchases, and messages about them, may be there twice: nothing in them identifies them. */
  readonly maxRepeated: number;
  readonly calls: readonly HandlerCall[];
}

type Stored = Awaited<ReturnType<typeof readStored>>;

/** Counts the effects of everything that was sent and bought, all of which was acknowledged. */
export async function expectEveryEffectOnce(seen: Seen): Promise<void> {
  const snapshot = await openSnapshot(seen.databaseUrl);
  const stored = await readStored(snapshot);
  await expectSoundDatabase(snapshot);
  await snapshot.close();
  expectRecorded(seen, stored);
  expectPaid(seen, stored);
  expectParties(seen, stored);
  expectPurchases(seen, stored);
  expectHandled(seen, stored);
  expectAnnounced(seen, stored);
  expectDigests(seen, stored);
  expectMessages(seen, stored);
  expectRoles(seen, stored);
  expect(stored.effects.filter(({ state }) => state === 'buried')).toEqual([]);
}

async function readStored({ db, run }: Snapshot<PartyTables & ShopTables>) {
  return {
    deliveries: await run(db.selectFrom('deliveries').selectAll().orderBy('id')),
    entries: await run(db.selectFrom('entries').selectAll().orderBy('id')),
    balances: await run(db.selectFrom('balances').select(['account_id', 'credits', 'votes'])),
    purchases: await run(db.selectFrom('purchases').selectAll().orderBy('id')),
    effects: await run(db.selectFrom('effects').select(['kind', 'state', 'reason'])),
    parties: await run(db.selectFrom('parties').selectAll()),
    progress: await run(db.selectFrom('announcement_progress').selectAll()),
  };
}

async function expectSoundDatabase(snapshot: Snapshot): Promise<void> {
  expect(await snapshot.integrityErrors('whole')).toEqual([]);
  expect(await balanceDifferences(snapshot)).toMatchObject({ count: 0 });
  expect(await paymentDifferences(snapshot)).toMatchObject({ count: 0 });
  expect(await brokenLinks(snapshot)).toBe(0);
  expect(await orphanedRows(snapshot)).toEqual({ entries: 0, effects: 0, names: 0 });
}

function expectRecorded({ service }: Seen, { deliveries }: Stored): void {
  const byBody = Map.groupBy(deliveries, ({ body }) => body);
  for (const { body, firstOutcome } of service.sent) {
    const outcomes = (byBody.get(body) ?? []).map(({ outcome }) => outcome);
    // Tests and what cannot be processed are recorded each time.
    expect(firstOutcome === 'recorded' ? outcomes : [...new Set(outcomes)], body).toEqual([firstOutcome]);
  }
}

function expectPaid({ service, environment, calls }: Seen, { entries, balances, purchases }: Stored): void {
  const configured = loadConfig(environment).listings;
  const listings = new Map(
    listingsWithCommunity(configured, communityIdsOf(configured)).map((each) => [each.name, each]),
  );
  const handled = new Set(calls.map(({ id }) => id));
  const callsOf = Map.groupBy(
    [...handled].map((id) => calls.find((call) => call.id === id)?.event.userId),
    (userId) => userId,
  );
  const members = new Set([...service.sent.map(({ userId }) => userId), ...shopperIds]);
  for (const userId of members) {
    const own = service.sent.filter((delivery) => delivery.userId === userId);
    const ofParties = entries.filter((entry) => entry.account_id === accountOf(userId) && entry.cause === 'party');
    const bought = purchases.filter((purchase) => purchase.user_id === userId && purchase.state !== 'refunded');
    const credits =
      creditsOfVotes(own, listings) +
      100 * own.filter(({ order }) => order?.isRevoked === false).length +
      party.credits * ofParties.length +
      (shopperIds.includes(userId) ? deposit : 0) -
      bought.reduce((sum, { price }) => sum + price, 0) +
      (callsOf.get(userId)?.length ?? 0);
    expect(
      balances.find((balance) => balance.account_id === accountOf(userId))?.credits ?? 0,
      `credits of ${userId}`,
    ).toBe(credits);
  }
}

/** What the rules pay for votes in the order of their times, without parties. */
function creditsOfVotes(
  deliveries: readonly Delivery[],
  listings: ReadonlyMap<string, ReturnType<typeof listingsWithCommunity>[number]>,
): number {
  const calendar = createCalendar('Europe/Berlin');
  let history = emptyHistory;
  let credits = 0;
  const votes = deliveries.flatMap(({ vote, userId }) => (vote === undefined ? [] : [{ ...vote, userId }]));
  for (const { listing: name, at, userId, creditsAwarded } of votes.toSorted((a, b) => a.at - b.at)) {
    const listing = listings.get(name);
    if (listing === undefined) throw new Error('unknown listing');
    const { kind, rewards } = listing;
    const target = { kind, id: null };
    const decision = decideVote(
      history,
      { family: 'vote', kind: `${kind}_vote`, target, userId, at, creditsAwarded, denial: null },
      {
        ...{ listing: name, rewards, communityListings: ['harbour', 'pier'], calendar, at },
        ...{ withinCooldown: false, roles: new Set(), outageDays: new Set() },
      },
    );
    history = decision.history;
    credits += creditsOf(decision.entries);
  }
  return credits;
}

/** Everyone who voted up to the time of the vote that reached the goal of a month is paid, nobody twice. */
function expectParties({ service }: Seen, { parties, entries }: Stored): void {
  expect(parties.filter(isReached)).not.toEqual([]);
  for (const { period, reached_at: reachedAt } of parties) {
    const month = period.slice(-'2026-01'.length);
    const votes = service.sent.flatMap(({ userId, vote }) => (vote === undefined ? [] : [{ userId, at: vote.at }]));
    const isInTime = (at: number) => new Date(at).toISOString().startsWith(month) && at <= (reachedAt ?? 0);
    const voters = new Set(votes.filter(({ at }) => isInTime(at)).map(({ userId }) => userId));
    const paid = entries.filter(({ achievement }) => achievement?.startsWith('party ') && achievement.endsWith(month));
    const paidVoters = new Set(paid.map((entry) => memberOf(entry.account_id)));
    expect(paidVoters.size, `party of ${month}`).toBe(paid.length);
    expect(
      [...voters].filter((userId) => !paidVoters.has(userId)),
      `party of ${month}`,
    ).toEqual([]);
  }
}

function isReached({ reached_at: reachedAt }: Stored['parties'][number]): boolean {
  return reachedAt !== null;
}

function expectPurchases({ shoppers }: Seen, { purchases, entries }: Stored): void {
  expect(purchases.map((purchase) => purchase.confirmation_id).sort()).toEqual(shoppers.acknowledged.sort());
  for (const userId of shopperIds) {
    const own = purchases.filter((purchase) => purchase.user_id === userId);
    const amounts = (cause: string) =>
      entries
        .filter((entry) => entry.account_id === accountOf(userId) && entry.cause === cause)
        .map(({ credits }) => credits);
    const pricesOf = (some: readonly { price: number }[]) => some.map(({ price }) => price).sort((a, b) => a - b);
    expect(pricesOf(amounts('purchase').map((credits) => ({ price: 0 - credits })))).toEqual(pricesOf(own));
    const refunded = own.filter(({ state }) => state === 'refunded');
    expect(pricesOf(amounts('refund').map((price) => ({ price })))).toEqual(pricesOf(refunded));
  }
  expect(purchases.filter(({ state }) => state === 'confirmed')).toEqual([]);
  const codes = purchases.flatMap(({ code }) => (code === null ? [] : [code]));
  expect(new Set(codes).size).toBe(codes.length);
}

/** Each event at least once, with the same id. */
function expectHandled({ service, calls }: Seen, { deliveries, entries, purchases }: Stored): void {
  const idsOf = (type: string) =>
    Map.groupBy(
      [...new Map(calls.filter(({ event }) => event.type === type).map((call) => [call.id, call.event])).values()],
      (event) => ('purchaseId' in event ? event.purchaseId : event.deliveryId),
    );
  const expectOneEach = (type: string, ids: readonly (number | null)[]) => {
    const handled = idsOf(type);
    expect(new Set(handled.keys()), type).toEqual(new Set(ids));
    expect([...handled.values()].filter((events) => events.length !== 1)).toEqual([]);
  };
  const votes = new Set(service.sent.flatMap(({ vote, body }) => (vote === undefined ? [] : [body])));
  const recorded = deliveries.filter(({ outcome }) => outcome === 'recorded');
  expectOneEach(
    'vote',
    recorded.filter(({ body }) => votes.has(body)).map(({ id }) => id),
  );
  expectOneEach(
    'premium',
    recorded.filter(({ body }) => !votes.has(body)).map(({ id }) => id),
  );
  expectOneEach(
    'purchase',
    purchases.map(({ id }) => id),
  );
  const causedBy = (cause: string) =>
    entries.filter((entry) => entry.cause === cause).map((entry) => entry.delivery_id);
  expectOneEach('milestone', causedBy('milestone'));
  const streaks = [...idsOf('streak').values()].flat();
  expect(streaks.length).toBe(causedBy('streak').length);
}

/**
 * Each delivery of the server, and each milestone, has one announcement with its time. Each party has one message, and
 * one about its goal.
 */
function expectAnnounced({ discord }: Seen, { deliveries, entries, parties }: Stored): void {
  // The messages of a party are in the channel of the first vote.
  const { announcements, general } = discord.channels;
  const messages = [announcements, general].flatMap((channelId) => discord.messages(channelId));
  const text = JSON.stringify(messages);
  const footers = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, footer = '']) => footer).sort();
  const embedded = messages.flatMap(({ embeds }) =>
    embeds.flatMap(({ timestamp, footer }) => (timestamp && !footer ? inSeconds(Date.parse(timestamp)) : [])),
  );
  const milestones = new Set(entries.flatMap((entry) => (entry.cause === 'milestone' ? [entry.delivery_id] : [])));
  const ofServer = deliveries.filter(
    ({ listing, outcome }) => listing === 'harbour' && (outcome === 'recorded' || outcome === 'test'),
  );
  const announced = new Set([...ofServer.map(({ id }) => id), ...milestones]);
  // A test is announced with the time of its receipt.
  const times = deliveries.flatMap(({ id, outcome, body, received_at: receivedAt }) => {
    if (!announced.has(id)) return [];
    return inSeconds(outcome === 'test' ? receivedAt : Date.parse(JSON.parse(body).timestamp));
  });
  expect([...embedded, ...footers(/-# <t:(\d+):f>/g)].sort()).toEqual(times.sort());
  const { days } = textsIn('en-US');
  const monthsOf = (some: Stored['parties']) => some.map(({ period }) => days(...daysOfPeriod(period))).sort();
  expect(footers(/-# (\w+ 1 – \d+)"/g)).toEqual(monthsOf(parties));
  expect(footers(/-# (\w+ 1 – \d+) · </g)).toEqual(monthsOf(parties.filter(isReached)));
}

function inSeconds(time: number): string {
  return String(Math.floor(time / second));
}

/** The digests have all votes for the bot in periods that have ended. */
function expectDigests({ discord }: Seen, { deliveries, progress }: Stored): void {
  const until = progress.find(({ key }) => key === 'digest pier')?.until_at ?? 0;
  const text = JSON.stringify(discord.messages(discord.channels.general));
  const votes = [...text.matchAll(digestedVotes)].map(([, count]) => Number(count));
  const expected = deliveries.filter(
    (each) => each.listing === 'pier' && each.outcome === 'recorded' && each.received_at < until,
  );
  expect(votes.reduce((sum, count) => sum + count, 0)).toBe(expected.length);
}

/** Reminders, messages to buyers and reports to the owner. */
function expectMessages({ discord, service, reminded, maxRepeated }: Seen, { purchases }: Stored): void {
  const voters = new Set(service.sent.map(({ userId }) => userId));
  for (const userId of reminded.filter((each) => voters.has(each))) {
    const titles = discord.directMessages(userId).map((message) => message.embeds[0]?.title);
    expect(titles, `messages to ${userId}`).toEqual(['You can vote again']);
  }
  const expectCount = (name: string, actual: readonly unknown[], expected: readonly unknown[]) => {
    expect(actual.length, name).toBeGreaterThanOrEqual(expected.length);
    expect(actual.length, name).toBeLessThanOrEqual(expected.length + maxRepeated);
  };
  const manual = purchases.filter(({ item }) => item === 'shout');
  const titles = shopperIds.flatMap((userId) => discord.directMessages(userId)).map(({ embeds }) => embeds[0]?.title);
  for (const [state, title] of [
    ['fulfilled', 'Your purchase is done'],
    ['refunded', 'Your purchase was refunded'],
  ]) {
    const settled = manual.filter((purchase) => purchase.state === state);
    expectCount(
      `messages about ${state}`,
      titles.filter((each) => each === title),
      settled,
    );
  }
  const reported = discord.messages(discord.channels.premium).map((message) => message.embeds[0]?.title ?? '');
  const isReport = (title: string) => title.startsWith('Purchase ');
  const [reports, notices] = [reported.filter(isReport), reported.filter((title) => !isReport(title))];
  expect([...new Set(reports)].sort()).toEqual(manual.map(({ id }) => `Purchase ${id}`).sort());
  expectCount('reports', reports, manual);
  // An item whose codes are used up.
  expectCount('notices', notices, [...new Set(notices)]);
}

function expectRoles({ discord, service }: Seen, { purchases }: Stored): void {
  const { voter, vip, premium, regular, veteran, moderator } = discord.roles;
  const managed = [voter, vip, premium, regular, veteran, moderator];
  const revoked = new Set(service.sent.flatMap(({ order }) => (order?.isRevoked ? [order.id] : [])));
  for (const { id: userId } of discord.members) {
    const own = service.sent.filter((delivery) => delivery.userId === userId);
    const votes = own.filter(({ vote }) => vote !== undefined).length;
    const hasPremium = own.some(({ order }) => order !== undefined && !revoked.has(order.id));
    const isVip = purchases.some(
      ({ role, state, user_id: buyer }) => buyer === userId && role === vip && state === 'fulfilled',
    );
    const expected = [
      ...(votes >= 8 ? [veteran] : votes >= 3 ? [regular] : []),
      ...(hasPremium ? [premium] : []),
      ...(isVip ? [vip] : []),
    ];
    const roles = discord.rolesOf(userId).filter((role) => managed.includes(role));
    expect(roles.toSorted(), `roles of ${userId}`).toEqual(expected.toSorted());
  }
}
