/** What an announcement looks like, as plain text with Discord's markup. */
export interface AnnouncementPreview {
  /** What is announced. */
  readonly subject: string;
  readonly title: string;
  /** Lines. */
  readonly text: readonly string[];
  /** Labels. */
  readonly buttons: readonly string[];
}

/** The announcements of a listing, with sample members. */
export interface ListingPreviews {
  readonly listing: string;
  /** How votes are announced. */
  readonly mode: string;
  readonly previews: readonly AnnouncementPreview[];
}
