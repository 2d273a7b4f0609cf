import { randomUUID } from 'node:crypto';
import { formatCount } from '@tallyhook/platform/durations';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type PageRequest, paginate, type ResultPage } from '@tallyhook/platform/web/pagination';
import type { z } from 'zod';
import type { ListingConfig } from '../../config/schema.ts';
import { accountIdOf } from '../core/ledger/account.ts';
import type { Board } from '../core/ledger/standing.ts';
import type { DeliveryRecord, EffectRecord } from '../core/records/records.ts';
import type { ReversalTotals, VoteRange } from '../features/corrections/store.ts';
import { nextVoteFor } from '../features/next-votes/store.ts';
import type { Decision } from '../features/rate-alarms/store.ts';
import type { CommunityPurchase } from '../features/shop/store.ts';
import { findDelivery } from '../features/traces/delivery-details.ts';
import { findSite, service } from '../webhook/sites/index.ts';
import { type Site, trustOf } from '../webhook/sites/site.ts';
import type { OwnerCommunity } from './communities.ts';
import type { OwnerContext } from './context.ts';
import type { CorrectionRequest, deliveriesQuery } from './request-schemas.ts';

/** A member's last and next vote for a listing (ms since the epoch); null before the first vote. */
export interface VoteTimes {
  readonly listing: string;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
}

export type MemberDetails = Awaited<ReturnType<typeof getMember>>;

/** The newest deliveries of a member that are searched for ones without an entry. */
const maxDeliveries = 100;

/** The account of a member in a community. @param page of the entries @param chosen null for the first one */
export async function getMember(
  context: OwnerContext,
  userId: string,
  page: PageRequest,
  chosen: OwnerCommunity | null,
) {
  const { records, communities } = context;
  const shown = chosen === null ? await communities.of(userId) : ([chosen] as const);
  const [community] = shown;
  const accountId = accountIdOf(community.id, userId);
  const [accounts, listings, entries, deliveries] = await Promise.all([
    Promise.all(shown.map((each) => getAccount(context, each, userId))),
    listingsOf(context, community, userId),
    paginate(page, ({ limit, before }) => records.entries(accountId, limit, before)),
    records.deliveries({ userId, limit: maxDeliveries, before: null }),
  ]);
  const [account] = accounts;
  if (account === undefined) throw new Error('A member has at least one account.');
  return {
    ...account,
    /** All accounts of the member, the shown one first; only that one if its community was chosen. */
    accounts,
    listings,
    entries,
    /** The newest deliveries of the member without an entry: duplicates, tests, and quarantined ones. */
    unpaid: deliveries.filter(({ outcome }) => outcome !== 'recorded'),
  };
}

async function getAccount(context: OwnerContext, community: OwnerCommunity, userId: string) {
  const [standing, marks, listings] = await Promise.all([
    community.standings.standing(userId, context.clock.now()),
    context.records.marks(accountIdOf(community.id, userId)),
    listingsOf(context, community, userId),
  ]);
  const [last = null] = listings
    .filter(({ lastVoteAt }) => lastVoteAt !== null)
    .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  return { guildId: community.guildId, standing, marks, last };
}

async function listingsOf(
  { listings, nextVotes }: OwnerContext,
  { id, standings }: OwnerCommunity,
  userId: string,
): Promise<readonly VoteTimes[]> {
  const [lastVotes, stated = []] = await Promise.all([standings.lastVotes(userId), nextVotes?.(userId)]);
  const own = listings().filter(({ community }) => community.id === id);
  return own.map(({ name: listing, rewards }) => {
    const { cooldownMs } = rewards.base;
    const vote = nextVoteFor({ names: [listing], cooldownMs }, lastVotes, stated);
    return { listing, lastVoteAt: vote?.at ?? null, nextVoteAt: vote?.nextVoteAt ?? null };
  });
}

/** The leaderboard of balances. */
export const richest = { period: 'all', by: 'credits' } as const;

/** A page of a leaderboard. @param query `before`, and `next` of the page: how many members the pages until there have */
export async function getLeaderboard(
  { standings }: Pick<OwnerCommunity, 'standings'>,
  { period, by, limit, before }: Board & PageRequest,
  now: number,
) {
  const query = { period, by, limit, offset: before ?? 0, userId: null };
  const { members, offset, total, asOf } = await standings.leaderboard(query, now);
  const end = offset + members.length;
  return { period, by, members, total, asOf, next: end < total ? end : null };
}

const maxTop = 10;

/** Figures that the owner of a community wants to know first, or the operator of all of them. */
export type Overview = Awaited<ReturnType<typeof getOverview>>;

export async function getOverview(context: OwnerContext) {
  const { records, rewards, communities, clock, scope } = context;
  const [community, ...others] = communities.all();
  const [activity, totals, orders, problems, parts, budgets, [lastDelivery = null]] = await Promise.all([
    rewards.activity(scope),
    // Of several communities, each has its own.
    others.length > 0 ? null : totalsOf(community, clock.now()),
    rewards.waitingOrders(scope),
    records.problems(null),
    context.health(),
    context.budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return {
    ...{ activity, totals, orders, problems, parts, budgets, lastDelivery },
    names: await context.namesIn(scope)(totals?.top.map(({ userId }) => userId) ?? []),
  };
}

/** In this calendar month counted votes, the credits that votes and premium earned, and the members with most votes. */
async function totalsOf({ standings }: OwnerCommunity, now: number) {
  const board = { limit: maxTop, offset: 0, userId: null } as const;
  const [votes, credits, balances, streaks] = await Promise.all([
    standings.leaderboard({ ...board, period: 'month', by: 'votes' }, now),
    standings.leaderboard({ ...board, period: 'month', by: 'credits' }, now),
    standings.leaderboard({ ...board, period: 'all', by: 'credits' }, now),
    standings.leaderboard({ ...board, period: 'all', by: 'streak' }, now),
  ]);
  return {
    month: { votes: votes.sum, credits: credits.sum },
    members: { count: balances.total, credits: balances.sum },
    streaks: { count: streaks.total, longest: streaks.members[0]?.score ?? 0 },
    top: votes.members,
  };
}

export async function getSummary(context: OwnerContext) {
  const { records, health } = context;
  const [counts, parts, budgets, [lastDelivery = null]] = await Promise.all([
    records.counts(),
    health(),
    context.budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return { ...counts, parts, budgets, lastDelivery };
}

/** A page of the delivery log. Of a site that no listing is on, it is empty. */
export async function listDeliveries(
  { records, listings: all }: Pick<OwnerContext, 'records' | 'listings'>,
  { user: userId, site, ...filter }: z.infer<typeof deliveriesQuery>,
): Promise<ResultPage<DeliveryRecord>> {
  const listings =
    site === null
      ? null
      : all()
          .filter((each) => siteOf(each).id === site)
          .map(({ name }) => name);
  if (listings?.length === 0) return { rows: [], next: null };
  return paginate({ ...filter, userId, listings }, records.deliveries);
}

export function siteOf({ site }: Pick<ListingConfig, 'site'>): Site {
  return site === undefined ? service : findSite(site);
}

/** The names of the sites of listings, if there are several sites; otherwise null for every listing. */
export function siteNames({ listings }: Pick<OwnerContext, 'listings'>): (listing: string | null) => string | null {
  const byListing = new Map(listings().map((each) => [each.name, siteOf(each).name]));
  const isSeveral = new Set(byListing.values()).size > 1;
  return (listing) => (isSeveral && listing !== null ? (byListing.get(listing) ?? null) : null);
}

/** Processes a quarantined or refused delivery again. For any other delivery the outcome is `duplicate`. @throws HttpError 404 */
export async function replayDelivery(context: OwnerContext, id: number, author: string) {
  const { outcome, reason, credits } = await context.replay(await findDelivery(context, id));
  context.log.info({ delivery: id, outcome, author }, 'owner replayed a delivery');
  return { outcome, reason, credits };
}

/** Requeues a buried effect as if it were new. @throws HttpError 404, and 409 if the effect is not buried */
export async function replayEffect(context: OwnerContext, id: number, author: string): Promise<EffectRecord> {
  const result = await context.outbox.requeue(id, context.clock.now());
  const effect = await findEffect(context, id);
  if (result !== 'revived') {
    throw new HttpError(
      409,
      `Effect ${id} is ${effect.state}. Only a buried effect can be replayed.`,
      null,
      'not_buried',
    );
  }
  context.log.info({ effect: id, author }, 'owner replayed an effect');
  context.nudge(effect.queue);
  return effect;
}

/** @throws HttpError 404 */
export async function findEffect({ records }: OwnerContext, id: number): Promise<EffectRecord> {
  const effect = await records.effect(id);
  if (effect === null) throw new HttpError(404, `Effect ${id} does not exist.`);
  return effect;
}

/**
 * Corrects a member's account with an additional entry.
 * @param by `idempotencyKey`: a repeat with the same key changes nothing; null for a correction that cannot be repeated
 * @returns the new balance (credits), whether it was a repeat, and the current time (ms since the epoch)
 * @throws HttpError 409 for an overdraft, and for a key that was used for another correction
 * @throws the errors of {@link Recordings}
 */
export async function correct(
  { recorder, communities, clock, log }: OwnerContext,
  userId: string,
  { credits, reason, guildId }: CorrectionRequest,
  { idempotencyKey, author }: { readonly idempotencyKey: string | null; readonly author: string },
): Promise<{ readonly balance: number; readonly repeated: boolean; readonly at: number }> {
  const at = clock.now();
  const { id: communityId, guildId: guild } = communities.at(guildId ?? null);
  const result = await recorder.correct(
    { userId, communityId, credits, reason, at, author },
    idempotencyKey ?? randomUUID(),
  );
  switch (result.outcome) {
    case 'corrected': {
      const { balance, repeated } = result;
      log.info(
        { user: userId, ...(guild && { guild }), credits, balance, repeated, author },
        'owner corrected an account',
      );
      return { balance, repeated, at };
    }
    case 'overdrawn':
      throw overdraftError(result.balance);
    case 'refunded':
    case 'key_reused':
      throw new HttpError(
        409,
        'This Idempotency-Key was used for another correction. Use a new key for each correction.',
        null,
        'key_reused',
      );
  }
}

function overdraftError(balance: number): HttpError {
  return new HttpError(
    409,
    `The account has ${formatCount(balance, 'credit')}. A correction cannot take more than the balance.`,
    null,
    'overdrawn',
  );
}

/**
 * Marks a purchase as done that the team fulfils, and sends the buyer a message. Repeating it changes nothing.
 * @throws HttpError 404, and 409 for one that was refunded, or is not fulfilled by the team
 */
export async function fulfilPurchase(
  { communities, purchases, nudge, log }: OwnerContext,
  id: number,
  { guildId, author }: { readonly guildId: string | null; readonly author: string },
): Promise<CommunityPurchase> {
  const { id: communityId } = communities.at(guildId);
  const find = async () => {
    const purchase = await purchases.find(communityId, id);
    if (purchase === null) throw new HttpError(404, `Purchase ${id} does not exist.`);
    return purchase;
  };
  const { manual, ownerChannelId: channelId } = await find();
  if (!manual) throw new HttpError(409, `The team does not fulfil purchase ${id}.`, null, 'not_manual');
  const result = await purchases.settle({ purchaseId: id, state: 'fulfilled', channelId });
  const purchase = await find();
  if (purchase.state !== 'fulfilled') throw new HttpError(409, `Purchase ${id} was refunded.`, null, 'refunded');
  if (result?.settled) {
    log.info({ purchase: id, user: purchase.userId, state: purchase.state, author }, 'a manager settled a purchase');
    for (const queue of result.queues) nudge(queue);
  }
  return purchase;
}

export type ListingDetails = Awaited<ReturnType<typeof listListings>>[number];

export async function listListings({ listings, alarms }: OwnerContext) {
  const held = await alarms.held();
  return listings().map(({ name, timeZone, ...listing }) => ({
    ...{ name, site: siteOf(listing).name, trust: trustOf(siteOf(listing)), timeZone },
    held: held.find(({ listing }) => listing === name) ?? null,
  }));
}

/** @throws HttpError 404 */
export function findTimeZone({ listings }: OwnerContext, listing: string): string {
  const timeZone = listings().find(({ name }) => name === listing)?.timeZone;
  if (timeZone === undefined) throw new HttpError(404, `There is no listing "${listing.slice(0, 100)}".`);
  return timeZone;
}

export const decisions = ['release', 'reject'] as const satisfies readonly Decision[];

/** Has the held votes of a listing paid or rejected. @throws HttpError 404, and 409 if nothing is held */
export async function decideAlarm(context: OwnerContext, listing: string, decision: Decision) {
  findTimeZone(context, listing);
  if (!(await context.alarms.decide(listing, decision)))
    throw new HttpError(409, 'No votes of this listing are held, or it is decided already.', null, 'nothing_held');
  context.log.info({ listing, decision }, 'owner decided about held votes');
  return { listing, decision };
}

/** Reverses votes of a listing. @param isDryRun only says what it would take @throws HttpError 400 and 404 */
export async function reverseVotes(
  context: OwnerContext,
  range: VoteRange,
  isDryRun: boolean,
): Promise<ReversalTotals & { readonly spent?: number }> {
  findTimeZone(context, range.listing);
  if (range.from >= range.until) throw new HttpError(400, 'Invalid request: "until" must be later than "from".');
  return isDryRun ? context.reversals.preview(range) : context.reversals.reverse(range);
}
