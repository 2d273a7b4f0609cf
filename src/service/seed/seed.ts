import { day, hour, minute } from '../../platform/durations.ts';
import { issueKey } from '../actions/issue-key.ts';
import { voteCooldown } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findListing, insertListing } from '../storage/listings.ts';
import { upsertMember } from '../storage/members.ts';
import { upsertReview } from '../storage/reviews.ts';
import { insertPastVotes, type NewVote } from '../storage/votes.ts';
import { seededBot, seededOwner, seededServer } from './listings.ts';
import { seededMembers } from './members.ts';
import { createPrng } from './prng.ts';
import { seededReviews } from './reviews.ts';

/** The seeded listings; their keys only when this call made them, for they are shown once. */
export interface Seeded {
  readonly server: Listing;
  readonly bot: Listing;
  readonly keys: { readonly server: string; readonly bot: string } | null;
}

const firstListed = 400 * day;

/**
 * Puts a believable community into the database: a server and a bot with the same ids every time, 32 members, 31 reviews and
 * two months of votes that lead up to `now`. Where it is there already, nothing is changed.
 */
export async function seed(database: Database, now: number): Promise<Seeded> {
  const server = { ...seededServer, createdAt: now - firstListed };
  const bot = { ...seededBot, createdAt: now - firstListed / 2 };
  return database.transaction().execute(async (sql) => {
    const known = await findListing(sql, server.id);
    if (known) return { server: known, bot: (await findListing(sql, bot.id)) ?? bot, keys: null };
    for (const member of [seededOwner, ...seededMembers]) await upsertMember(sql, member);
    for (const listing of [server, bot]) await insertListing(sql, listing);
    await insertPastVotes(sql, [...pastVotes(server.id, 1, now), ...pastVotes(bot.id, 2, now)]);
    for (const [index, member] of seededMembers.entries()) {
      const review = seededReviews[index];
      if (!review) continue;
      const [rating, comment] = review;
      const createdAt = now - (seededReviews.length - index) * 9 * day - index * 37 * minute;
      await upsertReview(sql, { ...member, listingId: server.id, rating, comment, createdAt });
    }
    const keys = {
      server: await issueKey(sql, server, 'Seeded', now),
      bot: await issueKey(sql, bot, 'Seeded', now),
    };
    return { server, bot, keys };
  });
}

/** Two months of votes of all members but the first, each as often as that member cares, never inside the cooldown. */
function pastVotes(listingId: string, from: number, now: number): NewVote[] {
  const chance = createPrng(from);
  return seededMembers.slice(1).flatMap(({ userId }) => {
    const pause = voteCooldown + chance() * chance() * 5 * day;
    const votes: NewVote[] = [];
    for (let at = now - chance() * pause; at > now - 60 * day; at -= pause + chance() * 6 * hour) {
      votes.push({ listingId, userId, votedAt: Math.floor(at), denialReason: null });
    }
    return votes.reverse();
  });
}
