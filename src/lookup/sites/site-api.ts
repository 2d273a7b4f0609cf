import { day } from '@tallyhook/platform/durations';
import { z } from 'zod';
import type { RequestLimit } from '../budget.ts';
import type { ListingKind } from '../lookup.ts';

/** The API of a listing site: pure data, and pure functions of one response. */
export interface SiteApi {
  /** The kinds of listings of which it says who has voted. */
  readonly kinds: readonly ListingKind[];
  /**
   * Address of the check, with `{kind}` and `{id}` of the listing, and `{user}`. Without `{user}` one response is for
   * all members.
   */
  readonly check: string;
  /**
   * The text before the key in the header `Authorization`; null for an API that is public. No key is sent elsewhere.
   */
  readonly authorization: '' | 'Bearer ' | null;
  readonly limit: RequestLimit;
  /** How long a key is rejected after too many requests, if the response does not say (ms). A minute by default. */
  readonly blockMs?: number;
  /** The status 404 means that the member has not voted for this time (ms). Otherwise it is an error. */
  readonly notFoundCoversMs?: number;
  readonly response: (context: ResponseContext) => z.ZodType<VotesAtSite>;
  readonly history?: SiteHistory;
  /** The endpoint for the listing itself; missing if there is none. */
  readonly profile?: { readonly url: string; readonly response: z.ZodType<SiteProfile> };
}

export interface ResponseContext {
  /** The member whom the response is about; for all members any text. */
  readonly userId: string;
  /** When it was received (ms since the epoch). */
  readonly now: number;
}

const count = z.number().nonnegative().nullable();

export const siteProfileSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
  votes: count,
  monthlyVotes: count,
  servers: count,
  rating: z.object({ score: z.number(), count }).readonly().nullable(),
});

/**
 * The profile of a listing at a site; empty or null where the site does not say. `monthlyVotes`: those by which it
 * ranks now.
 */
export type SiteProfile = Readonly<z.infer<typeof siteProfileSchema>>;

/** The profile of a listing about which the site says nothing. */
export const noProfile: SiteProfile = {
  ...{ name: '', description: null, tags: [], votes: null, monthlyVotes: null, servers: null, rating: null },
};

/** The past votes that a site still knows. */
export interface SiteHistory {
  /** Address of the first page. @param since ms since the epoch */
  first(since: number): string;
  readonly page: z.ZodType<HistoryPage>;
}

export interface HistoryPage {
  readonly votes: readonly SiteVote[];
  /** Address of the next page; null after the last one. */
  readonly next: string | null;
}

/** A vote in the history of a site. */
export interface SiteVote {
  /** The Discord ID of the voter. */
  readonly userId: string;
  /** Ms since the epoch. */
  readonly at: number;
  /** When the site accepts the next vote of the member (ms since the epoch); null if it does not say. */
  readonly nextVoteAt: number | null;
  /** How many votes it counts as on the site, at most 4. */
  readonly weight: number;
}

const memberVote = z.object({
  userId: z.string(),
  /** False for a vote against the listing. */
  voted: z.boolean(),
  at: z.number().nullable(),
  nextVoteAt: z.number().nullable(),
  /** How many votes it counts as on the site; 1 if the site does not say. */
  weight: z.number().default(1),
  /** The times of further votes that the site lists, which need not count any more. */
  otherTimes: z.array(z.number()).readonly().default([]),
});

/** The running vote of one member; times in ms since the epoch, null if the site does not say. */
export type MemberVote = Readonly<z.infer<typeof memberVote>>;
type Defaults = 'weight' | 'otherTimes';

export const votesAtSiteSchema = z.object({
  votes: z.array(memberVote).readonly(),
  since: z.number(),
  isComplete: z.boolean(),
});

/**
 * Votes of members at a site. Before `since` (ms since the epoch), nothing is known of members who are not among
 * `votes`. It is complete if such votes do not count any more.
 */
export type VotesAtSite = Readonly<z.infer<typeof votesAtSiteSchema>>;

/** The vote of a member who has not voted, as far as the site says. */
export const noVote: Omit<MemberVote, 'userId'> = {
  voted: false,
  at: null,
  nextVoteAt: null,
  weight: 1,
  otherTimes: [],
};

/** A later end of a cooldown is treated as an error of the site (ms). */
const maxCooldownMs = 8 * day;

/** The response about one member. @param coversMs how long a vote counts, i.e. how far back "no" holds (ms) */
export function votesOfMember(
  vote: Omit<MemberVote, 'userId' | Defaults> & Partial<Pick<MemberVote, Defaults>>,
  coversMs: number,
  { userId, now }: ResponseContext,
): VotesAtSite {
  const { voted, at, weight = 1, otherTimes = [] } = vote;
  const isPlausible = vote.nextVoteAt !== null && vote.nextVoteAt <= now + maxCooldownMs;
  const nextVoteAt = isPlausible ? vote.nextVoteAt : null;
  const isKnown = voted || (nextVoteAt !== null && nextVoteAt > now);
  const known = isKnown ? { voted, at, nextVoteAt, weight, otherTimes } : { ...noVote, otherTimes };
  const votes = isKnown || otherTimes.length > 0 ? [{ userId, ...known }] : [];
  return { votes, since: now - coversMs, isComplete: true };
}

/*
 * What the fields of responses are. One that only helps becomes null if it is invalid.
 */

/** ISO 8601 with a time zone → ms since the epoch. */
export const time = z.iso.datetime({ offset: true }).transform(Date.parse);

/** A time as text, or in ms since the epoch (from 2001 to 2286), as opposed to seconds. */
export const anyTime = z
  .union([time, z.number().min(1e12).max(1e13)])
  .nullish()
  .catch(null)
  .transform((at) => at ?? null);

/** A number of the listing's page. */
export const shownNumber = z.number().nonnegative().nullish().catch(null);
/** A text of the listing's page; empty if it is none. */
export const shownText = z.string().catch('');

/** Sites write 0 and 1, too. */
export const flag = z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]);

/** IDs of the sites themselves are shorter. */
export const discordId = z.string().regex(/^\d{17,20}$/);
