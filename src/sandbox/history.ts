import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { seededVotes } from 'listing-service';
import type { LocalDiscord } from 'local-discord';
import type { Config } from '../../config/schema.ts';
import { withoutSecrets } from '../core/receiving/listing.ts';
import { routeDelivery } from '../core/receiving/routing.ts';
import { periodOf, settlementDelayMs } from '../core/rewards/calendar.ts';
import { calendarOf } from '../core/tally/community.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import { type Community, createDirectory } from '../features/communities/directory.ts';
import type { CommunityListing } from '../features/communities/listings.ts';
import { partyPeriod, partyRules } from '../features/party/rules.ts';
import { prizesOf } from '../features/prizes/rules.ts';
import { shopItems } from '../features/shop/purchase.ts';
import type { Store } from '../features/store.ts';
import { findSite, service } from '../webhook/sites/index.ts';
import { readDelivery } from '../webhook/sites/read-delivery.ts';
import { guildMembers, sandboxOwner } from './community.ts';

/** How far the votes go back (ms): as far as the charts. */
const historyMs = 30 * day;

/**
 * From the receipt of a vote on, what it causes in Discord is still of interest (ms); it is also the cooldown of the sites.
 * They have no votes of their own that are younger, so none of the history may be.
 */
const recentMs = 12 * hour;

/**
 * Votes that are younger are announced (ms). Few, so that what the visitor does first does not wait for the rate limit of the
 * channel.
 */
const announcedMs = 15 * minute;

/** Times of orders before now (ms). */
const fulfilledAgoMs = 2 * day;
const openAgoMs = 3 * hour;

interface HistoryContext {
  readonly store: Store;
  readonly communityIds: CommunityIds;
  readonly config: Pick<Config, 'listings'>;
  readonly discord: Pick<LocalDiscord, 'guildId' | 'channels' | 'roles'>;
  /** ms since the epoch */
  readonly now: number;
}

/**
 * Gives an empty ledger the past of a community that has used the bot for thirty days: votes of all members but the owner
 * of the guild, an order that is done and one that is open, the prizes of the last period, and a vote panel. All of it is
 * recorded as it would have been at its time, before the bot starts.
 *
 * @returns the ids of the deliveries
 */
export async function recordHistory({ store, communityIds, config, discord, now }: HistoryContext) {
  const community = createDirectory(config.listings, communityIds.of).ofGuild(discord.guildId);
  if (community === undefined) return [];
  const votes = community.named
    .flatMap((listing) => votesFor(listing, now))
    .toSorted((one, other) => one.at - other.at);
  const deliveryIds = await Promise.all(votes.map((vote) => recordVote(store, vote, now)));
  await order(store, community, { item: 'vip', userId: memberAt(2), roles: [], at: now - fulfilledAgoMs });
  const { voter } = discord.roles;
  await order(store, community, { item: 'shout', userId: memberAt(3), roles: [voter], at: now - openAgoMs });
  await settlePrizes(store, community, now);
  await store.votePanel.place({ guildId: discord.guildId, channelId: discord.channels.announcements }, now);
  return deliveryIds;
}

interface PastVote {
  readonly listing: CommunityListing;
  readonly userId: string;
  /** ms since the epoch */
  readonly at: number;
}

/** The votes that the service has seeded for its own listings, and some on the other sites. */
function votesFor(listing: CommunityListing, now: number): readonly PastVote[] {
  const voters = guildMembers.filter(({ id }) => id !== sandboxOwner.userId);
  if (listing.site === undefined) {
    const own = seededVotes(listing, now).filter(({ userId }) => voters.some(({ id }) => id === userId));
    return own.filter(({ at }) => at > now - historyMs).map((vote) => ({ ...vote, listing }));
  }
  const random = createPrng(listing.site.id.length);
  return voters.flatMap(({ id: userId }) => {
    const intervalMs = recentMs + random() * 3 * day;
    const votes: PastVote[] = [];
    for (let at = now - recentMs - random() * intervalMs; at > now - historyMs; at -= intervalMs + random() * 9 * hour)
      votes.push({ listing, userId, at: Math.floor(at) });
    return votes;
  });
}

/** Records a vote as its delivery of then. */
async function recordVote({ recorder }: Store, { listing, userId, at }: PastVote, now: number): Promise<number> {
  const receivedAt = at + second;
  const site = listing.site === undefined ? service : findSite(listing.site);
  const { kind, id: targetId } = listing;
  const body = site.write({ kind, targetId: targetId ?? '', userId, at, id: `${at}${userId}`, isTest: false });
  const payload = readDelivery(site, body, listing, { now: receivedAt, scheme: site.schemes[0] });
  const scope = { listing: withoutSecrets(withoutPastEffects(listing, at, now)), family: 'vote' } as const;
  const delivery = { receivedAt, family: 'vote', body: JSON.stringify(body) } as const;
  const { deliveryId } = await recorder.record(delivery, routeDelivery(payload, [scope]));
  return deliveryId;
}

/** A listing that pays as ever, but causes nothing that is over by now: announcements, roles for some hours, parties. */
function withoutPastEffects(listing: CommunityListing, at: number, now: number): CommunityListing {
  const isRecent = now - at < recentMs;
  const calendar = calendarOf(listing.community);
  const party = partyRules.in(listing.rewards);
  const periodAt = (time: number) => party && partyPeriod(party.per, calendar.dayAt(time)).id;
  const isOfParty = isRecent && periodAt(at) === periodAt(now);
  const rewards = { ...listing.rewards, ...partyRules.as(isOfParty ? party : null) };
  const { announceChannelId } = listing;
  return {
    ...listing,
    announceChannelId: now - at < announcedMs ? announceChannelId : null,
    rewards: isRecent ? rewards : { ...rewards, voterRole: null },
  };
}

interface PastOrder {
  /** The id of an item of the shop. */
  readonly item: string;
  readonly userId: string;
  /** The member's roles then (ids). */
  readonly roles: readonly string[];
  /** ms since the epoch */
  readonly at: number;
}

/** Buys an item. Whoever has listings of their own may have no such item. */
async function order({ shop }: Store, community: Community, { item: id, userId, roles, at }: PastOrder): Promise<void> {
  const item = shopItems.in(community).find((each) => each.id === id);
  if (item === undefined) return;
  const { id: communityId, guildId, ownerChannelId } = community;
  const buyer = { confirmationId: `history ${id}`, member: { userId, roles }, item, confirmedPrice: item.price };
  await shop.purchase({ ...buyer, communityId, guildId, ownerChannelId, isReady: true }, at);
}

/** Has the prizes of the last period that can be settled decided and paid when the bot starts. */
async function settlePrizes({ prizes }: Store, community: Community, now: number): Promise<void> {
  const { id: communityId, timeZone, listings } = community;
  const today = calendarOf(community).dayAt(now - settlementDelayMs);
  const settlements = prizesOf(listings).map(({ per, by }) => {
    const { firstDay } = periodOf(per, periodOf(per, today).firstDay - 1);
    return { communityId, per, by, firstDay };
  });
  await prizes.plan(settlements, timeZone, now);
}

function memberAt(index: number): string {
  const member = guildMembers[index];
  if (member === undefined) throw new Error(`The guild has no member ${index}.`);
  return member.id;
}
