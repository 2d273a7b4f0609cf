import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import * as sql from './store.ts';
import { deleteReviews } from './store.ts';
import type { ReviewTables } from './tables.ts';

export const reviews = {
  sql,
  deleteOfGuild: deleteReviews,
  tables: { announced_reviews: { withoutMembers: 'Digests of reviews, whose authors have no id.' } },
  effects,
} satisfies Feature<ReviewTables>;
