import type { Preview } from '../core/announcements/preview.ts';
import { premiumPreview, testPreview, votePreviews } from './announcements/previews.ts';
import { digestPreview } from './digests/message.ts';
import { lostStreaksPreview } from './lost-streaks/message.ts';
import { reviewPreview } from './reviews/message.ts';

/** All announcements, in the order in which they are shown. */
export const previews: readonly Preview[] = [
  votePreviews,
  digestPreview,
  premiumPreview,
  lostStreaksPreview,
  reviewPreview,
  testPreview,
];
