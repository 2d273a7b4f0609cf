import { day, hour } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { voteCooldownMs } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import { seededReviews } from '../seed/community.ts';

/** How much smaller the share of the next listing is: few listings get most votes, as on any listing site. */
const exponent = 0.8;
/** Keeps the first listings from having nearly everything. */
const offset = 10;

/** Divides `total` among `count` by popularity, most popular first. The shares are integers that add up to `total`. */
export function sharesByPopularity(total: number, count: number, maximum = Number.POSITIVE_INFINITY): number[] {
  const weights = Array.from({ length: count }, (_, rank) => (rank + offset) ** -exponent);
  const shares = weights.map(() => 0);
  let remaining = total;
  let weight = weights.reduce((sum, each) => sum + each, 0);
  for (const [index, each] of weights.entries()) {
    const share = Math.min(maximum, Math.round((remaining * each) / weight));
    shares[index] = share;
    remaining -= share;
    weight -= each;
  }
  // What the most popular may not have goes to the others.
  for (let index = count - 1; index >= 0 && remaining > 0; index -= 1) {
    const more = Math.min(maximum - (shares[index] ?? 0), remaining);
    shares[index] = (shares[index] ?? 0) + more;
    remaining -= more;
  }
  return shares;
}

/** The ids of generated members begin here. Each run uses the same members. */
const firstMemberId = 100_000_000_000_000_000n;
/** A prime, so that the ids look like those of Discord. */
const memberIdStep = 4_194_305n;

const syllables = 'ma ri no ka lo ter vin sa del qui bo esk ya mir ul pe'.split(' ');
const adjectives = 'Quiet Golden Wild Frozen Lucky Hidden Crimson Gentle Iron Drifting'.split(' ');
const places = 'Harbour Forest Tavern Library Arena Garden Workshop Station Island Guild'.split(' ');
const jobs = 'Keeper Helper Scribe Ranger Broker Warden Herald Pilot Clerk Smith'.split(' ');
const categories = 'Community Gaming Anime Music Art Technology Education'.split(' ');
const tags = 'friendly events giveaways minecraft voice memes roleplay study economy chill'.split(' ');

function memberId(index: number): string {
  return String(firstMemberId + BigInt(index) * memberIdStep);
}

/** Names repeat, as in Discord; the number makes most of them unique. */
function memberName(index: number): string {
  const first = pick(syllables, index);
  const second = pick(syllables, Math.floor(index / 16));
  return `${first}${second}${index % 3 === 0 ? '' : '_'}${index % 10_000}`;
}

function listingName(kind: 'server' | 'bot', index: number): string {
  const noun = pick(kind === 'server' ? places : jobs, Math.floor(index / 10));
  return `${pick(adjectives, index)} ${noun} ${index + 1}`;
}

function listingTags(index: number): string[] {
  return [...new Set([pick(tags, index), pick(tags, index * 3 + 1), pick(tags, index * 7 + 2)])];
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('There is nothing to pick from.');
  return item;
}

export interface Population {
  readonly listings: number;
  readonly members: number;
  readonly votes: number;
  readonly reviews: number;
}

const botEvery = 5;
const discordEpoch = 1_420_070_400_000;
/** Votes of one member for one listing, unless there are too few members. */
const votesPerVoter = 12;

/** True if there are enough listings and members: a vote needs one of each, and a member reviews a server once. */
export function isPossible({ listings, members, votes, reviews }: Population): boolean {
  const servers = listings - Math.floor(listings / botEvery);
  return reviews <= servers * members && (votes === 0 || (members > 0 && listings > 0));
}

export function generatedListing(index: number, now: number, members: number): Listing {
  const isBot = index % botEvery === botEvery - 1;
  const base = {
    // An id of this moment, so that further runs add further listings.
    id: String((BigInt(now - discordEpoch) << 22n) + BigInt(index)),
    name: listingName(isBot ? 'bot' : 'server', index),
    description: `${listingName(isBot ? 'bot' : 'server', index)}: generated for tests.`,
    tags: listingTags(index),
    ownerId: memberId(members === 0 ? 0 : index % members),
    createdAt: now - 400 * day + index,
  };
  if (isBot) return { ...base, kind: 'bot', facts: { servers: 10 + ((index * 37) % 5_000), shards: 1 + (index % 4) } };
  const size = 50 + ((index * 7_919) % 20_000);
  const facts = {
    category: pick(categories, index),
    features: ['COMMUNITY', 'NEWS'],
    emojis: [{ id: base.id, name: 'wave', animated: index % 2 === 0 }],
    channelCount: 5 + (index % 90),
    roleCount: 3 + (index % 40),
    rules: ['Be kind.', 'No advertising.'],
    members: size,
    online: Math.floor(size / 7),
  };
  return { ...base, kind: 'server', facts };
}

export function* memberRows(count: number): Generator<[string, string]> {
  for (let index = 0; index < count; index += 1) yield [memberId(index), memberName(index)];
}

export function* voteRows(
  listings: readonly Listing[],
  population: Population,
  now: number,
): Generator<[string, string, number]> {
  const { members } = population;
  const shares = sharesByPopularity(population.votes, listings.length);
  const random = createPrng(1);
  for (const [index, { id }] of listings.entries()) {
    const share = shares[index] ?? 0;
    const perVoter = Math.max(votesPerVoter, Math.ceil(share / members));
    let remaining = share;
    for (let voter = Math.floor(random() * members); remaining > 0; voter += 1) {
      const userId = memberId(voter % members);
      const count = Math.min(remaining, perVoter);
      const intervalMs = voteCooldownMs + random() * random() * 3 * day;
      let at = now - random() * intervalMs;
      for (let cast = 0; cast < count; cast += 1) {
        yield [id, userId, Math.floor(at)];
        at -= intervalMs + random() * 6 * hour;
      }
      remaining -= count;
    }
  }
}

type ReviewRow = [listingId: string, userId: string, username: string, rating: number, comment: string, at: number];

export function* reviewRows(listings: readonly Listing[], population: Population, now: number): Generator<ReviewRow> {
  const { members } = population;
  const servers = listings.filter(({ kind }) => kind === 'server');
  const shares = sharesByPopularity(population.reviews, servers.length, members);
  const random = createPrng(2);
  for (const [index, { id }] of servers.entries()) {
    const first = Math.floor(random() * members);
    for (let reviewer = 0; reviewer < (shares[index] ?? 0); reviewer += 1) {
      const member = (first + reviewer) % members;
      const [rating, comment] = pick(seededReviews, Math.floor(random() * 1_000));
      yield [id, memberId(member), memberName(member), rating, comment, Math.floor(now - random() * 365 * day)];
    }
  }
}
