import { toDurationText } from '../src/platform/duration-text.ts';
import { type AnnouncementSettings, plainAnnouncements } from '../src/texts/announcement-settings.ts';
import { defaultLostStreak } from './announcements-file.ts';
import type { StatedListing } from './listing-source.ts';

/** The announcements of a listing with their defaults. */
export function announcementsOf(file: NonNullable<StatedListing['announcements']> = {}): AnnouncementSettings {
  const { mode, every, voteButton, lostStreaks, ...others } = file;
  const stated = Object.fromEntries(
    Object.entries(others).filter(([, value]) => value !== undefined && value !== null),
  );
  const minDays = lostStreaks === true ? defaultLostStreak : lostStreaks || null;
  return {
    ...plainAnnouncements,
    ...stated,
    mode: mode ?? plainAnnouncements.mode,
    everyMs: every ?? plainAnnouncements.everyMs,
    voteButton: voteButton ?? mode === 'digest',
    lostStreaks: minDays,
  };
}

/** Announcements as in the file of `TALLYHOOK_CONFIG`. What is not set is null. */
export function announcementsInFile({ everyMs, lostStreaks, ...others }: AnnouncementSettings) {
  const { mode, ...settings } = others;
  return { mode, every: toDurationText(everyMs), ...settings, lostStreaks: lostStreaks ?? false };
}
