import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import type { PublicPageTables } from './store.ts';
import * as sql from './store.ts';

export { pagesPath, publicSlug } from './slug.ts';

export const publicPages = {
  sql,
  tables: { public_pages: { withoutMembers: 'Addresses of communities.' } },
  deleteOfGuild: deleteRowsByKey<PublicPageTables>('public_pages', 'community_id', ['slug']),
} satisfies Feature<PublicPageTables>;
