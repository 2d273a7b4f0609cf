import type { z } from 'zod';
import { listing as fileListing, listOf } from './listings-file.ts';
import type { ReceiverListing, ReceiverRewards } from './receiver-listings.ts';

/**
 * What votes and premium earn, with roles and parties. Durations are texts: `90s`, `30m`, `12h`, `7d`.
 * @category Start here
 */
export interface AppRewards extends Omit<ReceiverRewards, 'milestones'> {
  /** Those with a `role` (Discord ID) apply to its members only. */
  readonly multipliers?: readonly (NonNullable<ReceiverRewards['multipliers']>[number] & { readonly role?: string })[];
  /** With a `role`, members who reached it get that role. */
  readonly milestones?: readonly ({ readonly credits?: number; readonly role?: string } & (
    | { readonly votes: number }
    | { readonly everyVotes: number }
  ))[];
  /** Whether a member keeps the roles of all reached milestones (the default), or of the highest only. */
  readonly milestoneRoles?: 'all' | 'highest';
  /** A role that each vote extends; for 12 hours by default. */
  readonly voterRole?: { readonly role: string; readonly for?: string };
  /** Roles by the name of the premium tier; `*` is for all other tiers. */
  readonly premiumRoles?: Readonly<Record<string, string>>;
  /** A goal that the community reaches together: credits for everyone who voted in the period. */
  readonly party?: { readonly goal: number; readonly per: 'day' | 'week' | 'month'; readonly credits: number };
}

/**
 * How votes are announced. Placeholders of `title` and `text`: `{mention}`, `{listing}`, `{credits}` and others.
 * @category Start here
 */
export interface AppAnnouncements {
  /** Each vote (the default), a digest of all votes at intervals, or none. */
  readonly mode?: 'each' | 'digest' | 'none';
  /** The interval of digests, from `5m` to `30d`; `1h` by default. */
  readonly every?: string;
  readonly title?: string;
  readonly text?: string;
  /** `#RRGGBB`. */
  readonly colour?: string;
  /** The https URL of an image. */
  readonly thumbnail?: string;
  readonly voteButton?: boolean;
  /** What a vote shows: the avatar and name of the voter, the icon of the server, the streak, the credits as a heading. */
  readonly avatar?: boolean;
  readonly icon?: boolean;
  readonly streak?: boolean;
  readonly largeCredits?: boolean;
  readonly reviews?: boolean;
  readonly milestones?: boolean;
  readonly premium?: boolean;
  readonly party?: boolean;
  /** Whether ends of streaks are announced, or from how many days on. */
  readonly lostStreaks?: boolean | number;
  /** A locale of Discord; that of the guild by default. */
  readonly language?: string;
}

/**
 * Something that members buy with credits: exactly one of `role`, `codes` and `manual` says what they get.
 * @category Start here
 */
export interface AppShopItem {
  /** Permanent: at most 32 letters, digits, dashes and underscores. */
  readonly id: string;
  /** 1 to 80 characters. */
  readonly name: string;
  /** Whole credits. */
  readonly price: number;
  /** Discord ID of a role, and how long the buyer has it: `7d`. */
  readonly role?: string;
  readonly for?: string;
  /** Each is given to one buyer. */
  readonly codes?: readonly string[];
  /** The path of a text file with one code per line. */
  readonly codesFile?: string;
  /** The owner fulfils the purchase, which is reported in `ownerChannelId`. */
  readonly manual?: true;
  /** How often it can be bought in total. */
  readonly stock?: number;
  /** Only members with this role (Discord ID) can buy it. */
  readonly needsRole?: string;
}

/**
 * A server or bot on the listing service, with the names and limits of the file of `TALLYHOOK_CONFIG`.
 * @category Start here
 */
export interface AppListing extends Omit<ReceiverListing, 'rewards'> {
  /**
   * Its API key, for lookups. Without one, `/canvote` knows only the votes that were delivered, and `/reviews` and `/claim`
   * are not offered.
   */
  readonly lookupKey?: string;
  /** What people call it, 1 to 60 characters; by default its name on the site, or else its name in Discord. */
  readonly title?: string;
  /** The channel for announcements of votes (Discord ID); without it there are none. */
  readonly announceChannelId?: string;
  /** The same for premium; by default that of votes. */
  readonly premiumChannelId?: string;
  /** The channel for reports to the owner. */
  readonly ownerChannelId?: string;
  readonly rewards?: AppRewards;
  readonly announcements?: AppAnnouncements;
  readonly shop?: readonly AppShopItem[];
}

/** The schema of the option `listings`. */
export const appListings = listOf(fileListing);

fileListing.shape satisfies Record<keyof AppListing, z.ZodType>;
