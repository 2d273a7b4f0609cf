import type { Preview } from '../core/announcements/announcement.ts';
import { premiumPreview, testPreview, votePreviews } from './announcements/previews.ts';
import { digestPreview } from './digests/parts.ts';
import { lostStreaksPreview } from './lost-streaks/parts.ts';
import { prizesPreview } from './prizes/parts.ts';
import { rafflePreview } from './raffles/parts.ts';
import { reviewPreview } from './reviews/parts.ts';

/** All announcements, in the order in which they are shown. */
export const previews: readonly Preview[] = [
  votePreviews,
  digestPreview,
  premiumPreview,
  lostStreaksPreview,
  prizesPreview,
  rafflePreview,
  reviewPreview,
  testPreview,
];
