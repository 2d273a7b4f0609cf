import { day, hour } from '../../platform/durations.ts';
import { voteCooldownMs } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import { createPrng } from '../seed/prng.ts';
import { categories, listingName, listingTags, memberId, memberName, pick, reviewText } from './population.ts';
import { sharesByPopularity } from './shares.ts';

/** How much to generate. */
export interface Population {
  readonly listings: number;
  readonly members: number;
  readonly votes: number;
  readonly reviews: number;
}

/** One of so many listings is a bot. */
const botEvery = 5;
const discordEpoch = 1_420_070_400_000;
/** Votes of one member for one listing, unless there are too few members. */
const votesPerVoter = 12;

/** Whether there are enough listings and members: a vote needs one of each, and a member reviews a server once. */
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
      const [rating, comment] = reviewText(Math.floor(random() * 1_000));
      yield [id, memberId(member), memberName(member), rating, comment, Math.floor(now - random() * 365 * day)];
    }
  }
}
