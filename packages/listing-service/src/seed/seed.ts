import { day, hour, minute } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { serverInvite } from '../invites/discord-invites.ts';
import { voteCooldownMs } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { writeIcon } from '../storage/listings/icons.ts';
import { issueKey } from '../storage/listings/keys.ts';
import { findListing, insertListing, saveInvite, updateListing } from '../storage/listings/listings.ts';
import { upsertMember } from '../storage/members/members.ts';
import { upsertReview } from '../storage/reviews.ts';
import { insertVotes } from '../storage/votes.ts';
import {
  seededBot,
  seededCategories,
  seededInviteCode,
  seededMembers,
  seededOwner,
  seededReviews,
  seededServer,
} from './community.ts';
import { seededIcon } from './icons.ts';

/** The seeded listings. The keys are null if the listings existed already, because only their digests are stored. */
export interface SeedResult {
  readonly server: Listing;
  readonly bot: Listing;
  readonly keys: { readonly server: string; readonly bot: string } | null;
}

const listingAgeMs = 400 * day;

/**
 * Inserts an example community: a server and a bot with fixed ids and icons, 32 members, 31 reviews and the votes of the two
 * months before `now` (ms since the epoch). Does nothing if the server exists.
 */
export async function seed(database: Database, now: number): Promise<SeedResult> {
  const server = { ...seededServer, createdAt: now - listingAgeMs };
  const bot = { ...seededBot, createdAt: now - listingAgeMs / 2 };
  return database.transaction().execute(async (sql) => {
    // Waits for another process that inserts it at the same time.
    if (!(await insertListing(sql, server))) {
      const existing = await findListing(sql, server.id);
      return { server: existing ?? server, bot: (await findListing(sql, bot.id)) ?? bot, keys: null };
    }
    await insertListing(sql, bot);
    await updateListing(sql, { ...server, categories: seededCategories.server }, now);
    await updateListing(sql, { ...bot, categories: seededCategories.bot }, now);
    for (const { id, kind } of [server, bot]) await writeIcon(sql, id, seededIcon(kind));
    await saveInvite(sql, server.id, serverInvite(seededInviteCode));
    for (const member of [seededOwner, ...seededMembers]) await upsertMember(sql, member);
    for (const listing of [server, bot]) {
      const votes = seededVotes(listing, now).map(({ userId, at }) => {
        return { listingId: listing.id, userId, votedAt: at, denialReason: null };
      });
      await insertVotes(sql, votes);
    }
    for (const [index, member] of seededMembers.entries()) {
      const review = seededReviews[index];
      if (!review) continue;
      const [rating, comment] = review;
      const createdAt = now - (seededReviews.length - index) * 9 * day - index * 37 * minute;
      await upsertReview(sql, { ...member, listingId: server.id, rating, comment, createdAt });
    }
    const keys = { server: await issueKey(sql, server, 'Seeded', now), bot: await issueKey(sql, bot, 'Seeded', now) };
    return { server, bot, keys };
  });
}

/**
 * The votes of a seeded listing in the two months before `now` (ms since the epoch): of all members but the first, each with
 * a random interval that is longer than the cooldown, one member after the other.
 */
export function seededVotes(
  { kind }: Pick<Listing, 'kind'>,
  now: number,
): readonly { readonly userId: string; readonly at: number }[] {
  const random = createPrng(kind === 'server' ? 1 : 2);
  return seededMembers.slice(1).flatMap(({ userId }) => {
    const intervalMs = voteCooldownMs + random() * random() * 5 * day;
    const votes: { userId: string; at: number }[] = [];
    for (let at = now - random() * intervalMs; at > now - 60 * day; at -= intervalMs + random() * 6 * hour) {
      votes.push({ userId, at: Math.floor(at) });
    }
    return votes.reverse();
  });
}
