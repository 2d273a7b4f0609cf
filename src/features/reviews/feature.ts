import type { Feature } from '../../core/feature.ts';
import type { ReviewTables } from './store.ts';
import * as sql from './store.ts';
import { deleteReviews, reviewKind } from './store.ts';

export const reviews = {
  sql,
  deleteOfGuild: deleteReviews,
  tables: { announced_reviews: { withoutMembers: 'Digests of reviews, whose authors have no id.' } },
  effects: [reviewKind],
} satisfies Feature<ReviewTables>;
