import { type Fields, matches } from '@tallyhook/platform/json';
import { type EffectKind, formatOf } from '../../core/outbox/effect-kind.ts';

/** A review on the service; its texts are external. */
export interface Review {
  readonly username: string | null;
  /** Its range is not documented. */
  readonly rating: number | null;
  readonly comment: string;
  /** ms since the epoch */
  readonly createdAt: number | null;
}

export interface ReviewAnnouncement {
  readonly channelId: string;
  readonly listing: string;
  /** Identifies the review among those of the listing. */
  readonly id: string;
  readonly review: Review;
}

const fields: Fields<ReviewAnnouncement> = {
  channelId: ['string'],
  listing: ['string'],
  id: ['string'],
  review: ['object'],
};
const reviewFields: Fields<Review> = {
  username: ['string', null],
  rating: ['number', null],
  comment: ['string'],
  createdAt: ['number', null],
};

export const reviewKind: EffectKind<'review', ReviewAnnouncement> = {
  kind: 'review',
  ...formatOf(
    (value): value is ReviewAnnouncement =>
      matches<ReviewAnnouncement>(value, fields) && matches(value.review, reviewFields),
  ),
};
