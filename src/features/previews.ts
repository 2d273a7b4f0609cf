import type { Preview } from '../core/announcements/preview.ts';
import { ofPremium, ofTests, ofVotes } from './announcements/previews.ts';
import { digestPreview } from './digests/message.ts';
import { lostStreaksPreview } from './lost-streaks/message.ts';
import { reviewPreview } from './reviews/message.ts';

/** All announcements, in the order in which they are shown. */
export const previews: readonly Preview[] = [
  ...ofVotes,
  digestPreview,
  ofPremium,
  lostStreaksPreview,
  reviewPreview,
  ofTests,
];
