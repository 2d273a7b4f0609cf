/** How votes are announced: each on its own, summarised at intervals, or not at all. */
export const announcementModes = ['each', 'digest', 'none'] as const;
export type AnnouncementMode = (typeof announcementModes)[number];

/** What is announced of a listing, and how, as configured. */
export interface AnnouncementSettings {
  readonly mode: AnnouncementMode;
  /** The interval of digests (ms). */
  readonly everyMs: number;
  /** Templates in place of the headline and the text of a vote; null for ours. */
  readonly title: string | null;
  readonly text: string | null;
  /** `#RRGGBB`; null for ours. */
  readonly colour: string | null;
  /** The https URL of an image; null for none. */
  readonly thumbnail: string | null;
  /** Whether votes and digests have a button that leads to the listing. */
  readonly voteButton: boolean;
  /** Whether votes show the avatar and name of the voter, the icon of the server, the streak, and the credits as a heading. */
  readonly avatar: boolean;
  readonly icon: boolean;
  readonly streak: boolean;
  readonly largeCredits: boolean;
  /** Whether new reviews are announced. */
  readonly reviews: boolean;
  readonly milestones: boolean;
  readonly premium: boolean;
  readonly party: boolean;
  /** The least days of a streak whose end is announced; null for none. */
  readonly lostStreaks: number | null;
  /** A locale of Discord; null for that of the guild. */
  readonly language: string | null;
}

/** The announcements of a listing for which nothing is configured. */
export const plainAnnouncements: AnnouncementSettings = {
  mode: 'each',
  everyMs: 3_600_000,
  title: null,
  text: null,
  colour: null,
  thumbnail: null,
  voteButton: true,
  avatar: true,
  icon: true,
  streak: true,
  largeCredits: true,
  reviews: false,
  milestones: true,
  premium: true,
  party: true,
  lostStreaks: null,
  language: null,
};
