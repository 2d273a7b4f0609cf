import type { Feature } from '../../core/feature.ts';
import { reviewKind } from './effects.ts';
import * as sql from './store.ts';
import { deleteReviews } from './store.ts';
import type { ReviewTables } from './tables.ts';

export const reviews = {
  sql,
  deleteOfGuild: deleteReviews,
  tables: { announced_reviews: { withoutMembers: 'Digests of reviews, whose authors have no id.' } },
  effects: [reviewKind],
} satisfies Feature<ReviewTables>;
