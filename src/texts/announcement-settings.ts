/** How votes are announced: each on its own, summarised at intervals, or not at all. */
export const announcementModes = ['each', 'digest', 'none'] as const;
export type AnnouncementMode = (typeof announcementModes)[number];

/** Configured announcements of a listing. Features add settings, which only they read. */
export interface AnnouncementSettings {
  readonly mode: AnnouncementMode;
  /** Templates in place of the headline and the text of a vote; null for ours. */
  readonly title: string | null;
  readonly text: string | null;
  /** `#RRGGBB`; null for ours. */
  readonly colour: string | null;
  /** The https URL of an image; null for none. */
  readonly thumbnail: string | null;
  /** True if votes and digests have a button that leads to the listing. */
  readonly voteButton: boolean;
  /** True if votes show the avatar and name of the voter, the icon of the server, the streak, and the credits as a heading. */
  readonly avatar: boolean;
  readonly icon: boolean;
  readonly streak: boolean;
  readonly largeCredits: boolean;
  readonly milestones: boolean;
  readonly premium: boolean;
  /** A locale of Discord; null for that of the guild. */
  readonly language: string | null;
}
